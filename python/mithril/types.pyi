"""Tensor values, and the types of ports."""

from typing import Any, Generic

from typing_extensions import TypeVar

from . import _core

_Element = TypeVar("_Element", default=Any)

class Tensor(_core.Tensor, Generic[_Element]): ...
