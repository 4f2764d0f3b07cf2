"""Each element of grad shared equally among the elements of its window."""

import jax

from codegen.jax.kernels.avg_pool2d import avg_pool2d


def avg_pool2d_grad(grad, shape, kernel, stride, padding, dilation):
    def pooling(x):
        return avg_pool2d(x, kernel, stride, padding, dilation)

    return jax.linear_transpose(pooling, jax.ShapeDtypeStruct(shape, grad.dtype))(grad)[0]
