"""Text of tokens that arrive one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # of the bytes of a character that is not complete


class Decoder:
    """Decodes tokens one by one, and returns characters when they are complete.

    It uses `tokenizer.stream()` where there is one. Otherwise it decodes the last tokens again with
    each new one, because the text of a token may depend on the token before it.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._stream = tokenizer.stream() if hasattr(tokenizer, "stream") else None
        self._tokens: list[int] = []  # from those of the last piece on
        self._returned = 0  # the number of them whose text was returned

    def push(self, token: int) -> str:
        """Returns the text that a token completes, which may be empty."""
        if self._stream is not None:
            return str(self._stream.push(token))
        self._tokens.append(token)
        piece = self._new_text()
        if not piece or piece.endswith(REPLACEMENT):
            return ""
        self._tokens = self._tokens[self._returned :]
        self._returned = len(self._tokens)
        return piece

    def finish(self) -> str:
        """Returns the text of the tokens at the end that complete no character."""
        return str(self._stream.finish()) if self._stream is not None else self._new_text()

    def _new_text(self) -> str:
        before = self._tokenizer.decode(self._tokens[: self._returned])
        return str(self._tokenizer.decode(self._tokens))[len(before) :]


class StopTextFinder:
    """Cuts a text that arrives in pieces before the first of several texts."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = stops
        self._kept = ""  # the end of the text that may be the beginning of a stop text
        self.found = False

    def push(self, piece: str) -> str:
        """Returns the text that no stop text can contain. Sets `found` at a stop text."""
        text = self._kept + piece
        places = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if places:
            self.found = True
            self._kept = ""
            return text[: min(places)]
        size = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._kept = text[len(text) - size :]
        return text[: len(text) - size]

    def finish(self) -> str:
        """Returns what was kept back."""
        return self._kept


def _overlap(text: str, stop: str) -> int:
    """Returns the length of the longest end of the text with which the stop text begins."""
    sizes = range(min(len(text), len(stop) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(stop[:size])), 0)
