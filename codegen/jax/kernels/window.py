"""A number for each of two axes, and (before, after) for each."""


def both(numbers):
    return numbers if isinstance(numbers, tuple) else (numbers, numbers)


def window(stride, padding, dilation):
    pairs = tuple(both(numbers) for numbers in both(padding))
    return both(stride), pairs, both(dilation)
