"""The index in its plane of the first largest element of each window, or of the last NaN; -1: no
element."""

import jax.numpy as jnp

from codegen.jax.kernels.taps import taps
from codegen.jax.kernels.window import both, window


def largest_places(x, kernel, stride, padding, dilation):
    kernel = both(kernel)
    windows = window(kernel if stride is None else stride, padding, dilation)
    size = x.shape[-2] * x.shape[-1]
    best, at = x, jnp.broadcast_to(jnp.reshape(jnp.arange(size), x.shape[-2:]), x.shape)
    # Along rows, then along columns: a window of k² elements takes 2 k comparisons.
    for axis in (-1, -2):
        step, pads, hop = (pair[axis] for pair in windows)
        elements = taps(best, axis, kernel[axis], step, pads, hop, 0)
        places = taps(at, axis, kernel[axis], step, pads, hop, -1)
        best, at = elements[0], places[0]
        for element, place in zip(elements[1:], places[1:], strict=True):
            better = (place >= 0) & ((at < 0) | (element > best) | jnp.isnan(element))
            best, at = jnp.where(better, element, best), jnp.where(better, place, at)
    return at
