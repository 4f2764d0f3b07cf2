"""The elements that the taps of the windows over the last two axes read: [taps, ..., Ho, Wo]."""

import jax.numpy as jnp
from jax import lax

from codegen.jax.window import both, window


def taps(x, kernel, stride, padding, dilation, fill):
    kernel = both(kernel)
    stride, padding, dilation = window(kernel if stride is None else stride, padding, dilation)
    widths = [(0, 0, 0)] * (x.ndim - 2) + [(*pair, 0) for pair in padding]
    x = lax.pad(x, jnp.asarray(fill, x.dtype), widths)
    read = []
    for row in range(kernel[0]):
        for column in range(kernel[1]):
            places = []
            for size, count, tap, step, hop in zip(
                x.shape[-2:], kernel, (row, column), stride, dilation, strict=True
            ):
                last = size - hop * (count - 1) - 1 + hop * tap
                places.append(slice(hop * tap, last + 1, step))
            read.append(x[(..., *places)])
    return jnp.stack(read)
