"""Text from language models."""

from collections.abc import Callable, Sequence
from typing import Any, overload

from .._core import CompiledModel
from .types import Array, Arrays

@overload
def generate(
    compiled: CompiledModel,
    params: Arrays,
    prompt: Sequence[int],
    max_tokens: int = 128,
    *,
    temperature: float = 0.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    stop: int | Sequence[int] | None = None,
    stream: Callable[[int, int], Any] | None = None,
) -> list[int]: ...
@overload
def generate(
    compiled: CompiledModel,
    params: Arrays,
    prompt: Sequence[Sequence[int]],
    max_tokens: int = 128,
    *,
    temperature: float = 0.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    stop: int | Sequence[int] | None = None,
    stream: Callable[[int, int], Any] | None = None,
) -> list[list[int]]: ...
@overload
def generate(
    compiled: CompiledModel,
    params: Arrays,
    prompt: Array,
    max_tokens: int = 128,
    *,
    temperature: float = 0.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    stop: int | Sequence[int] | None = None,
    stream: Callable[[int, int], Any] | None = None,
) -> list[Any]: ...
