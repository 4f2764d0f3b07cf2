"""Softmax along an axis: exp(x) divided by its sum."""

import numpy as np

from tests.codegen.numpy.kernels.axes import with_axes


def softmax(output, input, axis):
    values, along = with_axes(input.astype(output.dtype), axis)
    exponentials = np.exp(values - np.max(values, along, keepdims=True, initial=-np.inf))
    sums = np.sum(exponentials, along, keepdims=True)
    output[...] = np.reshape(exponentials / sums, output.shape)
