"""The index in its plane of the first largest element of each window, or of the last NaN; -1: no
element."""

import jax.numpy as jnp

from codegen.jax.taps import taps


def largest_places(x, kernel, stride, padding, dilation):
    size = x.shape[-2] * x.shape[-1]
    plane = jnp.broadcast_to(jnp.reshape(jnp.arange(size), x.shape[-2:]), x.shape)
    places = taps(plane, kernel, stride, padding, dilation, -1)
    elements = taps(x, kernel, stride, padding, dilation, 0)
    inside = places >= 0
    best, at = elements[0], places[0]
    for element, place, holds in zip(elements[1:], places[1:], inside[1:], strict=True):
        better = holds & ((at < 0) | (element > best) | jnp.isnan(element))
        best, at = jnp.where(better, element, best), jnp.where(better, place, at)
    return at
