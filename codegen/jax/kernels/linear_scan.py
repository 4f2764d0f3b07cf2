"""state[t] = decay[t] * state[t - 1] + x[t]; exclusive: the state before each step."""

import jax.numpy as jnp
from jax import lax


def linear_scan(x, decay, axis, reverse, exclusive):
    if x.size == 0:
        return x

    def step(state, now):
        following = now[0] * state + now[1]
        return following, state if exclusive else following

    steps = (jnp.moveaxis(decay, axis, 0), jnp.moveaxis(x, axis, 0))
    start = jnp.zeros_like(steps[1][0])
    return jnp.moveaxis(lax.scan(step, start, steps, reverse=reverse)[1], 0, axis)
