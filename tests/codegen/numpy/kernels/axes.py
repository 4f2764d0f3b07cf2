"""Inputs and axes as NumPy takes them: a number is an array of one axis."""

import numpy as np


def with_axes(input, axis):
    if axis is None:
        return input, None
    return np.atleast_1d(input), tuple(axis) if isinstance(axis, (list, tuple)) else axis
