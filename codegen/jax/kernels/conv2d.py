"""Cross-correlation over two axes."""

import jax.numpy as jnp
from jax import lax

from codegen.jax.kernels.window import window


def conv2d(x, weight, bias, stride, padding, dilation, groups):
    stride, padding, dilation = window(stride, padding, dilation)
    x, weight = x.astype(dtype := jnp.result_type(x, weight)), weight.astype(dtype)
    y = lax.conv_general_dilated(
        x, weight, stride, padding, rhs_dilation=dilation, feature_group_count=groups
    )
    return y if bias is None else y + bias[:, None, None]
