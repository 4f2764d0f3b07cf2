"""Tables and numbers as text, as the native command writes them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence


def table_text(rows: Sequence[Sequence[str]], form: str) -> str:
    """The table as "text", "markdown" or "csv". The first row is the header."""
    if form == "csv":
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows(rows)
        return file.getvalue().removesuffix("\n")
    if form == "markdown":
        lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
        lines.insert(1, " | ".join("---" for _ in rows[0]))
        return "\n".join(f"| {line} |" for line in lines)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def scaled(number: float, unit: str) -> str:
    """Three digits, the SI prefix and the unit: 1.23 Gop/s."""
    prefixes = ["", "k", "M", "G", "T"]
    while number >= 999.5 and len(prefixes) > 1:
        number /= 1000
        prefixes.pop(0)
    is_small = prefixes[0] == ""
    digits = 0 if is_small or number >= 99.95 else 1 if number >= 9.995 else 2
    return f"{number:.{digits}f} {prefixes[0]}{unit}"
