"""base ** exponent; of ints with a negative exponent towards zero."""

import jax.numpy as jnp


def power(base, exponent):
    made = jnp.result_type(base, exponent)
    if jnp.issubdtype(made, jnp.floating):
        return jnp.power(base, exponent)
    base, exponent = jnp.asarray(base, made), jnp.asarray(exponent, made)
    odd = jnp.where(exponent % 2 == 0, 1, -1)
    fraction = jnp.where(base == -1, odd, (base == 1).astype(made))
    return jnp.where(exponent < 0, fraction, jnp.power(base, jnp.maximum(exponent, 0)))
