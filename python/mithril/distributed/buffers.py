"""Arrays of NumPy and tensors of torch as the bytes that processes exchange."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core import wrong_argument
from .._internal.arrays import name_of_dtype


def is_torch(array: Any) -> bool:
    """Returns whether the array is a tensor of torch, without an import of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def as_array(call: str, value: Any) -> Any:
    """Returns a tensor of torch as it is, and anything else as an array of NumPy."""
    if is_torch(value):
        return value
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # lists of different lengths
        array = np.array(None)
    if array.dtype.hasobject:
        wrong_argument(call, "arrays", "an array or a dict of arrays", value)
    return array


def described(array: Any) -> str:
    """Returns the dtype and the shape: "float32[2, 3]"."""
    return f"{name_of_dtype(array.dtype)}{list(array.shape)}"


def flat(arrays: list[Any]) -> Any:
    """Returns the elements of arrays of one dtype in one new array."""
    if is_torch(arrays[0]):
        torch = sys.modules["torch"]
        return torch.cat([array.detach().cpu().reshape(-1) for array in arrays])
    return np.concatenate([array.reshape(-1) for array in arrays])


def bytes_of(array: Any) -> np.ndarray:
    """Returns the bytes of an array that `flat` has made, which share its memory."""
    if is_torch(array):
        array = array.view(sys.modules["torch"].uint8).numpy()
    return np.asarray(array).view(np.uint8)


def like(elements: Any, array: Any, shape: Any) -> Any:
    """Returns flat elements in the shape, on the device of the array."""
    made = elements.reshape(tuple(shape))
    return made.to(array.device) if is_torch(array) else made


def items_of(call: str, arrays: Any) -> dict[str, Any]:
    """Returns the arrays of a dict by their names, or one array under the name "array"."""
    if isinstance(arrays, Mapping):
        return {str(name): as_array(call, array) for name, array in arrays.items()}
    return {"array": as_array(call, arrays)}


def in_form_of(arrays: Any, items: dict[str, Any]) -> Any:
    """Returns the items as a dict, or as one array, as they were given."""
    return items if isinstance(arrays, Mapping) else items["array"]
