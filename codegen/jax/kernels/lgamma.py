"""The logarithm of the absolute value of the gamma function."""

import jax
from jax import lax

from codegen.jax.kernels.polygamma import polygamma


@jax.custom_jvp
def lgamma(x):
    return lax.lgamma(x)


@lgamma.defjvp
def lgamma_jvp(values, tangents):
    return lgamma(values[0]), tangents[0] * polygamma(values[0], 0)
