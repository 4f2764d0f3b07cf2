"""Builders for the registry of `ml.from_torch`: one for each operator of ATen."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from .. import _core
from .. import models as ml
from .._core import Connection, Error, Model, make_model
from .._core import dtype as widths

Builder = Callable[..., Any]
Table = dict[str, Builder]


class UnsupportedError(Exception):
    """A node that cannot be converted; its text says why."""


@dataclass
class UnsupportedOutput:
    """An output that no op computes; an error where it is read."""

    what: str


@dataclass
class LazyOutput:
    """An output that is seldom read, and computed where it is."""

    compute: Callable[[], Any]


@dataclass
class NodeContext:
    """Facts about the node that is converted, for builders that have a parameter `at`."""

    inputs: tuple[Any, ...]  # torch's fake tensors and numbers, one per argument of the node
    nodes: tuple[Any, ...]  # the arguments in torch's graph: nodes, numbers and lists of them
    output: Any  # torch's fake tensor, a number, or a tuple of them
    main: torch.dtype  # floats of this dtype get the default dtype of the backend
    training: bool
    name: str | None  # for the part that computes the output of a layer
    draw_seed: Callable[[], int]
    random_key: Callable[[], Connection]  # a state that changes with each evaluation
    constant: Callable[[int], torch.Tensor | None]  # the elements of an argument, where fixed


def internal_op(op: str, name: str | None = None, **arguments: Any) -> Model:
    """A part of an op that has no class: gradients and passes make it, and so do we."""
    return make_model(op, arguments, name)


def refuse_if(condition: object, what: str) -> None:
    if condition:
        raise UnsupportedError(what)


def table(*rows: tuple[Any, ...]) -> Table:
    """Rows of (builder, operator, operator, ...). "add" means all overloads without a row of
    their own, "add.Tensor" one."""
    return {operator: builder for builder, *operators in rows for operator in operators}


WIDE: set[Builder] = set()


def wide(builder: Builder) -> Builder:
    """Marks a builder that composes several ops. In half precision they compute in float32, and
    their result is rounded once, as torch's operators do."""
    WIDE.add(builder)
    return builder


@cache
def parameters_of(builder: Builder) -> frozenset[str]:
    return frozenset(inspect.signature(builder).parameters)


IGNORED = frozenset(["layout", "device", "pin_memory", "memory_format", "non_blocking"])


def call(builder: Builder, site: NodeContext, *args: Any, **kwargs: Any) -> Any:
    """Arguments that the builder lacks are unsupported options; where tensors are kept has no
    meaning for a model."""
    names = parameters_of(builder)
    options = {key: value for key, value in kwargs.items() if key in names or key not in IGNORED}
    extra = {"at": site, "name": site.name}
    options |= {key: value for key, value in extra.items() if key in names}
    try:
        if builder in WIDE:
            return computed_wide(builder, site, args, options)
        return builder(*args, **options)
    except Error:
        raise
    except (TypeError, AttributeError, ValueError, IndexError, KeyError) as error:
        raise UnsupportedError(f"with these arguments: {error}") from error


def computed_wide(builder: Builder, site: NodeContext, args: Any, options: dict[str, Any]) -> Any:
    given = {key: widened(value) for key, value in options.items()}
    made = builder(*map(widened, args), **given)
    tensors = [
        (argument, torch_one.dtype)
        for argument, torch_one in zip(args, site.inputs, strict=False)
        if isinstance(torch_one, torch.Tensor) and isinstance(argument, Connection)
    ]
    if not isinstance(made, list | tuple):
        return narrowed(made, site.output, tensors)
    return [narrowed(*pair, tensors) for pair in zip(made, site.output, strict=False)]


def widened(x: Any) -> Any:
    is_tensor = isinstance(x, Connection) and set(x.type_text.split(" or ")) == {"float tensor"}
    return internal_op("Widen")(x) if is_tensor else x


def sum_of_products(x: Connection, y: Connection, axis: int | None = None) -> Any:
    """Sums products like torch's dot, which rounds only the sum."""
    total = (widened(x) * widened(y)).sum(axis)
    like = [value for value in (x, y) if is_float(value)]
    return internal_op("Narrow")(input=total, like=like) if like else total


