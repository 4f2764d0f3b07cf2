"""What code for the Python library of this name asks for, and what it is called here."""

from typing import Any, NoReturn

from . import _core

MODULE = {
    "NumpyBackend": "CpuBackend, whose arrays are NumPy's",
    "CBackend": "CpuBackend",
    "GGMLBackend": "CpuBackend",
    "JaxBackend": "CpuBackend or TorchBackend",
    "MlxBackend": "CpuBackend or TorchBackend",
    "TBD": "leaving the argument out",
}
COMPILED = {
    "evaluate_all": "evaluate(params, data, output_gradients=...), which gives both",
    "evaluate_gradients": "evaluate(params, data, output_gradients=...), which gives outputs and "
    "gradients",
}


def refuse(owner: str, name: str, known: dict[str, str]) -> NoReturn:
    hint = f": use {known[name]}" if name in known else ""
    raise AttributeError(f"{owner} has no attribute {name!r}{hint}")


def of_compiled(compiled: _core.CompiledModel, name: str) -> Any:
    refuse("a compiled model", name, COMPILED)


_core.CompiledModel.__getattr__ = of_compiled  # type: ignore[attr-defined]
