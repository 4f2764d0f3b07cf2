"""The axes in another order, which a vector may give as an int; None reverses them."""

import jax.numpy as jnp


def permuted(x, axes):
    return jnp.transpose(x, (axes,) if isinstance(axes, int) else axes)
