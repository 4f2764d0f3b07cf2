"""Names of objects that are made when they are first loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from .._core import raise_error, unknown_name
from .arguments import checked_kinds

Item = TypeVar("Item")


def check_new(noun: str, name: str, is_known: bool, replace: bool) -> None:
    """Raises NameError E0629 if the name is known and must not be replaced."""
    if is_known and not replace:
        article = "an" if noun[0] in "aeiou" else "a"
        raise_error(
            "NameError",
            "E0629",
            f"register: there is {article} {noun} '{name}' already",
            help="choose another name, or pass replace=True",
        )


def refuse_unknown(noun: str, name: str, known: list[str]) -> None:
    """Raises NameError E0628 with the nearest names."""
    unknown_name("E0628", f"{noun} in the registry", name, known)


class Entry(Generic[Item]):
    """A registered object."""

    def __init__(self, make: Callable[[], Item]) -> None:
        self.make = make
        self.loaded: Item | None = None
        self.lock = threading.Lock()  # held while it is loaded
        self.loader = 0  # the thread that loads it


class LazyRegistry(Generic[Item]):
    """Maps names to objects, and makes each once, when it is first loaded. It is thread-safe."""

    _noun = "object"  # what errors call an object

    def __init__(self) -> None:
        self._entries: dict[str, Entry[Item]] = {}
        self._lock = threading.Lock()  # guards the entries and what they hold

    def _add(self, name: str, make: Callable[[], Item], replace: bool) -> None:
        """Registers a function under a name. NameError E0629."""
        with self._lock:
            check_new(self._noun, name, name in self._entries, replace)
            self._entries[name] = Entry(make)

    def _loaded(self, name: str) -> Item:
        """Returns the object. The first call makes it. NameError E0628, StateError E0931."""
        with self._lock:
            entry = self._entry(name)
        if entry.loader == threading.get_ident():
            message = f"load: the source of '{name}' loads '{name}' itself"
            raise_error("StateError", "E0931", message)
        with entry.lock:
            if entry.loaded is None:
                entry.loader = threading.get_ident()
                try:
                    entry.loaded = entry.make()
                finally:
                    entry.loader = 0
            return entry.loaded

    @property
    def names(self) -> list[str]:
        """The registered names, sorted."""
        with self._lock:
            return sorted(self._entries)

    @checked_kinds
    def is_loaded(self, name: str) -> bool:
        """Returns whether the name was loaded.

        Raises:
            NameError: If the name is not registered.

        Example:
            registry = ml.data.SourcesRegistry()
            registry.register("points", lambda: ml.data.from_arrays(data))
            assert not registry.is_loaded("points")
        """
        with self._lock:
            return self._entry(name).loaded is not None

    @checked_kinds
    def unregister(self, name: str) -> None:
        """Removes a name. Callers that have loaded its object keep it.

        Raises:
            NameError: If the name is not registered.

        Example:
            registry = ml.data.SourcesRegistry()
            registry.register("points", lambda: ml.data.from_arrays(data))
            registry.unregister("points")
            assert "points" not in registry
        """
        with self._lock:
            self._entry(name)
            del self._entries[name]

    def __contains__(self, name: object) -> bool:
        with self._lock:
            return name in self._entries

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self.names) or 'empty'}>"

    def _entry(self, name: str) -> Entry[Item]:
        if name not in self._entries:
            refuse_unknown(self._noun, name, sorted(self._entries))
        return self._entries[name]
