"""The methods of tensors, which are those of NumPy's arrays.

Methods that move elements return tensors of the same dtype. Methods that compute return what NumPy
returns; elements of bfloat16, a dtype that NumPy lacks, are computed in float32.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterator
from numbers import Number
from typing import Any

import numpy as np

from .. import _core
from .._core import Tensor
from .arrays import makes_array

BFLOAT16 = _core.dtype.bfloat16
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
LOW_BIT = {_core.dtype(n) for n in (*FLOAT8, "float4_e2m1fn", "int4", "uint4", "int2", "uint2")}


def _low_bit_array(tensor: Tensor) -> Any:
    """The elements as an array of a dtype of the package ml_dtypes, which shares them."""
    try:
        import ml_dtypes  # noqa: PLC0415 - an optional package
    except ImportError as error:
        name = tensor.dtype.name
        raise ImportError(
            f"arrays of {name} need the package ml_dtypes: install it, or cast the tensor first"
        ) from error
    return _bits(tensor).view(getattr(ml_dtypes, tensor.dtype.name))


def _bits(tensor: Tensor) -> Any:
    """The elements as an array, of dtypes that NumPy lacks as uint16 and uint8."""
    _ = tensor.dtype  # raises an error of Mithril if the tensor was never initialised
    return tensor._bits()


def _like(tensor: Tensor, elements: Any) -> Tensor:
    """A tensor of these elements, which moving those of `tensor` gave; shares them if it can."""
    return Tensor._of_bits(np.ascontiguousarray(elements).reshape(np.shape(elements)), tensor.dtype)


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """The array that np.asarray makes of it; float32 if it is bfloat16."""
    if self.dtype in LOW_BIT:
        shared = _low_bit_array(self)
    else:
        shared = _bits(self) if self.dtype != BFLOAT16 else _bits(Tensor(self, "float32"))
    is_new = self.dtype == BFLOAT16
    if dtype is not None and shared.dtype != dtype:
        shared, is_new = shared.astype(dtype), True
    if copy is False and is_new:
        raise ValueError(
            f"a {self.dtype.name} tensor gives an array of {shared.dtype} only as a copy"
        )
    return shared.copy() if copy and not is_new else shared


def _numpy(self: Tensor) -> Any:
    """Returns a NumPy array of the same shape that shares the memory.

    NumPy has no bfloat16: elements of it are copied as float32.

    Raises:
        ImportError: If NumPy lacks the dtype, such as int4, and ml_dtypes is not installed.

    Example:
        array = ml.Tensor([[1.0, 2.0], [3.0, 4.0]]).numpy()
        assert array.shape == (2, 2)
    """
    return np.asarray(self)


def _copied(self: Tensor) -> Tensor:
    """Returns a tensor of the same shape and dtype with its own elements.

    Example:
        copy = ml.Tensor([1.0, 2.0]).copy()
    """
    return _like(self, _bits(self).copy())


def _cast(self: Tensor, dtype: Any) -> Tensor:
    """Returns a tensor of the same shape with its own elements, converted to a dtype.

    Raises:
        NameError: If the dtype is unknown.

    Example:
        half = ml.Tensor([1.0, 2.0]).astype("bfloat16")
        assert half.dtype == ml.bfloat16
    """
    return Tensor(self, dtype)


def _item_at(self: Tensor, index: Any) -> Tensor:
    if isinstance(index, Tensor):
        index = np.asarray(index)
    return _like(self, _bits(self)[index])


def _set_item(self: Tensor, index: Any, value: Any) -> None:
    if isinstance(index, Tensor):
        index = np.asarray(index)
    _bits(self)[index] = _bits(Tensor(value, self.dtype))


def _length(self: Tensor) -> int:
    return len(_bits(self))


def _contains(self: Tensor, value: Any) -> bool:
    return value in np.asarray(self)


def _iterate(self: Tensor) -> Iterator[Tensor]:
    return (_like(self, bit) for bit in _bits(self))


def _represents(self: Tensor, form: str) -> str:
    return format(self.numpy(), form) if form else str(self)


def _doc(name: str, text: str, of_result: str, arguments: str, result: str) -> str:
    made = f"tensor.{name}({arguments})"
    check = f"np.array_equal({made}, {result})"
    return inspect.cleandoc(f"""Returns {text}, as `numpy.ndarray.{name}` does.

        {of_result}

        Raises:
            ValueError: If NumPy refuses the arguments, such as an axis that is out of range.

        Example:
            tensor = ml.Tensor([[1.0, 2.0], [3.0, 4.0]])
            assert {check}
        """)


def _moved(name: str, text: str, arguments: str, result: str) -> Callable[..., Tensor]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return _like(self, getattr(_bits(self), name)(*args, **kwargs))

    method.__doc__ = _doc(
        name, text, "The result is a tensor of the same dtype.", arguments, result
    )
    return method


def _computed(name: str, text: str, arguments: str, result: str) -> Callable[..., Any]:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.numpy(), name)(*args, **kwargs)

    of_result = "The result is that of NumPy. Elements of bfloat16 are computed in float32."
    method.__doc__ = _doc(name, text, of_result, arguments, result)
    return method


def _converted(name: str) -> Callable[[Tensor], Any]:
    def method(self: Tensor) -> Any:
        return getattr(self.numpy(), name)()

    return method


def _rounded(result: Any, *operands: Any) -> Any:
    """The result in bfloat16 if the operands were bfloat16 and numbers."""
    floats = isinstance(result, (np.ndarray, np.generic)) and result.dtype == np.float32
    kept = all(
        operand.dtype == BFLOAT16
        if isinstance(operand, Tensor)
        else type(operand) in (bool, int, float)
        for operand in operands
    )
    return Tensor(result, BFLOAT16) if floats and kept else result


def _binary(operation: Callable[[Any, Any], Any], swapped: bool) -> Callable[..., Any]:
    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, Number, np.ndarray, np.generic)):
            return NotImplemented  # a connection composes
        left, right = (other, self) if swapped else (self, other)
        arrays = [side.numpy() if isinstance(side, Tensor) else side for side in (left, right)]
        return _rounded(operation(*arrays), self, other)

    return method


def _unary(operation: Callable[[Any], Any]) -> Callable[[Tensor], Any]:
    def method(self: Tensor) -> Any:
        return _rounded(operation(self.numpy()), self)

    return method


def _named(method: Any, name: str) -> Any:
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    return method


# By method: what it returns, and its arguments and result in the example.
MOVE = {
    "reshape": ("the elements in another shape", "4", "[1, 2, 3, 4]"),
    "ravel": ("the elements with shape [N]", "", "[1, 2, 3, 4]"),
    "flatten": ("a copy of shape [N]", "", "[1, 2, 3, 4]"),
    "squeeze": ("the tensor without axes of size 1", "", "[[1, 2], [3, 4]]"),
    "transpose": (
        "the tensor with its axes, and their sizes, in another order",
        "1, 0",
        "[[1, 3], [2, 4]]",
    ),
    "swapaxes": ("the tensor with two axes, and their sizes, swapped", "0, 1", "[[1, 3], [2, 4]]"),
    "take": ("the elements at indices, with the shape of the indices", "[1], axis=0", "[[3, 4]]"),
    "repeat": (
        "each element several times, which multiplies the size",
        "2, axis=0",
        "[[1, 2], [1, 2], [3, 4], [3, 4]]",
    ),
}
COMPUTE = {
    "item": ("one element as a number", "1, 0", "3"),
    "tolist": ("the elements as nested lists", "", "[[1, 2], [3, 4]]"),
    "sum": ("sums over an axis or all axes", "axis=0", "[4, 6]"),
    "mean": ("means over an axis or all axes", "axis=0", "[2, 3]"),
    "prod": ("products over an axis or all axes", "axis=0", "[3, 8]"),
    "std": ("standard deviations over an axis or all axes", "axis=0", "[1, 1]"),
    "var": ("variances over an axis or all axes", "axis=1", "[0.25, 0.25]"),
    "min": ("the least elements over an axis or all axes", "axis=0", "[1, 2]"),
    "max": ("the largest elements over an axis or all axes", "axis=0", "[3, 4]"),
    "any": ("whether any element is true, over an axis or all axes", "axis=0", "[True, True]"),
    "all": ("whether all elements are true, over an axis or all axes", "axis=0", "[True, True]"),
    "argmin": ("the indices of the least elements", "axis=1", "[0, 0]"),
    "argmax": ("the indices of the largest elements", "axis=1", "[1, 1]"),
    "argsort": ("the indices that sort the elements", "axis=1", "[[0, 1], [0, 1]]"),
    "cumsum": ("cumulative sums", "axis=1", "[[1, 3], [3, 7]]"),
    "round": ("the elements, rounded to a number of decimals", "0", "[[1, 2], [3, 4]]"),
    "clip": ("the elements, limited to a range", "2, 3", "[[2, 2], [3, 3]]"),
    "nonzero": (
        "the indices of elements that are not 0, by axis",
        "",
        "([0, 0, 1, 1], [0, 1, 0, 1])",
    ),
}
CONVERT = ("__float__", "__int__", "__bool__", "__index__", "__complex__")
BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "matmul": operator.matmul,
}
COMPARE = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}
UNARY: dict[str, Callable[[Any], Any]] = {"neg": operator.neg, "pos": operator.pos, "abs": np.abs}
PROPERTIES: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "ndim": (lambda tensor: len(tensor.shape), "The number of axes."),
    "size": (lambda tensor: math.prod(tensor.shape), "The number of elements."),
    "itemsize": (lambda tensor: _bits(tensor).itemsize, "The bytes of an element."),
    "nbytes": (lambda tensor: _bits(tensor).nbytes, "The bytes of all elements."),
    "T": (lambda tensor: tensor.transpose(), "The axes in the reverse order."),
}


def install() -> None:
    """Gives the tensors of the core these methods."""
    members: dict[str, Any] = {
        "__array__": _array,
        "__getitem__": _item_at,
        "__setitem__": _set_item,
        "__len__": _length,
        "__contains__": _contains,
        "__iter__": _iterate,
        "__format__": _represents,
        "numpy": _numpy,
        "copy": _copied,
        "astype": _cast,
    }
    members |= {name: _moved(name, *shown) for name, shown in MOVE.items()}
    members |= {name: _computed(name, *shown) for name, shown in COMPUTE.items()}
    members |= {name: _converted(name) for name in CONVERT}
    for name, operation in BINARY.items():
        members[f"__{name}__"] = _binary(operation, swapped=False)
        members[f"__r{name}__"] = _binary(operation, swapped=True)
    for name, compare in COMPARE.items():
        members[f"__{name}__"] = _binary(compare, swapped=False)
    members |= {f"__{name}__": _unary(made) for name, made in UNARY.items()}
    members |= {name: property(get, None, None, doc) for name, (get, doc) in PROPERTIES.items()}
    for name, member in members.items():
        is_plain = isinstance(member, property) or name == "__array__"
        setattr(Tensor, name, member if is_plain else makes_array(_named(member, name)))
