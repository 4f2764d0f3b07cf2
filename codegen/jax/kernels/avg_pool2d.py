"""The mean of each window, in which padding counts as zeros."""

import math

import jax.numpy as jnp
from jax import lax

from codegen.jax.kernels.window import both, window


def avg_pool2d(x, kernel, stride, padding, dilation):
    kernel = both(kernel)
    stride, padding, dilation = window(kernel if stride is None else stride, padding, dilation)
    dtype = jnp.mean(jnp.zeros(1, x.dtype)).dtype
    wide = jnp.promote_types(dtype, jnp.float32)  # halves are summed as jnp.mean sums them
    axes = (1,) * (x.ndim - 2)
    widths = [(0, 0, 0)] * (x.ndim - 2) + [(*pair, 0) for pair in padding]
    sums = lax.reduce_window(
        lax.pad(x.astype(wide), jnp.zeros((), wide), widths),
        wide.type(0),
        lax.add,
        window_dimensions=(*axes, *kernel),
        window_strides=(*axes, *stride),
        padding="VALID",
        window_dilation=(*axes, *dilation),
    )
    return (sums / math.prod(kernel)).astype(dtype)
