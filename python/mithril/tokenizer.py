"""The tokenizer of a sentence encoder, which converts text to token ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._internal.arguments import checked_kinds

__all__ = ["Tokenizer"]


class Tokenizer:
    """Converts texts to token ids by lower-case WordPiece, as most BERT models do.

    For other kinds of tokenizers use the package tokenizers.

    Args:
        tokenizer_json: contents of a tokenizer.json of Hugging Face.
        max_length: maximum number of ids of a text. 0 uses the length that the file states, if any.

    Raises:
        ParseError: If the file is not JSON, or the tokenizer is of another kind.

    Example:
        import json

        pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world"]
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        file = {
            "normalizer": {"type": "BertNormalizer", "lowercase": True, "clean_text": True,
                           "handle_chinese_chars": True, "strip_accents": None},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary,
                      "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
        }
        tokenizer = ml.Tokenizer(json.dumps(file))
        inputs = tokenizer(["Hello world"])

    See docs/packages.md.
    """

    @checked_kinds
    def __init__(self, tokenizer_json: str | bytes, *, max_length: int = 0) -> None:
        """Reads the tokenizer. Texts are cut to `max_length` ids."""
        if isinstance(tokenizer_json, str):
            tokenizer_json = tokenizer_json.encode()
        self._tokenizer = _core._Tokenizer(tokenizer_json, max_length)

    def __repr__(self) -> str:
        return "<Tokenizer WordPiece>"

    @checked_kinds
    def ids(self, text: str) -> list[int]:
        """Returns the ids of [CLS], of the pieces of the text, and of [SEP]."""
        return list(self._tokenizer.ids(text))

    @checked_kinds
    def __call__(self, texts: Sequence[str]) -> dict[str, Any]:
        """Returns the inputs of a BERT model for a batch of texts.

        Shorter texts are padded to the length L of the longest text.

        Args:
            texts: N texts.

        Returns:
            Dict with input_ids and token_type_ids (int64) and attention_mask (bool), each of shape
            [N, L].
        """
        return dict(self._tokenizer(list(texts)))
