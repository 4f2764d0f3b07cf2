"""Counter-based random numbers: SplitMix64 (Steele, Lea, Flood 2014) on pairs of 32 bits."""

import math

import jax.numpy as jnp

U32 = jnp.uint32


def add64(a, b):
    low = a[1] + b[1]
    return a[0] + b[0] + (low < a[1]).astype(U32), low


def xor_shifted(x, count):
    """x ^ (x >> count), for count < 32."""
    high, low = x
    return high ^ (high >> count), low ^ ((low >> count) | (high << (32 - count)))


def product32(a, b):
    """The 64 bits of the product of two numbers of 32 bits."""
    a1, a0, b1, b0 = a >> 16, a & 0xFFFF, b >> 16, b & 0xFFFF
    middle = a1 * b0 + ((a0 * b0) >> 16)
    other = a0 * b1 + (middle & 0xFFFF)
    return a1 * b1 + (middle >> 16) + (other >> 16), a * b


def times(x, factor):
    high, low = U32(factor >> 32), U32(factor & 0xFFFFFFFF)
    carried, bottom = product32(x[1], low)
    return carried + x[0] * low + x[1] * high, bottom


def mixed(x):
    x = add64(x, (U32(0x9E3779B9), U32(0x7F4A7C15)))
    x = times(xor_shifted(x, 30), 0xBF58476D1CE4E5B9)
    x = times(xor_shifted(x, 27), 0x94D049BB133111EB)
    return xor_shifted(x, 31)


def random_bits(key, index):
    """Two arrays of 32 bits, high and low, for an array of indices."""
    key = jnp.asarray(key)
    high = jnp.where(key < 0, U32(0xFFFFFFFF), U32(0))
    if key.dtype.itemsize == 8:
        high = (key >> 32).astype(U32)
    seed = mixed((high, key.astype(U32)))
    high, low = mixed((jnp.zeros_like(index, U32), index.astype(U32)))
    return mixed((high ^ seed[0], low ^ seed[1]))


def random_numbers(key, shape, step=1, offset=0):
    """In [0, 1) with 53 bits, or as many as the widest float has."""
    count = math.prod(shape)
    high, low = random_bits(key, step * jnp.arange(count, dtype=U32) + offset)
    wide = jnp.result_type(float)
    rest = (low >> 11) | ((high & 31) << 21)
    numbers = (high >> 5).astype(wide) * 2.0**-27 + rest.astype(wide) * 2.0**-53
    return jnp.reshape(numbers, shape)
