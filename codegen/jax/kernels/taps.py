"""The elements that the taps of the windows along an axis read: a list of [..., outputs, ...]."""

import jax.numpy as jnp
from jax import lax


def taps(x, axis, count, step, padding, hop, fill):
    widths = [(0, 0, 0)] * x.ndim
    widths[axis] = (*padding, 0)
    x = lax.pad(x, jnp.asarray(fill, x.dtype), widths)
    places = [slice(None)] * x.ndim
    read = []
    for tap in range(count):
        last = x.shape[axis] - hop * (count - 1) - 1 + hop * tap
        places[axis] = slice(hop * tap, last + 1, step)
        read.append(x[tuple(places)])
    return read
