"""A registry of sources by name, which opens them when they are first used."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._core import wrong_argument
from .._internal.arguments import checked, checked_kinds
from .._internal.registry import LazyRegistry
from .open import OPENED_FILES, from_arrays, from_torch
from .source import DataSource
from .torch import is_dataset

__all__ = ["SourcesRegistry", "load", "register", "registry"]

EXPECTED = "a source, a dict of arrays, a path of a .csv or .safetensors file, or a function"


class SourcesRegistry(LazyRegistry[DataSource]):
    """Maps names to sources, and opens them when they are first used.

    `ml.data.registry` is the registry of the program. A registry is thread-safe.

    Example:
        registry = ml.data.SourcesRegistry()
        registry.register("points", lambda: ml.data.from_arrays(data).shuffle(seed=1))
        batch = next(registry.load("points").read_batches(4))

    See docs/data.md.
    """

    _noun = "source"

    @checked
    def __init__(self) -> None:
        super().__init__()

    @checked_kinds
    def register(self, name: str, source: Any, *, replace: bool = False) -> None:
        """Registers a source under a name. It is opened when it is first used.

        With `replace` callers that have loaded the old source keep it.

        Args:
            name: the name.
            source: a source; a dict of arrays; path of a .csv or .safetensors file; or a function
                that returns one of these, a Dataset or a DataLoader of PyTorch.
            replace: whether the source replaces an older one of this name.

        Raises:
            NameError: If the name is registered already, unless `replace` is set.

        Example:
            registry = ml.data.SourcesRegistry()
            ml.save_safetensors("rows.safetensors", data)
            registry.register("points", "rows.safetensors")
            rows = registry.load("points").rows
        """
        self._add(name, _opener(source), replace)

    @checked_kinds
    def load(self, name: str) -> DataSource:
        """Returns a source.

        The first call opens it; other threads wait for it, and all get the same source. After an
        error the next call tries again.

        Args:
            name: a registered name.

        Raises:
            NameError: If the name is not registered.
            StateError: If the source loads itself.

        Example:
            registry = ml.data.SourcesRegistry()
            registry.register("points", lambda: ml.data.from_arrays(data))
            assert registry.load("points").rows == 8
        """
        return self._loaded(name)


def _opener(source: Any) -> Callable[[], DataSource]:
    """Returns the function that opens a source."""
    opened = _opened(source)
    if opened is not None:
        return opened
    if callable(source):
        return lambda: _of_function(source())
    wrong_argument("register", "source", EXPECTED, source)
    raise AssertionError


def _opened(source: Any) -> Callable[[], DataSource] | None:
    """Returns the function that opens a source, a dict or a path; None for anything else."""
    if isinstance(source, DataSource):
        return lambda: source
    if isinstance(source, Mapping):
        return lambda: from_arrays(source)
    if isinstance(source, (str, os.PathLike)):
        open_file = OPENED_FILES.get(Path(source).suffix)
        return None if open_file is None else lambda: open_file(source)
    return None


def _of_function(made: Any) -> DataSource:
    """Returns the source of the result of a function."""
    opened = _opened(made)
    if opened is not None:
        return opened()
    if is_dataset(made):
        return from_torch(made)
    wrong_argument("register", "the result of source", "a source, or what makes one", made)
    raise AssertionError


registry = SourcesRegistry()


@checked_kinds
def register(name: str, source: Any, *, replace: bool = False) -> None:
    """Registers a source in `ml.data.registry`.

    Args:
        name: the name.
        source: a source; a dict of arrays; path of a .csv or .safetensors file; or a function that
            returns one of these, a Dataset or a DataLoader of PyTorch.
        replace: whether the source replaces an older one of this name.

    Raises:
        NameError: If the name is registered already, unless `replace` is set.

    Example:
        ml.data.register("points", data, replace=True)
        batch = next(ml.data.load("points").read_batches(4))

    See docs/data.md.
    """
    registry.register(name, source, replace=replace)


@checked_kinds
def load(name: str) -> DataSource:
    """Returns a source of `ml.data.registry`, which the first call opens.

    Args:
        name: a registered name.

    Raises:
        NameError: If the name is not registered.
        StateError: If the source loads itself.

    Example:
        ml.data.register("shuffled", lambda: ml.data.from_arrays(data).shuffle(1), replace=True)
        batches = ml.data.load("shuffled").batch(4)

    See docs/data.md.
    """
    return registry.load(name)
