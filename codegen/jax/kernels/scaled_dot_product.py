"""Attention: the weights times the values."""

import jax.numpy as jnp

from codegen.jax.kernels.attention_weights import attention_weights


def scaled_dot_product(query, key, value, mask, causal, scale):
    return jnp.matmul(attention_weights(query, key, mask, causal, scale), value)
