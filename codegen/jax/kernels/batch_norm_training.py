"""Normalizes each channel by its statistics, towards which the running ones move."""

import jax.numpy as jnp

from codegen.jax.kernels.channelwise import channelwise
from codegen.jax.kernels.normalized import normalized


def batch_norm_training(x, running_mean, running_var, weight, bias, momentum, eps):
    axes = (0, *range(2, x.ndim))
    count = x.size // max(x.shape[1], 1)
    mean = jnp.mean(x, axis=axes)
    squares = jnp.sum(jnp.square(x - channelwise(mean, x)), axis=axes)
    rstd = 1 / jnp.sqrt(squares / jnp.asarray(count, x.dtype) + eps)
    y = normalized(x, *[channelwise(vector, x) for vector in (mean, rstd, weight, bias)])
    if count == 0:
        return y, mean, rstd, running_mean, running_var
    unbiased = squares / jnp.asarray(max(count - 1, 1), x.dtype)
    new_mean = running_mean * (1 - momentum) + mean * momentum
    new_var = running_var * (1 - momentum) + unbiased * momentum
    return y, mean, rstd, new_mean, new_var
