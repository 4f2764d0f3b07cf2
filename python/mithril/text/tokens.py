"""The part of a tokenizer that a text model needs, and the tokens that begin and end texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class TextTokenizer(Protocol):
    """A tokenizer of a text model: `ml.Tokenizer`, one of the package tokenizers, or your own.

    With a method `stream()` whose result has `push(token)` and `finish()`, it decodes tokens one by
    one. Without one, the last tokens are decoded again with each new token.

    Example:
        class Characters:
            def encode(self, text):
                return [ord(character) for character in text]

            def decode(self, tokens):
                return "".join(map(chr, tokens))

    See docs/text.md.
    """

    def encode(self, text: str) -> Sequence[int]:
        """Returns the tokens of a text, perhaps after one that begins texts.

        The text of a special token is one token.

        Example:
            class Characters:
                def encode(self, text):
                    return [ord(character) for character in text]
        """

    def decode(self, tokens: Sequence[int]) -> str:
        """Returns the text of tokens.

        Example:
            class Characters:
                def decode(self, tokens):
                    return "".join(map(chr, tokens))
        """


class SpecialTokens(NamedTuple):
    """The tokens that begin and end texts.

    `bos` and `eos` are the texts that chat templates write. `bos_id` is the token that begins a
    text, and `begins` whether it belongs before a prompt. The tokens `stop_ids` end a text.

    Example:
        tokens = ml.text.SpecialTokens(bos="<s>", eos="</s>", bos_id=1, begins=True, stop_ids=(2,))

    See docs/text.md.
    """

    bos: str = ""
    eos: str = ""
    bos_id: int | None = None
    begins: bool = False
    stop_ids: tuple[int, ...] = ()

    def begun(self, tokens: list[int], begins: bool) -> list[int]:
        """Returns the tokens with one token that begins a text, or without one.

        Example:
            special = ml.text.SpecialTokens(bos_id=1)
            assert special.begun([7, 8], True) == [1, 7, 8]
            assert special.begun([1, 7, 8], False) == [7, 8]
        """
        if self.bos_id is None:
            return tokens
        first = next((at for at, token in enumerate(tokens) if token != self.bos_id), len(tokens))
        return [self.bos_id] * begins + tokens[first:]


def encoded(tokenizer: Any, text: str) -> list[int]:
    """Returns the tokens of a text, also those of the package tokenizers, which are `ids`."""
    tokens = tokenizer.encode(text)
    return [int(token) for token in getattr(tokens, "ids", tokens)]
