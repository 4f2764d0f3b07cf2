"""The largest element of each window, and its index in the plane."""

from codegen.jax.largest_places import largest_places
from codegen.jax.max_pool2d_pick import picked


def max_pool2d(x, kernel, stride, padding, dilation, dtype):
    places = largest_places(x, kernel, stride, padding, dilation)
    return picked(x, places), places.astype(dtype)
