"""The sign of the determinant and the logarithm of its size; 1 and 0 of a matrix without rows."""

import jax
import jax.numpy as jnp


def slogdet(matrix):
    if matrix.shape[-1] == 0:
        sign = jnp.ones(matrix.shape[:-2], matrix.dtype)
        return sign, jnp.zeros_like(sign)
    if matrix.shape[-1] > 3:
        return jnp.linalg.slogdet(matrix)
    # jnp.linalg.slogdet multiplies the elements of small matrices. With rows divided by powers of
    # two, the products neither overflow nor underflow. The powers have normal reciprocals, by which
    # XLA multiplies.
    largest = jax.lax.stop_gradient(jnp.max(jnp.abs(matrix), axis=-1, keepdims=True))
    most = jnp.finfo(matrix.dtype).maxexp - 4
    exponents = jnp.clip(jnp.frexp(largest)[1] - 1, -most, most)
    sign, logabsdet = jnp.linalg.slogdet(matrix / jnp.ldexp(jnp.ones_like(largest), exponents))
    exponent = jnp.sum(exponents, axis=(-2, -1)).astype(matrix.dtype)
    return sign, logabsdet + exponent * jnp.log(jnp.array(2, matrix.dtype))
