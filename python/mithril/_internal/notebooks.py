"""How notebooks show compiled models."""

from __future__ import annotations

from .._core import CompiledModel


def _html(self: CompiledModel) -> str:
    """The drawing of the model, and the summary of what was compiled."""
    from html import escape  # noqa: PLC0415 - only notebooks need it

    model, revision, *_ = vars(self).get("_source") or (None, None)  # a bound model has none
    drawing = ""
    if model is not None and model._revision == revision:  # it may have changed since
        drawing = model._repr_html_()
    summary = f"<details><summary>summary</summary><pre>{escape(self.summary())}</pre></details>"
    return f"<div><code>{escape(repr(self))}</code>{drawing}{summary}</div>"


def install() -> None:
    """Gives compiled models the method that notebooks call."""
    CompiledModel._repr_html_ = _html  # type: ignore[method-assign]
