"""Badges of the README: facts of the project's own files."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BADGE = """<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img">
<title>{left}: {right}</title>
<rect width="{all}" height="20" rx="3" fill="#555"/>
<path d="M{split} 0h{rest}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{rest}z" fill="#0969da"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">
<text x="{left_middle}" y="14">{left}</text>
<text x="{right_middle}" y="14">{right}</text>
</g>
</svg>
"""


def badge(left: str, right: str) -> str:
    """A word on grey beside a word on blue."""
    split, width = 7 * len(left) + 10, 7 * len(right) + 10
    return BADGE.format(
        all=split + width,
        split=split,
        rest=width - 3,
        left=left,
        right=right,
        left_middle=split / 2,
        right_middle=split + width / 2,
    )


def fact(file: str, pattern: str) -> str:
    """What the pattern finds in a file of the project."""
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"))
    assert found, f"{file} has no {pattern}"
    return found[1]


def badges() -> dict[str, str]:
    """The badges by name."""
    return {
        "badge_checks": badge("checks", ".ci/run"),
        "badge_licence": badge("licence", fact("pyproject.toml", r'license = "(.*)"')),
        "badge_python": badge(
            "Python", fact("pyproject.toml", r'requires-python = ">=(.*)"') + "+"
        ),
        "badge_cpp": badge("C++", fact("cmake/MithrilTargets.cmake", r"CXX_STANDARD (\d+)")),
    }
