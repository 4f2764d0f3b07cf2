"""The optimizers. The core has a class for each record."""

from .. import _core

__all__ = [str(record["name"]) for record in _core.optimizer_records()]
globals().update({name: getattr(_core, name) for name in __all__})
