"""The options that choose the tokens of a text, and their checks."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._core import raise_error, wrong_argument
from .._internal.arguments import checked_kinds


class Sampling(NamedTuple):
    """The options of `ml.generate`, with texts that end an answer in place of tokens."""

    max_tokens: int
    temperature: float
    top_k: int
    top_p: float
    seed: int
    stop: tuple[str, ...]

    def of_generate(self) -> dict[str, Any]:
        """Returns the options that `ml.generate` takes by these names."""
        options = self._asdict()
        del options["stop"]
        return options


def _checked(
    who: str,
    max_tokens: int = 128,
    *,
    temperature: float = 0.0,
    top_k: int = 0,
    top_p: float = 1.0,
    seed: int = 0,
    stop: str | Sequence[str] | None = None,
) -> Sampling:
    """Returns the options. ValueError E0406 for one out of range, TypeError E0395 for stop texts of
    another type."""

    def require(holds: bool, option: str, got: object, expected: str) -> None:
        if not holds:
            raise_error("ValueError", "E0406", f"{who}: {option} is {got}, expected {expected}")

    require(max_tokens >= 1, "max_tokens", max_tokens, "at least 1")
    is_finite = 0 <= temperature <= sys.float_info.max
    require(is_finite, "temperature", temperature, "at least 0")
    require(top_k >= 0, "top_k", top_k, "at least 0")
    require(0 < top_p <= 1, "top_p", top_p, "above 0 and at most 1")
    require(seed >= 0, "seed", seed, "at least 0")
    stops = (stop,) if isinstance(stop, str) else tuple(stop or ())
    for text in stops:
        if not isinstance(text, str):
            wrong_argument(who, "stop", "text or a list of texts", stop)
        require(text != "", "stop", repr(text), "a text that is not empty")
    return Sampling(max_tokens, float(temperature), top_k, float(top_p), seed, stops)


_OPTIONS = list(inspect.signature(_checked).parameters.values())[1:]


def sampled(method: Callable[..., Any]) -> Any:
    """Replaces the last parameter of a method, a `Sampling`, by its checked options."""
    *own, _ = inspect.signature(method).parameters.values()
    signature = inspect.Signature([*own, *_OPTIONS])
    who = "TextModel" if method.__name__ == "__call__" else method.__name__

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        first = [given.pop(parameter.name) for parameter in own]
        return method(*first, _checked(who, **given))

    call.__signature__ = signature  # type: ignore[attr-defined]
    return checked_kinds(call)
