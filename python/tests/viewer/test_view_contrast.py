"""The colours of the page: texts have a contrast of at least 4.5 to 1 on what is below them."""

from __future__ import annotations

import re

import pytest
from web_tools import ROOT

STYLE = (ROOT / "mithril" / "viewer" / "page" / "page.css").read_text(encoding="utf-8")
GROUNDS = ["canvas", "panel", "group", "folded", "box", "port"]
HEATS = [f"heat{i}" for i in range(9)]


def colours_of(theme: str) -> dict[str, str]:
    block = STYLE.split(f"color-scheme: {theme};")[1].split("}")[0]
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_have_enough_contrast(theme: str) -> None:
    colours = colours_of(theme)
    pairs = [(text, ground) for text in ("text", "muted") for ground in GROUNDS]
    pairs += [("text", heat) for heat in HEATS]
    pairs += [(text, "panel") for text in ("accent", "added", "removed", "changed")]
    found = {f"{a} on {b}": contrast(colours[a], colours[b]) for a, b in pairs}
    assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_borders_have_enough_contrast(theme: str) -> None:
    colours = colours_of(theme)
    for line in ("line", "accent", "added", "removed", "changed"):
        assert contrast(colours[line], colours["canvas"]) >= 3, line
