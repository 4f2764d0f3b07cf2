"""Complex tensors of modules that `ml.from_torch` converts: a model has their real and imaginary
parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from .. import models as ml
from .._core import Connection
from .builders import (
    Builder,
    NodeContext,
    as_float,
    call,
    internal_op,
    is_float,
    refuse_if,
    tensor,
    widened,
)


@dataclass(frozen=True)
class Complex:
    """A complex tensor, or a complex number."""

    real: Any
    imaginary: Any

    @property
    def dims(self) -> Any:
        return self.real.dims

    @property
    def shape(self) -> Any:
        return self.real.shape

    def size(self) -> Any:
        return self.real.size()


def mapped(function: Callable[[Any], Any], x: Any) -> Any:
    """An argument of an operator with other leaves."""
    if isinstance(x, list | tuple):
        return [mapped(function, value) for value in x]
    return function(x)


def leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, list | tuple):
        for value in x:
            yield from leaves(value)
    else:
        yield x


def has_complex(*arguments: Any) -> bool:
    """Whether a value, or a tensor of torch, is complex."""
    return any(
        isinstance(leaf, Complex | complex)
        or (isinstance(leaf, torch.Tensor) and leaf.is_complex())
        for leaf in leaves(arguments)
    )


def of_pairs(x: Connection) -> Complex:
    """A tensor with an axis of size 2 after the last one of torch's."""
    return Complex(x[..., 0], x[..., 1])


def pairs_of(x: Complex) -> Connection:
    parts = [ml.ExpandDims(axis=-1)(tensor(part)) for part in (x.real, x.imaginary)]
    joined: Connection = ml.Concat(axis=-1)(parts)
    return joined


def as_complex(x: Any) -> Complex:
    if isinstance(x, Complex):
        return x
    if isinstance(x, Connection):
        real = as_float(x)
        return Complex(real, internal_op("ZerosLike")(real))
    return Complex(complex(x).real, complex(x).imag)


# The same operator for both parts.


def real_part(x: Any) -> Any:
    return part_of(x, "real")


def part_of(x: Any, which: str) -> Any:
    """The real or imaginary part of a value or of a tensor of torch; the dtype of the parts."""
    if isinstance(x, Complex):
        return getattr(x, which)
    if isinstance(x, torch.Tensor) and x.is_complex():
        return x.real
    return x.to_real() if isinstance(x, torch.dtype) and x.is_complex else x


def real_site(at: NodeContext) -> NodeContext:
    output = mapped(real_part, at.output)
    return replace(at, inputs=tuple(mapped(real_part, at.inputs)), output=output, name=None)


def partwise(row: Builder) -> Builder:
    def build(*args: Any, at: NodeContext, **kwargs: Any) -> Any:
        site = real_site(at)
        real, imaginary = (
            call(
                row,
                site,
                *mapped(lambda x: part_of(x, which), args),  # noqa: B023 - called in the same step
                **{
                    key: mapped(lambda x: part_of(x, which), value)  # noqa: B023
                    for key, value in kwargs.items()
                },
            )
            for which in ("real", "imaginary")
        )
        if isinstance(real, list | tuple):
            return tuple(Complex(*parts) for parts in zip(real, imaginary, strict=True))
        return Complex(real, imaginary)

    return build


def joined(*places: int) -> Callable[[Builder], Builder]:
    """An operator that joins tensors and numbers, complex ones and others, at these places."""

    def of(row: Builder) -> Builder:
        def build(*args: Any, at: NodeContext, **kwargs: Any) -> Any:
            given = [
                mapped(as_complex, argument) if i in places and argument is not None else argument
                for i, argument in enumerate(args)
            ]
            return partwise(row)(*given, at=at, **kwargs)

        return build

    return of


def added(row: Builder) -> Builder:
    def build(self: Any, other: Any, alpha: Any = 1, *, at: NodeContext) -> Any:
        refuse_if(isinstance(alpha, complex), "with a complex alpha")
        return joined(0, 1)(row)(self, other, alpha=alpha, at=at)

    return build


def real_alone(row: Builder) -> Builder:
    """The row gives the real part, and the imaginary one is 0."""

    def build(*args: Any, at: NodeContext, **kwargs: Any) -> Any:
        named = {key: real_part(value) for key, value in kwargs.items()}
        return as_complex(call(row, real_site(at), *mapped(real_part, args), **named))

    return build


def cast(row: Builder) -> Builder:
    """Casts to a complex dtype, or to a real one without the imaginary part."""

    def build(self: Any, *options: Any, at: NodeContext, **named: Any) -> Any:
        if not has_complex(at.output):
            return call(row, real_site(at), self.real)
        return (partwise if isinstance(self, Complex) else real_alone)(row)(self, at=at)

    return build


def each_part(function: Callable[[Any], Any], x: Any) -> Any:
    if isinstance(x, Complex):
        return Complex(function(x.real), function(x.imaginary))
    return function(x)


def rounded_once(function: Builder) -> Builder:
    """Makes the function compute half precision in float32, so that it rounds once."""

    def build(*args: Any, **options: Any) -> Any:
        parts = [
            part
            for leaf in leaves(args)
            for part in ((leaf.real, leaf.imaginary) if isinstance(leaf, Complex) else (leaf,))
        ]
        like = [part for part in parts if isinstance(part, Connection) and is_float(part)]

        def narrowed(x: Any) -> Any:
            return internal_op("Narrow")(input=x, like=like) if like else x

        wide = [mapped(lambda x: each_part(widened, x), argument) for argument in args]
        return each_part(narrowed, function(*wide, **options))

    return build
