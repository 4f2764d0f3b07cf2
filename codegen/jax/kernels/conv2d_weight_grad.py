"""The gradient of conv2d in its weight."""

import jax
import jax.numpy as jnp

from codegen.jax.kernels.conv2d import conv2d


def conv2d_weight_grad(grad, x, shape, stride, padding, dilation, groups):
    dtype = jnp.result_type(grad, x)

    def convolution(weight):
        return conv2d(x.astype(dtype), weight, None, stride, padding, dilation, groups)

    start = jax.ShapeDtypeStruct(shape, dtype)
    return jax.linear_transpose(convolution, start)(grad.astype(dtype))[0]
