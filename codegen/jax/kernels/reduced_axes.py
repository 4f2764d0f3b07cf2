"""The axes of a reduction, counted from the start."""


def reduced_axes(axis, ndim):
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(index % ndim for index in axes)
