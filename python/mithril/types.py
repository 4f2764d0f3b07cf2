"""The class Tensor, and the types of ports: Tensor[float], Tensor[int | float]."""

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
    """The type of a port that holds a tensor with these kinds of elements."""

    __mithril_kinds__: int

    def __init__(self, kinds: int, text: str) -> None:
        self.__mithril_kinds__ = kinds
        self._text = text

    def __repr__(self) -> str:
        return self._text


class ExactTensorType(TensorType):
    """The type of a port that holds a tensor of one dtype."""

    def __init__(self, dtype: _core.dtype) -> None:
        kind = "bool" if dtype.name == "bool" else "float" if "float" in dtype.name else "int"
        super().__init__(_core._kinds[kind], f"Tensor[{dtype.name}]")
        self.__mithril_dtype__ = dtype


class Tensor(_core.Tensor):
    """A tensor: a value of a port, and the array type of dtypes that NumPy lacks.

    `Tensor[float]` and `Tensor[int | float]` are types of ports. `Tensor[ml.float64]` is the type
    of a port whose tensor has this dtype, on every backend. A tensor has the methods of NumPy
    arrays. Methods that move elements return tensors. Methods that compute return what NumPy
    returns.

    Example:
        scale = ml.Tensor([[1.0, 2.0], [3.0, 4.0]])
        model.set_types(x=ml.Tensor[float])
        model |= ml.Multiply()(left="y", right=scale[0], output="scaled")

    See docs/semantics.md.
    """

    __mithril_kinds__ = _core._kinds["any"]

    def __class_getitem__(cls, elements: Any) -> TensorType:
        if isinstance(elements, _core.dtype):
            return ExactTensorType(elements)
        kinds = 0
        for element in elements.__args__ if isinstance(elements, UnionType) else (elements,):
            found = [kind for known, kind in _KINDS.items() if known is element]
            if not found:
                _core.raise_error(
                    "TypeError",
                    "E0372",
                    f"there are no tensors of {getattr(element, '__name__', element)}",
                    facts=[
                        (
                            "expected",
                            "bool, int, float, these joined by |, Any, or a dtype: ml.uint8",
                        )
                    ],
                )
            kinds |= found[0]
        return TensorType(kinds, f"Tensor[{getattr(elements, '__name__', elements)}]")
