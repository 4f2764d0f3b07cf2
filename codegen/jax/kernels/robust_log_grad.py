"""The gradient of the robust logarithm; the sign at 0 is 1."""

import jax.numpy as jnp

from codegen.jax.kernels.magnitude import magnitude


def robust_log_grad(grad, x, threshold):
    size = jnp.where(magnitude(x) < threshold, threshold, magnitude(x))
    return jnp.where(x < 0, -grad, grad) / size
