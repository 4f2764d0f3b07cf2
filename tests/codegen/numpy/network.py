# The model 'network'. It needs NumPy alone.
import math
import numpy as np


# The error function of each element.
def erf(x):
    return np.vectorize(math.erf, otypes=[np.result_type(x, np.float32)])(x)


# Linear layers.
def linear(output, input, weight, bias):
    np.matmul(input, weight.T, out=output)
    if bias is not None:
        output += bias


@np.errstate(all="ignore")
def model(inputs):
    x = inputs["x"]  # x [2, 3]
    linear_weight = inputs["linear.weight"]  # linear.weight [2, 3]
    linear_bias = inputs["linear.bias"]  # linear.bias [2]
    linear_1_weight = inputs["linear_1.weight"]  # linear_1.weight [1, 2]
    linear_1_bias = inputs["linear_1.bias"]  # linear_1.bias [1]
    hidden = np.empty((2, 2), np.float32)  # hidden [2, 2]
    linear(hidden, x, linear_weight, linear_bias)
    active = np.empty((2, 2), np.float32)  # active [2, 2]
    active[...] = hidden / 2.0 * (1.0 + erf(hidden * 0.70710677))
    y = np.empty((2, 1), np.float32)  # y [2, 1]
    linear(y, active, linear_1_weight, linear_1_bias)
    return {"y": y}
