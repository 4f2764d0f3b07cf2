"""The gradient of gelu."""

import math

import jax.numpy as jnp
from jax import lax


def gelu_grad(grad, x, approximate):
    if not approximate:
        density = jnp.exp(-jnp.square(x) / 2) / math.sqrt(2 * math.pi)
        return grad * ((1 + lax.erf(x * math.sqrt(0.5))) / 2 + x * density)
    root = math.sqrt(2 / math.pi)
    bent = jnp.tanh(root * (x + 0.044715 * x**3))
    return grad * (1 + bent + x * (1 - bent**2) * root * (1 + 0.134145 * x**2)) / 2
