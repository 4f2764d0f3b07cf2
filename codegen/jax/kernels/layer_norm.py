"""Normalizes along the last axis: the result, the mean and the reciprocal deviation."""

import jax.numpy as jnp

from codegen.jax.kernels.normalized import normalized


def layer_norm(x, weight, bias, eps):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    rstd = 1 / jnp.sqrt(jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True) + eps)
    return normalized(x, mean, rstd, weight, bias), mean, rstd
