"""The eigenvalues of the symmetric part, in rising order."""

import jax
import jax.numpy as jnp

from codegen.jax.kernels.eigenvectors import eigenvectors
from codegen.jax.kernels.symmetric_part import symmetric_part


@jax.custom_jvp
def eigenvalues(matrix):
    if matrix.size == 0:
        return jnp.zeros(matrix.shape[:-1], matrix.dtype)
    return jnp.linalg.eigvalsh(symmetric_part(matrix), symmetrize_input=False)


@eigenvalues.defjvp
def eigenvalues_jvp(values, tangents):
    vectors = eigenvectors(values[0])
    change = jnp.sum(vectors * (symmetric_part(tangents[0]) @ vectors), axis=-2)
    return eigenvalues(values[0]), change
