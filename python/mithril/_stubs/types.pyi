"""The types of arguments, for type checkers: there is no such module when a program runs."""

from collections.abc import Iterable, Mapping, Sequence
from types import EllipsisType, UnionType
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from .._core import Connection, Tensor, dtype

class SupportsKinds(Protocol):
    @property
    def __mithril_kinds__(self) -> int: ...

class SupportsDLPack(Protocol):
    def __dlpack_device__(self) -> tuple[Any, Any]: ...

Array: TypeAlias = npt.NDArray[Any] | np.generic | float | Tensor
Arrays: TypeAlias = Mapping[str, Array]
Keys: TypeAlias = Iterable[str | Connection]
Outputs: TypeAlias = str | Iterable[str] | None
# One size: a number, a name, None for any; ... or (name, ...) for any number of sizes.
Size: TypeAlias = SupportsIndex | str | EllipsisType | tuple[str, EllipsisType] | None
Shape: TypeAlias = Sequence[Size]
# Of ports: Tensor, Tensor[float], int, float | None.
PortType: TypeAlias = type | UnionType | SupportsKinds | None
# Of elements: ml.float32, "float32" or a dtype of NumPy.
DTypeLike: TypeAlias = dtype | npt.DTypeLike
# What a value is made of, and what a port is bound to. A str is the name of a key.
Value: TypeAlias = bool | float | str | dtype | slice | EllipsisType | np.generic | Items | None
Items: TypeAlias = list[Any] | tuple[Any, ...]
Operand: TypeAlias = (
    Connection | Tensor | SupportsDLPack | np.generic | float | dtype | slice | EllipsisType | Items
) | None
Binding: TypeAlias = Operand | str
Key: TypeAlias = str | Connection
