"""Linear layers."""

import numpy as np


def linear(output, input, weight, bias):
    np.matmul(input, weight.T, out=output)
    if bias is not None:
        output += bias
