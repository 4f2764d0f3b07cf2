"""A language model or an encoder with its tokenizer: text in, text or vectors out."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from .._core import CompiledModel
from .._stubs.types import Arrays
from .chat_template import ChatTemplate, Message
from .embedding import BatchTokenizer
from .tokens import SpecialTokens, TextTokenizer

class TextModel:
    compiled: CompiledModel
    tokenizer: TextTokenizer | BatchTokenizer
    params: dict[str, Any]
    special_tokens: SpecialTokens
    def __init__(
        self,
        compiled: CompiledModel,
        tokenizer: TextTokenizer | BatchTokenizer,
        *,
        params: Arrays | None = None,
        chat_template: ChatTemplate | str | None = None,
        special_tokens: SpecialTokens | None = None,
    ) -> None: ...
    @property
    def chat_template(self) -> ChatTemplate | None: ...
    @overload
    def __call__(
        self,
        prompt: str,
        max_tokens: int = 128,
        *,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        stop: str | Sequence[str] | None = None,
    ) -> str: ...
    @overload
    def __call__(
        self,
        prompt: list[str] | tuple[str, ...],
        max_tokens: int = 128,
        *,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        stop: str | Sequence[str] | None = None,
    ) -> list[str]: ...
    def stream(
        self,
        prompt: str,
        max_tokens: int = 128,
        *,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        stop: str | Sequence[str] | None = None,
    ) -> Iterator[str]: ...
    def chat(
        self,
        messages: Sequence[Message],
        max_tokens: int = 128,
        *,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        stop: str | Sequence[str] | None = None,
    ) -> str: ...
    def stream_chat(
        self,
        messages: Sequence[Message],
        max_tokens: int = 128,
        *,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 0,
        stop: str | Sequence[str] | None = None,
    ) -> Iterator[str]: ...
    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[Any]]: ...
