"""What `ml.from_torch` makes of torch.einsum: a product of matrices, with axes moved before and
after."""

from __future__ import annotations

import math
from typing import Any

import torch

from .from_torch_shapes import size
from .from_torch_table import Table, refuse_if, table


def einsum(equation: str, *operands: Any) -> Any:
    single = len(operands) == 1 and isinstance(operands[0], list | tuple)
    tensors = operands[0] if single else operands
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    names = inputs.split(",")
    refuse_if(not arrow or "." in equation, "without an arrow, or with an ellipsis")
    refuse_if(any(len(set(each)) < len(each) for each in names), "with a diagonal")
    refuse_if(len(names) > 2, "of more than two tensors")
    if len(names) == 1:
        return moved(*summed(tensors[0], names[0], output), output)
    left = summed(tensors[0], names[0], names[1] + output)
    right = summed(tensors[1], names[1], names[0] + output)
    return moved(*product(left, right, output), output)


def summed(x: Any, axes: str, kept: str) -> tuple[Any, str]:
    """Over what nobody else asks for."""
    gone = tuple(i for i, letter in enumerate(axes) if letter not in kept)
    return (x.sum(gone) if gone else x), "".join(each for each in axes if each in kept)


def moved(x: Any, axes: str, wanted: str) -> Any:
    return x if axes == wanted else x.transpose(tuple(map(axes.index, wanted)))


def product(left: tuple[Any, str], right: tuple[Any, str], output: str) -> tuple[Any, str]:
    """[batch, rows, inner] @ [batch, inner, columns], each as many axes as there are."""
    (x, x_axes), (y, y_axes) = left, right
    batch = [each for each in x_axes if each in y_axes and each in output]
    inner = [each for each in x_axes if each in y_axes and each not in output]
    rows = [each for each in x_axes if each not in y_axes]
    columns = [each for each in y_axes if each not in x_axes]
    sizes = {each: size(x, i) for i, each in enumerate(x_axes)}
    sizes |= {each: size(y, i) for i, each in enumerate(y_axes) if each not in sizes}

    def shape(*groups: list[str]) -> tuple[Any, ...]:
        whole = [math.prod(sizes[each] for each in group) for group in groups]
        return (*(sizes[each] for each in batch), *whole)

    a = moved(x, x_axes, "".join(batch + rows + inner)).reshape(shape(rows, inner))
    b = moved(y, y_axes, "".join(batch + inner + columns)).reshape(shape(inner, columns))
    order = batch + rows + columns
    return (a @ b).reshape(tuple(sizes[each] for each in order)), "".join(order)


TABLE: Table = table((einsum, torch.einsum))
