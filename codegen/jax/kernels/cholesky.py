"""The lower triangle L with L @ L.T = (A + A.T) / 2; NaN if A is not positive definite."""

import jax.numpy as jnp

from codegen.jax.kernels.symmetric_part import symmetric_part


def cholesky(matrix):
    return jnp.linalg.cholesky(symmetric_part(matrix), symmetrize_input=False)
