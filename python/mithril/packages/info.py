"""Facts about a package: its ports, its files and its description."""

from __future__ import annotations

from typing import Any, NamedTuple


class PackagePort(NamedTuple):
    """A port of a packaged model.

    `shape` has numbers, names of sizes, None for a size without a name, and `...` for a run of any
    length. It is None if the rank is not known.
    """

    name: str
    dtype: Any
    shape: list[Any] | None

    @property
    def dims(self) -> list[Any] | None:
        """The old name of `shape`, until 0.2."""
        return self.shape


class PackageFile(NamedTuple):
    """A file of a package: its relative path, size and checksum."""

    name: str
    bytes: int
    sha256: str


class PackageInfo(NamedTuple):
    """The description of a package."""

    name: str
    revision: str
    created_at: str
    model_type: str
    family: str
    licence: str
    source: str
    backends: list[str]
    inputs: list[PackagePort]
    outputs: list[PackagePort]
    sizes: dict[str, int]
