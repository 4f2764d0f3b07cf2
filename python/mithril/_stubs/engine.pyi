"""Engines, which serve compiled models to many threads."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

from .._core import CompiledModel, Error
from ..packages.package import Package
from .types import Array, Arrays, Outputs

class PendingAnswer:
    def result(self) -> dict[str, Any]: ...
    def done(self) -> bool: ...
    def wait(self, timeout: float) -> bool: ...
    def cancel(self) -> None: ...

class Engine:
    def __init__(
        self,
        memory_limit: str | float | None = None,
        *,
        threads: int = 0,
        max_sessions: int = 1024,
        session_age: float = 600.0,
    ) -> None: ...
    def register_model(
        self,
        name: str,
        model: CompiledModel | Package | Callable[[], Any],
        params: Arrays | None = None,
        *,
        state: Arrays | None = None,
        max_batch_size: int = 1,
        max_delay: float = 0.0,
        max_queue: int = 1024,
        mask: str | None = None,
        padding: Mapping[str, Array] = ...,
        max_padding: float = 0.1,
        outputs: Outputs = None,
    ) -> None: ...
    register = register_model
    def infer(
        self,
        name: str,
        inputs: Arrays,
        *,
        timeout: float | None = None,
        session: str | None = None,
        trace: str | PathLike[str] | None = None,
    ) -> dict[str, Any]: ...
    def infer_async(
        self,
        name: str,
        inputs: Arrays,
        *,
        timeout: float | None = None,
        session: str | None = None,
    ) -> PendingAnswer: ...
    @overload
    def infer_batch(
        self,
        name: str,
        requests: Sequence[Arrays],
        *,
        timeout: float | None = None,
        return_errors: Literal[False] = False,
    ) -> list[dict[str, Any]]: ...
    @overload
    def infer_batch(
        self,
        name: str,
        requests: Sequence[Arrays],
        *,
        timeout: float | None = None,
        return_errors: Literal[True],
    ) -> list[dict[str, Any] | Error]: ...
    def list_models(self) -> list[str]: ...
    def model_info(self, name: str) -> dict[str, Any]: ...
    def unload(self, name: str) -> None: ...
    def stats(self, name: str) -> dict[str, Any]: ...
    def count_refused(self, name: str) -> None: ...
    def open_session(self, name: str, id: str = "") -> str: ...
    def close_session(self, name: str, id: str) -> None: ...
    @property
    def memory(self) -> int: ...
    def shut_down(self, timeout: float | None = None) -> None: ...
