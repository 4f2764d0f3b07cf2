"""Facts about a package: its ports, its files and its description."""

from typing import Any, NamedTuple

from .._core import dtype

class PackagePort(NamedTuple):
    name: str
    dtype: dtype
    shape: list[Any] | None
    @property
    def dims(self) -> list[Any] | None: ...

class PackageFile(NamedTuple):
    name: str
    bytes: int
    sha256: str

class PackageInfo(NamedTuple):
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
