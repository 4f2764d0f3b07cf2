"""Imported first: explains how to build the core if it is missing."""

from importlib.util import find_spec

if find_spec("mithril._core") is None:
    raise ImportError(
        "the C++ module of mithril is not built: run `make demo` in the root of the project",
        name="mithril._core",
    )
