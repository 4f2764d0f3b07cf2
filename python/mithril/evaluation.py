"""The old name of `ml.metrics`, until 0.2."""

from .metrics import *  # noqa: F403
from .metrics import __all__  # noqa: F401
