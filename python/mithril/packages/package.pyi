"""Packages: a model, its parameters and its description as a folder or a .zip file of one."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from .._core import Backend, CompiledModel, Model, _Package
from .._stubs.types import Arrays, Shape
from .info import PackageFile as PackageFile
from .info import PackageInfo as PackageInfo
from .info import PackagePort as PackagePort

class Package(_Package):
    @property
    def info(self) -> PackageInfo: ...
    @property
    def files(self) -> list[PackageFile]: ...
    @property
    def has_model(self) -> bool: ...
    @property
    def model(self) -> Model: ...
    def backend_options(self, backend: str) -> dict[str, Any]: ...
    def compile(
        self,
        backend: Backend | None = None,
        *,
        bind: bool = True,
        shapes: Mapping[Any, Shape] | None = None,
        optimization_level: Literal["none", "standard", "max", "default"] = "standard",
        jit: bool = True,
        cache: bool = False,
    ) -> CompiledModel: ...

def save_package(
    path: str | PathLike[str],
    model: Model | CompiledModel,
    params: Arrays,
    *,
    state: Arrays | None = None,
    backends: Sequence[str] | Mapping[str, Any] = (),
    assets: Mapping[str, Any] | Sequence[str | PathLike[str]] = (),
    data_keys: Sequence[str] = (),
    shapes: Mapping[str, Shape] | None = None,
    outputs: Sequence[str] | None = None,
    name: str = "",
    revision: str = "",
    model_type: str = "",
    family: str = "",
    licence: str = "",
    source: str = "",
    sizes: Mapping[str, int] | None = None,
    max_shard_bytes: int = 0,
) -> None: ...
def load_package(
    path: str | PathLike[str],
    backend: Backend | str | None = None,
    *,
    verify: Literal["full", "lazy"] = "full",
    allow_native_code: bool = False,
) -> Package: ...
def copy_package(source: str | PathLike[str], target: str | PathLike[str]) -> None: ...
