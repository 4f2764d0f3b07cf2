"""The error function of each element."""

import math

import numpy as np


def erf(x):
    return np.vectorize(math.erf, otypes=[np.result_type(x, np.float32)])(x)
