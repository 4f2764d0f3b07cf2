"""All products of 1 to `degree` variables, as rows of ascending factors; 0 is the factor 1."""

import itertools

import jax.numpy as jnp


def monomials(variables, degree, dtype):
    rows = itertools.combinations_with_replacement(range(variables + 1), degree)
    return jnp.asarray(list(rows)[1:], dtype)
