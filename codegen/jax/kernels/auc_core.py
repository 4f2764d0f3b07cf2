"""The points of a receiver operating characteristic; equal scores make one point."""

import jax.numpy as jnp


def auc_core(scores, labels):
    order = jnp.argsort(-scores)
    falling, positive = -scores[order], labels[order]
    last = jnp.searchsorted(falling, falling, side="right") - 1
    found, wrong = jnp.cumsum(positive)[last], jnp.cumsum(~positive)[last]
    made = scores.dtype
    rates = [found / jnp.sum(positive, dtype=made), wrong / jnp.sum(~positive, dtype=made)]
    return jnp.stack(rates).astype(made)
