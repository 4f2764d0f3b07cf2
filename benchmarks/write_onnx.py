"""How fast ONNX files are written, beside plain writes of the same bytes to the same disk.

Usage: python benchmarks/write_onnx.py [FOLDER] [--megabytes N ...] [--rounds N]

A round writes the file with ml.to_onnx, without the checks by other packages, then its bytes with
one call of `write`. Both write to the disk before they end (fsync), and both replace the file of
the round before. Prints the medians of the rounds in MB per second, and the median of the ratios.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import mithril as ml

WIDTH = 1024  # 4 MiB in each layer


def export_to(path: Path, megabytes: int) -> Callable[[], None]:
    net = ml.Model()
    for _ in range(max(1, round(megabytes * 1e6 / (4 * WIDTH * WIDTH)))):
        net += ml.Linear(WIDTH)
    compiled = ml.compile(net, ml.CpuBackend(), shapes={net.input_keys[0]: [1, WIDTH]})
    params = compiled.get_parameters()
    return lambda: ml.to_onnx(compiled, path, params, check=False)


def write_plainly(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    with new.open("wb", buffering=0) as file:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())
    new.rename(path)


def seconds_of(call: Callable[[], None]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(folder: Path, megabytes: int, rounds: int) -> None:
    export = export_to(folder / "net.onnx", megabytes)
    export()
    data = (folder / "net.onnx").read_bytes()
    write_plainly(folder / "plain", data)
    exported, plain = [], []
    for _ in range(rounds):
        exported.append(seconds_of(export))
        plain.append(seconds_of(lambda: write_plainly(folder / "plain", data)))
    size = len(data) / 1e6
    ratio = statistics.median(p / e for e, p in zip(exported, plain, strict=True))
    print(
        f"{size:8.1f} MB  to_onnx {size / statistics.median(exported):8.1f} MB/s  "
        f"plain {size / statistics.median(plain):8.1f} MB/s  to_onnx / plain {ratio:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100, 500])
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for megabytes in arguments.megabytes:
            measure(Path(folder), megabytes, arguments.rounds)


if __name__ == "__main__":
    main()
