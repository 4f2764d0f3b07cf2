"""The pseudoinverse; singular values up to max(atol, rtol * the largest) count as 0."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def pinv(matrix, atol, rtol):
    if matrix.size == 0:
        return matrix.mT
    left, values, right = jnp.linalg.svd(matrix, full_matrices=False)
    absolute = 0 if atol is None else atol
    if rtol is None:
        spacing = jnp.finfo(matrix.dtype).eps
        rtol = 0 if absolute > 0 else max(matrix.shape[-2:]) * spacing
    kept = values > jnp.maximum(absolute, rtol * values[..., :1])
    inverses = jnp.where(kept, 1 / jnp.where(kept, values, 1), 0)
    return right.mT @ (inverses[..., None] * left.mT)


# Golub and Pereyra, https://doi.org/10.1137/0710036.
@pinv.defjvp
def pinv_jvp(atol, rtol, values, tangents):
    matrix, change = values[0], tangents[0].mT
    inverse = pinv(matrix, atol, rtol)
    left = change - change @ matrix @ inverse
    right = change - inverse @ (matrix @ change)
    along = inverse @ (inverse.mT @ left) + right @ inverse.mT @ inverse
    return inverse, along - inverse @ tangents[0] @ inverse
