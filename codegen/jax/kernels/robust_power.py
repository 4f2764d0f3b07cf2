"""|base| ** exponent; below the threshold a line through 0 where the power would be steeper."""

import jax.numpy as jnp

from codegen.jax.kernels.smallest_normal import smallest_normal


def robust_power(base, exponent, threshold, dtype):
    size, exponent = jnp.abs(jnp.asarray(base, dtype)), jnp.asarray(exponent, dtype)
    threshold = jnp.asarray(smallest_normal(threshold, size), dtype)
    steep = exponent < 1 - jnp.log(threshold) / jnp.log(size)
    line = (size < threshold) & steep
    return jnp.where(line, size / threshold, jnp.power(jnp.where(line, 1, size), exponent))
