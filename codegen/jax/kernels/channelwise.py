"""A vector with an element for each channel, the second axis of x, to broadcast with x."""

import jax.numpy as jnp


def channelwise(vector, x):
    return None if vector is None else jnp.reshape(vector, (-1, *[1] * (x.ndim - 2)))
