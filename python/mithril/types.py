"""Tensor values, and the types of ports: Tensor[float], Tensor[int | float]."""

from types import UnionType
from typing import Any

from . import _core

_KINDS: dict[Any, int] = {
    bool: _core._kinds["bool"],
    int: _core._kinds["int"],
    float: _core._kinds["float"],
    Any: _core._kinds["any"],
}


class TensorType:
    """The type of a port that holds a tensor of these kinds of elements."""

    def __init__(self, kinds: int, text: str) -> None:
        self.__mithril_kinds__ = kinds
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Tensor(_core.Tensor):
    """A tensor value: Tensor(3.0), Tensor([[1, 2], [3, 4]]), Tensor(array)."""

    __mithril_kinds__ = _core._kinds["any"]

    def __class_getitem__(cls, elements: Any) -> TensorType:
        kinds = 0
        for element in elements.__args__ if isinstance(elements, UnionType) else (elements,):
            found = [kind for known, kind in _KINDS.items() if known is element]
            if not found:
                _core.raise_error(
                    "TypeError",
                    "E0372",
                    f"there are no tensors of {getattr(element, '__name__', element)}",
                    facts=[("expected", "bool, int, float, these joined by |, or Any")],
                )
            kinds |= found[0]
        return TensorType(kinds, f"Tensor[{getattr(elements, '__name__', elements)}]")
