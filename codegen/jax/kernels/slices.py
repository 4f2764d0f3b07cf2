"""A slice for each axis of a tensor."""


def slices(ndim, starts, stops, steps, axes):
    axes = range(len(starts)) if axes is None else axes
    steps = [None] * len(starts) if steps is None else steps
    made = [slice(None)] * ndim
    for axis, *bounds in zip(axes, starts, stops, steps, strict=True):
        made[axis] = slice(*bounds)
    return tuple(made)
