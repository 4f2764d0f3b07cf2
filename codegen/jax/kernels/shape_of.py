"""A shape that may be given as an int."""


def shape_of(shape):
    return shape if isinstance(shape, tuple) else (shape,)
