"""Imported first: explains how to build the core if it is missing."""

from importlib.util import find_spec

if find_spec("mithril._core") is None:
    # No ml.Error with a code: its class is in the module that is missing.
    raise ImportError(
        "the C++ module of mithril is not built: run `make demo` in the root of the project",
        name="mithril._core",
    )
