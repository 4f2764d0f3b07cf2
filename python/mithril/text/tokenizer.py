"""Tokenizers, which convert text to token ids and back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .. import _core
from .._internal.arguments import checked_kinds

__all__ = ["TextStream", "Tokenizer"]


class TextStream:
    """Returns the text of token ids that arrive one by one. `Tokenizer.stream()` makes it.

    A character is returned when it is complete. U+FFFD, which takes the place of bytes that are not
    UTF-8, is returned with the next other character.

    Example:
        stream = tokenizer.stream()
        for token in tokenizer.encode("Hello world"):
            print(stream.push(token), end="")
        print(stream.finish())

    See docs/generation.md.
    """

    def __init__(self, stream: Any) -> None:
        """Keeps the stream of the core."""
        self._stream = stream

    @checked_kinds
    def push(self, token: int) -> str:
        """Returns the text that is complete with this token, which may be empty."""
        return str(self._stream.push(token))

    def finish(self) -> str:
        """Returns the rest of the text, at the end."""
        return str(self._stream.finish())


class Tokenizer:
    """Converts texts to token ids and back, by a tokenizer.json of Hugging Face.

    It reads byte-pair encoding (GPT-2, Llama, Mistral, Qwen2, Gemma), WordPiece (BERT) and Unigram
    (T5), and gives the ids and texts of the package tokenizers. It does not change: any thread may
    use it.

    Args:
        source: the path of a tokenizer.json, or of a folder with a tokenizer.json, or with
            vocab.json and merges.txt of GPT-2. Bytes, and a str that begins with `{`, are the
            contents of a tokenizer.json.
        max_length: maximum number of ids of a text. 0 uses the length that the file states, if any.

    Raises:
        InputError: If the file cannot be read.
        ParseError: If the file is not JSON, or the tokenizer is of another kind.
        ValueError: If `max_length` is negative.

    Example:
        import json

        pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world"]
        vocabulary = {piece: number for number, piece in enumerate(pieces)}
        file = {
            "normalizer": {"type": "BertNormalizer", "lowercase": True, "clean_text": True,
                           "handle_chinese_chars": True, "strip_accents": None},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary,
                      "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
        }
        tokenizer = ml.Tokenizer(json.dumps(file))
        ids = tokenizer.encode("Hello world")
        text = tokenizer.decode(ids)
        inputs = tokenizer(["Hello world"])

    See docs/generation.md and docs/packages.md.
    """

    @checked_kinds
    def __init__(self, source: str | bytes | os.PathLike[str], *, max_length: int = 0) -> None:
        """Reads the tokenizer. Texts are cut to `max_length` ids."""
        if max_length < 0:
            message = f"Tokenizer: max_length is {max_length}, expected at least 0"
            _core.raise_error("ValueError", "E0406", message)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            source = source.encode()
        if isinstance(source, bytes):
            self._tokenizer = _core._Tokenizer(source, max_length)
        else:
            self._tokenizer = _core._Tokenizer.load(os.fspath(source), max_length)

    def __repr__(self) -> str:
        return f"<Tokenizer {self._tokenizer.kind()}, {self.vocab_size} tokens>"

    @property
    def vocab_size(self) -> int:
        """The number of tokens, with added tokens."""
        return int(self._tokenizer.vocab_size())

    @checked_kinds
    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Returns the ids of the tokens of a text.

        Added tokens, such as `<s>`, are found in the text.

        Args:
            text: any text.
            add_special_tokens: whether to put the special tokens of the file around the text, such
                as [CLS] and [SEP], or `<s>`.

        Raises:
            ParseError: If the text needs the unknown token of a file that has none.

        Example:
            assert tokenizer.encode("Hello world") == [2, 4, 5, 3]
        """
        return list(self._tokenizer.encode(text, add_special_tokens))

    @checked_kinds
    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        """Returns the text of token ids.

        Ids that the tokenizer does not have add no text.

        Args:
            ids: ids of tokens.
            skip_special_tokens: whether to leave out special tokens.

        Example:
            assert tokenizer.decode([4, 5]) == "hello world"
        """
        return str(self._tokenizer.decode(list(ids), skip_special_tokens))

    @checked_kinds
    def stream(self, *, skip_special_tokens: bool = True) -> TextStream:
        """Returns a stream for the text of token ids that arrive one by one.

        Example:
            stream = tokenizer.stream()
            text = "".join(stream.push(id) for id in [4, 5]) + stream.finish()
        """
        return TextStream(_core._TextStream(self._tokenizer, skip_special_tokens))

    @checked_kinds
    def id(self, token: str) -> int | None:
        """Returns the id of a token such as `<s>`, or None if there is none.

        Example:
            assert tokenizer.id("[CLS]") == 2
        """
        found: int | None = self._tokenizer.id(token)
        return found

    @checked_kinds
    def token(self, id: int) -> str | None:
        """Returns the token of an id as the vocabulary writes it, or None if there is none.

        Example:
            assert tokenizer.token(4) == "hello"
        """
        found: str | None = self._tokenizer.token(id)
        return found

    @property
    def begin_of_text(self) -> list[int]:
        """The ids of the special tokens before each text, such as that of `<s>`."""
        return list(self._tokenizer.begin_of_text())

    @checked_kinds
    def ids(self, text: str) -> list[int]:
        """Returns `encode(text)`.

        Raises:
            ParseError: If the text needs the unknown token of a file that has none.

        Example:
            assert tokenizer.ids("Hello world") == [2, 4, 5, 3]
        """
        return self.encode(text)

    @checked_kinds
    def __call__(self, texts: Sequence[str]) -> dict[str, Any]:
        """Returns the inputs of a model for a batch of texts.

        Shorter texts are padded to the length L of the longest text, on the right unless the
        padding of the file has the direction "Left".

        Args:
            texts: N texts.

        Returns:
            Dict with input_ids and token_type_ids (int64) and attention_mask (bool), each of shape
            [N, L].
        """
        return dict(self._tokenizer(list(texts)))
