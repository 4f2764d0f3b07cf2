"""The number of elements that are reduced to one."""

import math

from codegen.jax.kernels.reduced_axes import reduced_axes


def reduced_count(shape, axis):
    return math.prod(shape[index] for index in reduced_axes(axis, len(shape)))
