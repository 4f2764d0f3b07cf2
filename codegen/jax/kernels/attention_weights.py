"""softmax(query @ key.T * scale + mask), computed at least in float32; zeros where a query may
attend to nothing."""

import math

import jax.numpy as jnp
from jax import lax


def attention_weights(query, key, mask, causal, scale):
    scale = 1 / math.sqrt(max(1, query.shape[-1])) if scale is None else scale
    floats = (x for x in (query, key, mask) if x is not None and x.dtype != bool)
    made = jnp.result_type(*floats)
    wide = jnp.promote_types(made, jnp.float32)
    scores = jnp.matmul(query, jnp.swapaxes(key, -1, -2), preferred_element_type=wide) * scale
    if mask is not None:
        scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == bool else scores + mask
    if causal:
        below = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        scores = jnp.where(below, scores, -jnp.inf)
    least = float(jnp.finfo(scores.dtype).min)
    top = lax.stop_gradient(jnp.max(scores, axis=-1, keepdims=True, initial=least))
    weights = jnp.exp(scores - top)
    total = jnp.sum(weights, axis=-1, keepdims=True)
    return (weights / jnp.where(total == 0, 1, total)).astype(made)
