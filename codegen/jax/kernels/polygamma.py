"""The derivative of the digamma function of this order."""

import functools
import math

import jax
import jax.numpy as jnp


def digamma(x):
    """By the asymptotic series (Abramowitz and Stegun, 6.3.18), and by reflection below 0."""
    fraction = x - jnp.floor(x)
    mirrored = jnp.where(x < 0, 1 - x, jnp.where(x == 0, 1, x))
    before = jnp.zeros_like(x)
    for _ in range(10):
        small = mirrored < 10
        before = before - jnp.where(small, 1 / mirrored, 0)
        mirrored = jnp.where(small, mirrored + 1, mirrored)
    series = 0
    for coefficient in (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        series = (series + coefficient) / jnp.square(mirrored)
    right = before + jnp.log(mirrored) - 0.5 / mirrored - series
    inside = jnp.where(fraction == 0, 0.5, fraction)
    left = jnp.where(fraction == 0, jnp.nan, right - math.pi / jnp.tan(math.pi * inside))
    pole = jnp.where(jnp.signbit(x), jnp.inf, -jnp.inf).astype(x.dtype)
    return jnp.where(x == 0, pole, jnp.where(x < 0, left, right))


def hurwitz_zeta(s, x):
    """The sum of (x + k) ** -s for k = 0, 1, ..., by the Euler-Maclaurin formula, for x > 0."""
    total = 0
    for k in range(12):
        total = total + (x + k) ** -s
    x = x + 12
    rest = x**-s
    total = total + rest * x / (s - 1) + rest / 2
    factor = rest * s / x
    divisors = (12, -720, 30240, -1209600, 47900160, -1307674368000 / 691, 74724249600)
    for j, divisor in enumerate((*divisors, -10670622842880000 / 3617)):
        total = total + factor / divisor
        factor = factor * ((s + 2 * j + 1) * (s + 2 * j + 2)) / jnp.square(x)
    return total


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def polygamma(x, order):
    if order == 0:
        return digamma(x)
    s, sign = order + 1.0, -1 if order % 2 == 0 else 1
    fraction = x - jnp.floor(x)
    inside = jnp.where(fraction == 0, 0.5, fraction)
    # The terms below 0 are a difference of two sums above 0.
    below = hurwitz_zeta(s, 1 - inside) - hurwitz_zeta(s, jnp.where(x > 0, 1, 1 - x))
    left = jnp.where(fraction == 0, jnp.inf, hurwitz_zeta(s, inside) + sign * below)
    right = hurwitz_zeta(s, jnp.where(x > 0, x, 1))
    return sign * math.gamma(s) * jnp.where(x > 0, right, left)


@polygamma.defjvp
def polygamma_jvp(order, values, tangents):
    return polygamma(values[0], order), tangents[0] * polygamma(values[0], order + 1)
