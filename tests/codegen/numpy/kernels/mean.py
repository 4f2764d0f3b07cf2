"""Means."""

import numpy as np

from tests.codegen.numpy.kernels.axes import with_axes


def mean(output, input, axis, keepdim):
    values, axes = with_axes(input, axis)
    output[...] = np.reshape(np.mean(values, axes), output.shape)
