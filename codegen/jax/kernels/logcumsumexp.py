"""The logarithm of running sums of exp."""

from jax import lax


def logcumsumexp(x, axis):
    return lax.cumlogsumexp(x, axis % x.ndim)
