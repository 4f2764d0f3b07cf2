"""The distinct elements, sorted; the rest of the output repeats the last one."""

import jax.numpy as jnp


def unique(x, size):
    if x.size == 0:
        return jnp.zeros(size, x.dtype)
    x = jnp.sort(jnp.ravel(x))
    first = jnp.concatenate([jnp.ones(1, bool), x[1:] != x[:-1]])
    return jnp.full(size, x[-1]).at[jnp.cumsum(first) - 1].set(x, mode="drop")
