"""The gradient of conv2d in its input."""

import jax
import jax.numpy as jnp

from codegen.jax.kernels.conv2d import conv2d


def conv2d_input_grad(grad, shape, weight, stride, padding, dilation, groups):
    dtype = jnp.result_type(grad, weight)

    def convolution(x):
        return conv2d(x, weight.astype(dtype), None, stride, padding, dilation, groups)

    start = jax.ShapeDtypeStruct(shape, dtype)
    return jax.linear_transpose(convolution, start)(grad.astype(dtype))[0]
