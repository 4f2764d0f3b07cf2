"""Charts of the figures that docs/benchmarks.md records."""

import re
from pathlib import Path

from .svg import Picture

ROOT = Path(__file__).parents[2]
NAMES = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "jax": "JAX"}
NAMES |= {"inductor": "torch.compile", "eager": "PyTorch eager"}


def table(mark: str) -> tuple[str, list[list[str]]]:
    """The line above the first table after the mark in docs/benchmarks.md, and its rows."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    lines = text.partition(mark)[2].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    end = next(n for n, line in enumerate(lines) if n > start and not line.startswith("|"))
    caption = " ".join(line for line in lines[:start] if line)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]
    return caption, rows[2:]


def peers() -> str:
    """Our time on the CPU for each workload, divided by that of the fastest peer."""
    caption, rows = table("<!-- drawn by python -m benchmarks.peers -->\n")
    left, unit, high = 16, 330, 40
    picture = Picture(480, 104 + high * len(rows) + 96, "Mithril's time and the fastest peer's")
    picture.text(left, 32, "Time of a call on the CPU, fastest peer = 1", "ink b", 16)
    picture.text(left, 54, "Mithril: blue. Shorter is faster.", "soft", 14)
    y = 76.0
    for row in rows:
        workload, ours, best, ratio = row[:4]
        peer, _, time = best.partition(" ")
        peer = NAMES[peer.partition("+")[0]]
        part = float(ratio)
        picture.text(left, y + 11, workload, "ink", 13)
        picture.text(464, y + 11, ratio, "ink b", 13, "end")
        picture.rect(left, y + 16, unit, 14, "code", 2)
        picture.rect(left, y + 16, unit * part, 14, "good", 2)
        picture.text(464, y + 28, peer, "soft", 11.5, "end")
        y += high
    picture.line([(left + unit, 70), (left + unit, y)], "line", 1.5)
    picture.text(left + unit, y + 14, "1 = fastest peer", "soft", 12, "end")
    machine, threads, rounds, *others, date = caption.rstrip(".").split("; ")
    versions = re.sub(r"\+cu\d+", "", others[-1]) if others else ""
    eager, *libraries = versions.split(", ")
    shown = [f"PyTorch {eager.split()[1]}"]
    shown += [
        f"{NAMES[name]} {version}"
        for name, version in (library.split() for library in libraries)
        if name in ("jax", "onnxruntime", "openvino")
    ]
    lines = [f"{machine.replace('(R)', '')}, {threads}, float32, {rounds}", date]
    lines += [", ".join(shown[:2]), ", ".join(shown[2:])]
    lines[1:3] = [f"{lines[1]}; {lines[2]}"]
    picture.height = picture.block(left, y + 24, [(line, "soft") for line in lines], 12) + 12
    return picture.svg()
