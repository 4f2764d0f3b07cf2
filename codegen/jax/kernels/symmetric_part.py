"""(A + A.T) / 2."""

import jax.numpy as jnp


def symmetric_part(matrix):
    return (matrix + jnp.swapaxes(matrix, -1, -2)) / 2
