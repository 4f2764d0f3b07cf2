"""The gradients of batch norm in its input, weight and bias."""

from codegen.jax.kernels.channelwise import channelwise
from codegen.jax.kernels.norm_grad import norm_grad


def batch_norm_grad(grad, x, mean, rstd, weight, training):
    axes = (0, *range(2, x.ndim))
    vectors = [channelwise(vector, x) for vector in (mean, rstd, weight)]
    return norm_grad(grad, x, *vectors, not training, axes, axes)
