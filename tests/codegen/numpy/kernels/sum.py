"""Sums."""

import numpy as np

from tests.codegen.numpy.kernels.axes import with_axes


def sum(output, input, axis, keepdim):
    values, axes = with_axes(input, axis)
    output[...] = np.reshape(np.sum(values, axes), output.shape)
