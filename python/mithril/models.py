"""The library of models: a class for each record of the core, made when it is first used.

Each class takes its first argument by position or by name, and all others by name; `name=` for the
name of the part, and tensors for its ports. Libraries put the other arguments in different orders,
so a position would be ambiguous.
"""

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Connection, IOKey, Model, TrainModel  # noqa: F401 - found here, too
from ._internal import migration_hints

__all__ = sorted(_core.public_names())  # noqa: PLE0605
migration_hints.add_model_names(__all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            migration_hints.refuse("module 'mithril.models'", name, migration_hints.MODULE, __all__)
        from ._internal.model_classes import class_named  # noqa: PLC0415 - at the first use

        # One class, even if two threads make it.
        return globals().setdefault(name, class_named(name))
