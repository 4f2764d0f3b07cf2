"""Charts of the figures that documents and docs/pictures/measured.json record."""

import re
from pathlib import Path

from .measured import numbers
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
        workload, _, best, ratio = row[:4]
        peer = best.partition(" ")[0]
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


Bar = tuple[str, float, str, str]  # a name, a length, the text after it, and a class


def bars(title: str, note: str, groups: list[tuple[str, list[Bar]]], caption: list[str]) -> str:
    """Groups of bars, each with a heading. The longest bar of all takes the width."""
    left, names, unit = 16, 136, 220
    picture = Picture(480, 0, title)
    picture.text(left, 32, title, "ink b", 16)
    picture.text(left, 54, note, "soft", 13)
    longest = max(length for _, members in groups for _, length, _, _ in members)
    y = 70.0
    for heading, members in groups:
        picture.text(left, y + 14, heading, "ink b", 13)
        y += 22
        for name, length, text, kind in members:
            picture.text(left, y + 12, name, "soft", 12.5)
            picture.rect(left + names, y, max(unit * length / longest, 2), 15, kind, 2)
            end = left + names + unit * length / longest
            picture.text(end + 6, y + 12, text, "ink", 12.5)
            y += 20
        y += 8
    picture.height = round(picture.block(left, y, [(line, "soft") for line in caption], 12) + 12)
    return picture.svg()


def pytorch() -> str:
    """The time of our backend on PyTorch and of eager mode."""
    _, rows = table("## The backend on PyTorch and eager mode\n")
    groups = []
    for workload, eager, ours, ratio, _ in rows:
        part = float(ratio)
        members = [("PyTorch eager", 1.0, f"{eager} ms", "other")]
        groups.append((workload, [*members, ("TorchBackend", part, f"{ours} ms", "good")]))
    caption = ["AMD EPYC (Zen 4), 2 threads, torch 2.11.0", "docs/benchmarks.md has the figures"]
    return bars("TorchBackend and eager mode", "Shorter is faster; eager = 1", groups, caption)


def serving() -> str:
    """Answers per second of the server and of FastAPI around two libraries."""
    _, rows = table("## Serving under load\n")
    groups, model, loop = [], "", ""
    for workload, clients, *cells in rows:
        loop = workload or loop
        model = model if workload in ("", "open loop") else workload
        if loop == "open loop":
            continue
        members = [
            (name, float(cell.split()[0]), cell.split()[0], "good" if i == 0 else "other")
            for i, (name, cell) in enumerate(
                zip(("Mithril", "ONNX Runtime", "PyTorch"), cells, strict=True)
            )
        ]
        most = max(length for _, length, _, _ in members)
        members = [(name, length / most, text, kind) for name, length, text, kind in members]
        people = "1 client" if clients == "1" else f"{clients} clients"
        groups.append((f"{model}, {people}", members))
    caption = [
        "AMD EPYC, 2 cores shared with the clients",
        "Peers: FastAPI around the library; 2026-11-26",
    ]
    return bars("Answers per second over HTTP", "Longer is faster", groups, caption)


def web() -> str:
    """The time of a call in Node, in both languages."""
    _, rows = table("## JavaScript and WebAssembly\n")
    groups = []
    for workload, backend, wasm, _, script, _ in rows:
        times = (("CPU backend", backend), ("WebAssembly", wasm), ("JavaScript", script))
        most = max(float(time) for _, time in times)
        members = [
            (name, float(time) / most, f"{time} ms", "good" if name == "WebAssembly" else "other")
            for name, time in times
        ]
        groups.append((workload, members))
    caption = ["Node, one thread; the CPU backend", "with its portable vectors of 16 bytes"]
    return bars("Time of a call in Node", "Shorter is faster", groups, caption)


def memory() -> str:
    """The memory plan of a ResNet-18, as docs/cpu-backend.md states it."""
    text = (ROOT / "docs" / "cpu-backend.md").read_text(encoding="utf-8").replace("\n", " ")
    found = re.search(
        r"ResNet-18 takes ([\d.]+) MiB instead of ([\d.]+) MiB, and ([\d.]+) MiB", text
    )
    assert found, "docs/cpu-backend.md states no memory of ResNet-18"
    planned, separate, bound = found.groups()
    members = [
        ("one each", float(separate), f"{separate} MiB", "other"),
        ("planned", float(planned), f"{planned} MiB", "good"),
        ("and bound", float(bound), f"{bound} MiB", "good"),
    ]
    groups = [("Buffers of the values of a ResNet-18, one image", members)]
    return bars(
        "The memory plan", "Values share buffers when their lives do not overlap", groups, []
    )


def curve(title: str, values: list[float], words: tuple[str, str, str], caption: str) -> str:
    """A line of percentages from 0 to 100. `words`: of the first x, the last x, and the axis."""
    picture = Picture(480, 340, title)
    left, top, wide, high = 64, 60, 396, 200
    picture.text(16, 32, title, "ink b", 16)
    for percent in (0, 25, 50, 75, 100):
        y = top + high * (1 - percent / 100)
        picture.line([(left, y), (left + wide, y)], "line", 0.5)
        picture.text(left - 8, y + 5, f"{percent} %", "soft", 12.5, "end")
    step = wide / (len(values) - 1)
    points = [(left + i * step, top + high * (1 - value / 100)) for i, value in enumerate(values)]
    picture.line(points, "good-line", 2.5)
    first, last, axis = words
    picture.text(left, top + high + 20, first, "soft", 12.5)
    picture.text(left + wide / 2, top + high + 20, axis, "soft", 12.5, "middle")
    picture.text(left + wide, top + high + 20, last, "soft", 12.5, "end")
    picture.text(16, 322, caption, "soft", 12.5)
    return picture.svg()


def digits() -> str:
    """The accuracy of each epoch of the first steps."""
    epochs = numbers()["digits"]
    values = [100 * accuracy for _, accuracy in epochs]
    caption = f"examples/python/train_digits.py; at the end {values[-1]:.1f} %"
    return curve("Accuracy on the training set", values, ("1", str(len(values)), "epoch"), caption)


def mislabelled() -> str:
    """How many wrong labels are found among the lowest influences."""
    found = numbers()["mislabelled"]
    caption = f"find_mislabelled.py: {found[14]:.0f} % are among the lowest 15 %"
    words = ("1 %", "100 %", "inspected, lowest influence first")
    return curve("Wrong labels found", found, words, caption)
