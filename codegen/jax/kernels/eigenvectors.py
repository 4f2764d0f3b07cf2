"""Eigenvectors of the symmetric part, with defined signs; gradients leave out equal eigenvalues."""

import jax
import jax.numpy as jnp

from codegen.jax.kernels.symmetric_part import symmetric_part


@jax.custom_jvp
def eigenvectors(matrix):
    if matrix.size == 0:
        return matrix
    vectors = jnp.linalg.eigh(symmetric_part(matrix), symmetrize_input=False)[1]
    large = jnp.abs(vectors) >= 0.6 / matrix.shape[-1] ** 0.5
    first = jnp.argmax(large, axis=-2, keepdims=True)
    return jnp.where(jnp.take_along_axis(vectors, first, axis=-2) < 0, -vectors, vectors)


@eigenvectors.defjvp
def eigenvectors_jvp(values, tangents):
    matrix, change = symmetric_part(values[0]), symmetric_part(tangents[0])
    vectors = eigenvectors(values[0])
    if matrix.size == 0:
        return vectors, change
    eigenvalues = jnp.linalg.eigvalsh(matrix, symmetrize_input=False)
    gaps = eigenvalues[..., None, :] - eigenvalues[..., :, None]
    turning = jnp.swapaxes(vectors, -1, -2) @ change @ vectors
    inner = jnp.where(gaps == 0, 0, turning / jnp.where(gaps == 0, 1, gaps))
    return vectors, vectors @ inner
