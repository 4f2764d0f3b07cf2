"""Products of matrices, whose leading axes are broadcast."""

import numpy as np


def matmul(output, left, right):
    np.matmul(left, right, out=output)
