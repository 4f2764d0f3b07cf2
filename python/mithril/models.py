"""The library of models: a class for each record of the core.

Each class takes its first argument by position or by name, and all others by name; `name=` for the
name of the part, and tensors for its ports. Libraries put the other arguments in different orders,
so a position would be ambiguous.
"""

from typing import TYPE_CHECKING

from ._core import Connection, IOKey, Model, TrainModel  # noqa: F401 - found here, too
from ._internal import migration_hints
from ._internal.model_classes import make_class
from ._internal.records import public_records

_records = public_records()
__all__ = sorted(record["name"] for record in _records)  # noqa: PLE0605
migration_hints.add_model_names(__all__)
for _record in _records:
    globals()[_record["name"]] = make_class(_record)

if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> None:
        migration_hints.refuse("module 'mithril.models'", name, migration_hints.MODULE, __all__)