def narrowed(x: Any, expected: Any, given: list[tuple[Connection, torch.dtype]]) -> Any:
    """Converts x to the dtype of the inputs that have the dtype of the result in torch, if any."""
    if not isinstance(x, Connection) or not is_float(x) or not isinstance(expected, torch.Tensor):
        return x
    like = [value for value, dtype in given if dtype == expected.dtype]
    return internal_op("Narrow")(input=x, like=like) if like else x


def is_kind(x: Any, kind: str, python: type | tuple[type, ...]) -> bool:
    if isinstance(x, Connection):
        return set(x.type_text.split(" or ")) <= {f"{kind} tensor", kind}
    return isinstance(x, python)


def is_bool(x: Any) -> bool:
    return is_kind(x, "bool", bool)


def is_float(x: Any) -> bool:
    return is_kind(x, "float", float)


def as_float(x: Any) -> Any:
    """Ints and bools as floats of the backend's default dtype."""
    return x if is_float(x) else x * 1.0


def width_of(dtype: torch.dtype) -> Any:
    ours = getattr(widths, str(dtype).removeprefix("torch."), None)
    refuse_if(ours is None, f"{str(dtype).removeprefix('torch.')}, a dtype that Mithril lacks")
    return ours


def converted(x: Any, source: torch.dtype, target: torch.dtype, main: torch.dtype) -> Any:
    """A cast. Ints become floats of the module's own dtype by arithmetic, so that a model of a
    float32 module can be compiled for float64, too."""
    if source == target:
        return x
    if target == main and not source.is_floating_point:
        return as_float(x)
    return x.cast(width_of(target))


def dtype_option(dtype: torch.dtype | None, main: torch.dtype) -> Any:
    """The `dtype` of ops that create tensors; None is the backend's default float."""
    return None if dtype is None or dtype == main else width_of(dtype)


def dtype_of(value: Any) -> torch.dtype | None:
    return value.dtype if isinstance(value, torch.Tensor) else None


def rank_of(x: Connection) -> int:
    refuse_if(x.dims is None, "with an input of unknown rank")
    return len(x.dims or [])


def shape(x: Connection) -> tuple[Any, ...]:
    """Numbers where they are known, connections elsewhere."""
    return tuple(x.shape[i] if dim is None else dim for i, dim in enumerate(x.dims or []))


def from_zero(indices: Connection, count: Any) -> Connection:
    """Moves negative indices out of range: torch refuses them, and ours would count from the
    end."""
    moved: Connection = ml.Where()(indices < 0, indices - count, indices)
    return moved


def size(x: Connection, dim: int) -> Any:
    known = (x.dims or [])[dim]
    return x.shape[dim] if known is None else known


def axis_of(dim: int, rank: int) -> int:
    return dim % rank if rank else 0


def along(dim: int, index: Any) -> tuple[Any, ...]:
    """The index of a tensor that applies `index` along one axis."""
    if dim >= 0:
        return (*(slice(None),) * dim, index)
    return (..., index, *(slice(None),) * (-dim - 1))


def as_tuple(value: Any, count: int) -> tuple[Any, ...]:
    """One number for each axis; torch writes [2] for [2, 2], too."""
    given = tuple(value) if isinstance(value, list | tuple) else (value,)
    return given * count if len(given) == 1 else given


def tensor(x: Any) -> Any:
    """A number as a tensor, where an op takes no numbers."""
    return x if isinstance(x, Connection) else ml.ToTensor()(x)


def array_of(given: torch.Tensor) -> _core.Tensor:
    """A copy, since models do not change; bfloat16 has no array of NumPy."""
    there = given.detach().cpu().clone()
    narrow = there.is_floating_point() and there.element_size() < torch.float32.itemsize
    return _core.Tensor((there.float() if narrow else there).numpy())


def constant_of(given: torch.Tensor) -> Any:
    return ml.Buffer()(_core.IOKey(value=array_of(given)))
