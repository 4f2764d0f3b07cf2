"""X with matrix @ X = right, for the lower or the upper triangle."""

from jax import lax


def solve_triangular(matrix, right, upper):
    if right.size == 0:
        return right
    return lax.linalg.triangular_solve(matrix, right, left_side=True, lower=not upper)
