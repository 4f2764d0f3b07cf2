"""A shift that is negative, or as wide as the element, shifts all bits out."""

import jax.numpy as jnp


def shift_left(x, shift, dtype):
    x, shift = jnp.asarray(x, dtype), jnp.asarray(shift, dtype)
    out = (shift < 0) | (shift > jnp.iinfo(dtype).bits - 1)
    return jnp.where(out, 0, x << jnp.where(out, 0, shift))
