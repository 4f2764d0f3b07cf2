"""A shift that is negative, or as wide as the element, shifts all bits but the sign out."""

import jax.numpy as jnp


def shift_right(x, shift, dtype):
    x, shift = jnp.asarray(x, dtype), jnp.asarray(shift, dtype)
    last = jnp.iinfo(dtype).bits - 1
    return x >> jnp.where((shift < 0) | (shift > last), last, shift)
