"""-1, 0 or 1; 0 of NaN."""


def sign(x):
    return (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)
