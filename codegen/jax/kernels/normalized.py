"""(x - mean) * rstd, and weight and bias where they are given."""


def normalized(x, mean, rstd, weight, bias):
    y = (x - mean) * rstd
    y = y if weight is None else y * weight
    return y if bias is None else y + bias
