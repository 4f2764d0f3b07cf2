"""Each element of grad added to the largest element of its window."""

import math

import jax.numpy as jnp

from codegen.jax.kernels.largest_places import largest_places


def max_pool2d_grad(grad, x, places, kernel, stride, padding, dilation):
    if places is None:
        places = largest_places(x, kernel, stride, padding, dilation)
    count, size = math.prod(x.shape[:-2]), x.shape[-2] * x.shape[-1]
    outputs = math.prod(grad.shape[-2:])
    flat = jnp.reshape(places, (count, outputs))
    at = jnp.where(flat < 0, size, flat)  # windows of padding alone: dropped
    planes = jnp.zeros((count, size), grad.dtype).at[jnp.arange(count)[:, None], at]
    return jnp.reshape(planes.add(jnp.reshape(grad, (count, outputs)), mode="drop"), x.shape)
