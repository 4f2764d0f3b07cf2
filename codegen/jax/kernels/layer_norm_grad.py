"""The gradients of layer_norm in its input, weight and bias."""

from codegen.jax.kernels.norm_grad import norm_grad


def layer_norm_grad(grad, x, mean, rstd, weight):
    shared = tuple(range(x.ndim - 1))
    return norm_grad(grad, x, mean, rstd, weight, False, (-1,), shared)
