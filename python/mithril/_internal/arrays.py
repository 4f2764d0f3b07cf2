"""Arrays of NumPy, torch and JAX: conversion, names of dtypes, and errors of methods that make
them."""

import functools
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from .. import _core
from .arguments import checked

Method = TypeVar("Method", bound=Callable[..., Any])


def name_of_dtype(dtype: Any) -> str:
    """Returns "float32" for ml.float32, "float32", and the dtypes of NumPy, torch and JAX."""
    if isinstance(dtype, _core.dtype):
        return str(dtype.name)
    if isinstance(dtype, str) or type(dtype).__module__ == "torch":
        return str(dtype).rsplit(".", maxsplit=1)[-1]
    return str(np.dtype(dtype).name)


def numpy_array(value: Any) -> Any:
    """Returns the value as an array of NumPy. Tensors of bfloat16 become exact floats."""
    if name_of_library(value) == "torch" and name_of_dtype(value.dtype) == "bfloat16":
        return value.detach().float().cpu().numpy()
    return np.array(value)


def as_array(value: Any) -> Any:
    """Converts a tensor of PyTorch, an array or numbers to a NumPy array, if possible as a view.

    A masked array keeps its mask, which evaluation refuses.
    """
    if type(value) is np.ndarray or isinstance(value, np.ma.MaskedArray):
        return value
    if not hasattr(value, "detach"):
        return np.asarray(value)
    try:
        return value.numpy()  # a tensor of PyTorch
    except (TypeError, RuntimeError):  # on another device, with gradients, or of bfloat16
        value = value.detach().cpu()
        # NumPy has no bfloat16, and float32 has all its numbers.
        return (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()


def name_of_library(value: Any) -> str:
    """Returns the name of the package that has the class of the value, such as "torch"."""
    return type(value).__module__.partition(".")[0]


def makes_array(method: Method) -> Method:
    """Wraps a method so that errors of the array library become errors of Mithril.

    They become TypeError E0377, ValueError E0488, or OutOfMemoryError E1102.
    """

    @functools.wraps(method)
    def make(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except _core.Error:
            raise
        except MemoryError as error:
            _raise("OutOfMemoryError", "E1102", "there is not enough memory", error)
        except IndexError as error:
            _raise_index_error(method.__name__, error)
        except (TypeError, AttributeError) as error:
            _raise("TypeError", "E0377", f"{method.__name__}: no array has these arguments", error)
        except (ValueError, ArithmeticError, RuntimeError) as error:
            _raise("ValueError", "E0488", f"{method.__name__}: no array has these values", error)

    return checked(make)  # type: ignore[return-value]


class RefusedIndexError(_core.ValueError, IndexError):
    """Error E0488 for an index out of range. As an IndexError it ends loops over sequences."""


def _raise_index_error(name: str, cause: IndexError) -> NoReturn:
    try:
        _raise("ValueError", "E0488", f"{name}: the array has no such element", cause)
    except _core.ValueError as error:
        refused = RefusedIndexError(str(error))
        vars(refused).update(vars(error))
        raise refused from cause


def _raise(kind: str, code: str, message: str, cause: Exception) -> NoReturn:
    why = str(cause).split("\n", maxsplit=1)[0]
    try:
        _core.raise_error(kind, code, message, facts=[("why", why)])
    except _core.Error as error:
        raise error from cause
