"""For each element the product of the others along the axes."""

import jax.numpy as jnp

from codegen.jax.kernels.cumprod import cumprod
from codegen.jax.kernels.reduced_axes import reduced_axes


def prod_of_others(x, axis):
    if x.size == 0:
        return x
    axes = reduced_axes(axis, x.ndim)
    last = tuple(range(x.ndim - len(axes), x.ndim))
    moved = jnp.moveaxis(x, axes, last)
    flat = jnp.reshape(moved, (*moved.shape[: x.ndim - len(axes)], -1))
    others = cumprod(flat, -1, False, True) * cumprod(flat, -1, True, True)
    return jnp.moveaxis(jnp.reshape(others, moved.shape), last, axes)
