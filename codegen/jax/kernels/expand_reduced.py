"""The result of a reduction repeated along the reduced axes of `shape`."""

import jax.numpy as jnp

from codegen.jax.kernels.reduced_axes import reduced_axes
from codegen.jax.kernels.reduced_count import reduced_count


def expand_reduced(x, shape, axis, correction):
    axes = reduced_axes(axis, len(shape))
    kept = [1 if i in axes else size for i, size in enumerate(shape)]
    whole = jnp.broadcast_to(jnp.reshape(x, kept), shape)
    if correction is None:
        return whole
    return whole / jnp.asarray(max(reduced_count(shape, axis) - correction, 0), x.dtype)
