"""SVG texts that are readable in light and dark: each picture has a background of its own, and
colours for both."""

from html import escape

LETTER = 0.6  # width of a monospaced letter, as a part of its height

STYLE = """<style>
svg { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.page { fill: #ffffff; stroke: #d0d7de; } .ink { fill: #1f2328; } .soft { fill: #59636e; }
.good { fill: #0969da; } .bad { fill: #cf222e; } .line { stroke: #818b98; fill: none; }
.badline { stroke: #cf222e; fill: none; } .part { fill: #ddf4ff; stroke: #0969da; }
.port { fill: #f6f8fa; stroke: #818b98; } .wrong { fill: #ffebe9; stroke: #cf222e; }
.other { fill: #afb8c1; } .code { fill: #f6f8fa; } .good-line { stroke: #0969da; fill: none; }
.b { font-weight: 600; }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #3d444d; } .ink { fill: #f0f6fc; } .soft { fill: #9198a1; }
.good { fill: #4493f8; } .bad { fill: #ff7b72; } .line { stroke: #656c76; }
.badline { stroke: #ff7b72; } .part { fill: #121d2f; stroke: #4493f8; }
.port { fill: #151b23; stroke: #656c76; } .wrong { fill: #25171c; stroke: #ff7b72; }
.other { fill: #656c76; } .code { fill: #151b23; } .good-line { stroke: #4493f8; }
}
</style>
"""


class Picture:
    """An SVG of a width and a height, in units of its own."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height, self.title = width, height, title
        self.elements: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, r: float = 6
    ) -> None:
        self.elements.append(
            f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:g}" '
            f'rx="{r:g}"/>'
        )

    def line(self, points: list[tuple[float, float]], kind: str, width: float = 1.5) -> None:
        path = " ".join(f"{x:.5g},{y:.5g}" for x, y in points)
        self.elements.append(f'<polyline class="{kind}" stroke-width="{width:g}" points="{path}"/>')

    def circle(self, x: float, y: float, radius: float, kind: str) -> None:
        self.elements.append(f'<circle class="{kind}" cx="{x:.5g}" cy="{y:.5g}" r="{radius:g}"/>')

    def text(
        self, x: float, y: float, text: str, kind: str = "ink", size: float = 14, at: str = "start"
    ) -> None:
        self.elements.append(
            f'<text class="{kind}" x="{x:.5g}" y="{y:.5g}" font-size="{size:g}" '
            f'text-anchor="{at}" xml:space="preserve">{escape(text)}</text>'
        )

    def block(self, x: float, y: float, lines: list[tuple[str, str]], size: float) -> float:
        """Writes lines of text, each with its class. Returns the y below them."""
        for line, kind in lines:
            self.text(x, y + size, line, kind, size)
            y += 1.45 * size
        return y

    def svg(self) -> str:
        width, height = f"{self.width:g}", f"{self.height:g}"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">\n'
        )
        page = (
            f'<rect class="page" x="0.5" y="0.5" width="{self.width - 1:g}" '
            f'height="{self.height - 1:g}" rx="8"/>'
        )
        body = "\n".join([page, *self.elements])
        return f"{head}<title>{escape(self.title)}</title>\n{STYLE}{body}\n</svg>\n"


def wrapped(text: str, letters: int, indent: str = "      ") -> list[str]:
    """The lines of the text, broken at spaces where they have more letters than fit."""
    lines = []
    for line in text.splitlines():
        rest = line
        while len(rest) > letters:
            at = rest.rfind(" ", len(indent) + 1, letters + 1)
            if at < 0:
                break
            lines.append(rest[:at].rstrip())
            rest = indent + rest[at:].strip()
        lines.append(rest)
    return lines
