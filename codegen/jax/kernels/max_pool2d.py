"""The largest element of each window, and its index in the plane."""

import jax.numpy as jnp

from codegen.jax.kernels.largest_places import largest_places
from codegen.jax.kernels.max_pool2d_pick import picked


def max_pool2d(x, kernel, stride, padding, dilation, dtype):
    places = largest_places(x, kernel, stride, padding, dilation)
    least = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else int(jnp.iinfo(x.dtype).min)
    return picked(x, places, least), places.astype(dtype)
