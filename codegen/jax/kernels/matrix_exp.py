"""The exponential of matrices."""

import jax


def matrix_exp(matrix):
    if matrix.size == 0:
        return matrix
    return jax.scipy.linalg.expm(matrix, max_squarings=64)
