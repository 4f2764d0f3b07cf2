"""The tokenizer of a sentence encoder: text as ids of pieces of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._internal.arguments import checked_kinds

__all__ = ["Tokenizer"]


class Tokenizer:
    """WordPiece without capital letters, as most BERT models have it, from the contents of a
    tokenizer.json of Hugging Face. The package tokenizers reads those of other kinds.

    Example:
        tokenizer = ml.Tokenizer(package.file("tokenizer.json"))
        outputs = compiled.evaluate({}, tokenizer(["Hello world"]))
    """

    @checked_kinds
    def __init__(self, tokenizer_json: str | bytes, *, max_length: int = 0) -> None:
        """Texts are cut to max_length ids; 0: to the length that the file states, if any."""
        if isinstance(tokenizer_json, str):
            tokenizer_json = tokenizer_json.encode()
        self._tokenizer = _core._Tokenizer(tokenizer_json, max_length)

    def __repr__(self) -> str:
        return "<Tokenizer WordPiece>"

    @checked_kinds
    def ids(self, text: str) -> list[int]:
        """[CLS], the pieces of the text, [SEP]."""
        return list(self._tokenizer.ids(text))

    @checked_kinds
    def __call__(self, texts: Sequence[str]) -> dict[str, Any]:
        """The inputs of a BERT model for N texts, the longest of which has L ids: input_ids and
        token_type_ids (int64) and attention_mask (bool) [N, L]. Shorter texts are padded."""
        return dict(self._tokenizer(list(texts)))
