"""How notebooks show compiled models."""

from __future__ import annotations

from html import escape

from ._core import CompiledModel


def _html(self: CompiledModel) -> str:
    """The drawing of the model, and the summary of what was compiled."""
    source = vars(self).get("_source")  # a bound model has none
    drawing = source[0]._repr_html_() if source else ""
    summary = f"<details><summary>summary</summary><pre>{escape(self.summary())}</pre></details>"
    return f"<div><code>{escape(repr(self))}</code>{drawing}{summary}</div>"


def install() -> None:
    """Gives compiled models the method that notebooks call."""
    CompiledModel._repr_html_ = _html  # type: ignore[method-assign]
