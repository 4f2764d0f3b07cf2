"""Singular values and vectors, with defined signs."""

import jax.numpy as jnp


def svd(matrix):
    rows, columns = matrix.shape[-2:]
    batch, count = matrix.shape[:-2], min(rows, columns)
    if matrix.size == 0:
        left = jnp.zeros((*batch, rows, count), matrix.dtype)
        right = jnp.zeros((*batch, count, columns), matrix.dtype)
        return left, jnp.zeros((*batch, count), matrix.dtype), right
    left, values, right = jnp.linalg.svd(matrix, full_matrices=False)
    large = jnp.abs(left) >= 0.6 / rows**0.5
    first = jnp.argmax(large, axis=-2, keepdims=True)
    negative = jnp.take_along_axis(left, first, axis=-2) < 0
    return jnp.where(negative, -left, left), values, jnp.where(negative.mT, -right, right)
