"""The elements of `values` at the places of the largest elements of the windows of x."""

import jax.numpy as jnp

from codegen.jax.kernels.largest_places import largest_places


def picked(values, places, empty):
    """`empty`: for windows without elements."""
    if values.size == 0 or places.size == 0:
        return jnp.full(places.shape, empty, values.dtype)
    planes = jnp.reshape(values, (*values.shape[:-2], -1))
    flat = jnp.reshape(places, (*places.shape[:-2], -1))
    taken = jnp.take_along_axis(planes, jnp.maximum(flat, 0), axis=-1)
    return jnp.reshape(jnp.where(flat < 0, empty, taken), places.shape)


def max_pool2d_pick(values, x, kernel, stride, padding, dilation):
    return picked(values, largest_places(x, kernel, stride, padding, dilation), 0)
