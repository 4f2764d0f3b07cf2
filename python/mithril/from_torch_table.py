"""What the tables of `ml.from_torch` are made of: a builder for each thing that torch.fx meets."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ._core import Connection, Error, Model, make_model

Builder = Callable[..., Any]
Table = dict[Any, Builder]


class UnsupportedError(Exception):
    """A node that cannot be converted; its text says why."""


def internal(op: str, name: str | None = None, **arguments: Any) -> Model:
    """A part of an op that has no class: gradients and passes make it, and so do we."""
    return make_model(op, arguments, name)


def refuse_if(condition: object, what: str) -> None:
    if condition:
        raise UnsupportedError(what)


def table(*rows: tuple[Any, ...]) -> Table:
    """Of rows (builder, target, target, ...): functions, names of methods, or types of modules."""
    return {target: builder for builder, *targets in rows for target in targets}


def call(builder: Builder, draw_seed: Callable[[], int], *args: Any, **kwargs: Any) -> Any:
    """Arguments that the builder does not have are unsupported options. One that draws says so."""
    signature = inspect.signature(builder)
    if "draw_seed" in signature.parameters:
        kwargs["draw_seed"] = draw_seed
    try:
        signature.bind(*args, **kwargs)
        return builder(*args, **kwargs)
    except Error:
        raise
    except (TypeError, AttributeError, ValueError, IndexError) as error:
        raise UnsupportedError(f"with these arguments: {error}") from error


def is_bool(x: Connection) -> bool:
    """Whether it is known to hold bools."""
    return set(x.type_text.split(" or ")) <= {"bool tensor", "bool"}


def is_number(x: Connection) -> bool:
    """Whether it is known to hold ints or floats."""
    return set(x.type_text.split(" or ")) <= {"int tensor", "float tensor", "int", "float"}


def rank_of(x: Connection) -> int:
    refuse_if(x.dims is None, "the rank is not known: from_torch(shapes=...) can state it")
    return len(x.dims or [])


def along(dim: int, index: Any) -> tuple[Any, ...]:
    """What indexes one axis and leaves the others."""
    if dim >= 0:
        return (*(slice(None),) * dim, index)
    return (..., index, *(slice(None),) * (-dim - 1))


def of(builder: Builder, *names: str) -> Builder:
    """For a module that calls a function with some of its attributes. The part that is made has the
    path of the module as its name, where the function makes but one."""
    takes_name = "name" in inspect.signature(builder).parameters

    def build(part: Any, module: Any, input: Any) -> Any:
        options = {"name": part.name} if takes_name else {}
        return builder(input, *(getattr(module, name) for name in names), **options)

    return build


def as_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """One number for each axis."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * count


def weight_and_bias(part: Any, module: Any) -> tuple[Any, Any]:
    """None where the module has none."""
    weight = None if module.weight is None else part.get("weight")
    return weight, None if module.bias is None else part.get("bias")
