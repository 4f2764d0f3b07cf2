"""The backends that a model can be compiled for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._internal import migration_hints
from .cpu import CpuBackend

if TYPE_CHECKING:
    from .jax import JaxBackend
    from .torch import TorchBackend

_MODULE_OF = {"JaxBackend": "jax", "TorchBackend": "torch"}  # imported at the first use
__all__ = ["CpuBackend", "JaxBackend", "TorchBackend"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> Any:
        if name in _MODULE_OF:
            module = import_module(f"{__name__}.{_MODULE_OF[name]}")
            value = globals()[name] = getattr(module, name)
            return value
        migration_hints.refuse("module 'mithril.backends'", name, migration_hints.MODULE, __all__)
