"""Functions of NumPy, PyTorch and math that are called with connections, and calls of models."""

from __future__ import annotations

from typing import Any, NoReturn

from .. import _core
from .._core import CompiledModel, Connection
from . import migration_hints

# By the name of a ufunc of two arguments: the method of a connection on the left, and on the right.
METHODS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "left_shift": ("__lshift__", "__rlshift__"),
    "right_shift": ("__rshift__", "__rrshift__"),
}
# By the name of a function: what to write. Others are methods of connections, or models.
WRITTEN = {
    "absolute": "x.abs()",
    "negative": "-x",
    "invert": "~x",
    "dot": "x @ y",
    "concatenate": "ml.Concat(axis=...)([x, y])",
    "cat": "ml.Concat(axis=...)([x, y])",
    "concat": "ml.Concat(axis=...)([x, y])",
    "stack": "ml.Concat(axis=0)([x[None], y[None]])",
    "expand_dims": "x[:, None]",
    "log": "ml.Log()(x)",
    "clip": "x.clamp(low, high)",
    "amax": "x.max(axis)",
    "amin": "x.min(axis)",
    "square": "x * x",
    "tanh": "ml.Tanh()(x)",
    "linear": "ml.Linear(dimension)(x)",
    "power": "x ** y",
    "pow": "x ** y",
    "where": "ml.Where()(mask, x, y)",
    "einsum": 'ml.Einsum("ij,jk->ik")([x, y])',
    "swapaxes": "ml.SwapAxes(0, axis2=1)(x)",
}


def _written(name: str) -> str:
    """How a model computes what the function does; empty if no name of ours is like it."""
    if name in WRITTEN:
        return WRITTEN[name]
    if name in migration_hints.CONNECTION:
        return migration_hints.CONNECTION[name]
    if not name.startswith("_") and callable(vars(Connection).get(name)):
        return f"x.{name}()"
    made = migration_hints.model_named(name)
    return f"ml.{made}()(x)" if made else ""


def _refuse(library: str, name: str) -> NoReturn:
    written = _written(name)
    _core.raise_error(
        "TypeError",
        "E0376",
        f"{library}.{name} cannot take a connection",
        help=f"write {written}"
        if written
        else "compose models of ml.models; the library computes with arrays, as evaluate returns",
    )
    raise AssertionError


def _ufunc(self: Connection, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Composes array + connection, for which NumPy calls this; refuses other functions."""
    if method == "__call__" and ufunc.__name__ in METHODS and not options:
        left, right = inputs
        forward, reflected = METHODS[ufunc.__name__]
        if isinstance(left, Connection):
            return getattr(left, forward)(right)
        return getattr(right, reflected)(left)
    _refuse("np", ufunc.__name__ + ("" if method == "__call__" else f".{method}"))


def _array_function(self: Connection, function: Any, *rest: Any) -> NoReturn:
    _refuse("np", function.__name__)


def _torch_function(cls: Any, function: Any, *rest: Any, **options: Any) -> NoReturn:
    # torch turns a TypeError into NotImplemented, so Python calls our method for `tensor + c`.
    _refuse("torch", getattr(function, "__name__", str(function)))


def _refuse_number(help: str) -> Any:
    def method(self: Connection) -> NoReturn:
        message = "a connection is not a number while composing"
        _core.raise_error("TypeError", "E0376", message, help=help)
        raise AssertionError

    return method


def _refuse_call(self: CompiledModel, *args: Any, **kwargs: Any) -> NoReturn:
    message = "a compiled model cannot be called"
    help = 'compiled.evaluate(params, {"x": array}) computes the outputs'
    _core.raise_error("TypeError", "E0306", message, help=help)
    raise AssertionError


def install() -> None:
    """Gives connections and compiled models these methods."""
    size = "x.dims[1] is a size that is known now; x.shape[1] composes"
    value = "write x.exp() in place of math.exp(x); compiled.evaluate(params, data) gives values"
    members: dict[str, Any] = {
        "__array_ufunc__": _ufunc,
        "__array_function__": _array_function,
        "__torch_function__": classmethod(_torch_function),
        "__index__": _refuse_number(size),
        "__int__": _refuse_number(size),
        "__float__": _refuse_number(value),
    }
    for name, member in members.items():
        setattr(Connection, name, member)
    setattr(CompiledModel, "__call__", _refuse_call)  # noqa: B010 - mypy refuses the other
