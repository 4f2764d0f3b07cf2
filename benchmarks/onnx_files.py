"""Measures the ONNX files of published packages beside ONNX Runtime, on the CPU.

Usage: python benchmarks/onnx_files.py [--rounds N] [--threads N] [--only WORD ...] [--starts]

The files and their inputs are those of tests/onnx_backend/real_files.json, in the folder
MITHRIL_ONNX_PACKAGES. Each side has a process of its own, which is stopped except during its turn.
A round gives each side a turn of at least 0.2 seconds. Files of 8 bits have a third side: ONNX
Runtime with exact products, which saturate otherwise on x86 processors without VNNI. Prints the
medians of the rounds in milliseconds per call, and their ratio; then the geometric mean of the
ratios.

--starts measures new processes in turn: the milliseconds from the file to a compiled model with
bound weights, or to a session of ONNX Runtime; those to the first output; and how far the memory of
the process rises until then at most, divided by the size of the file. "unbound" evaluates with the
weights as arguments, which stay in the mapped file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import resource
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "examples" / "onnx"), str(ROOT / "tests" / "onnx_backend")]

from packages import find  # noqa: E402
from published_files import FILES, inputs_of  # noqa: E402

TURN = 0.2  # seconds
SIDES = ("mithril", "onnxruntime")
EXACT = "exact onnxruntime"
UNBOUND = "unbound"


def path_of(row: dict[str, Any]) -> Path:
    return Path(find(row["package"], row["path"], row["version"]))


def load_mithril(
    path: Path, row: dict[str, Any], inputs: dict[str, Any], threads: int, binds: bool
) -> Any:
    import mithril as ml  # noqa: PLC0415

    constants = {name: inputs[name] for name in inputs if "value" in row["inputs"][name]}
    data = {name: value for name, value in inputs.items() if name not in constants}
    shapes = {name: value.shape for name, value in data.items()}
    model, params, _ = ml.from_onnx(path, constants, shapes)
    backend = ml.CpuBackend(threads=threads)
    compiled = ml.compile(model, backend, inference=True)
    if not binds:
        return lambda: compiled.evaluate(params, data)
    bound = compiled.bind(params)
    return lambda: bound.evaluate({}, data)


def load_onnxruntime(path: Path, inputs: dict[str, Any], threads: int, exact_products: bool) -> Any:
    import onnxruntime as ort  # noqa: PLC0415

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    if exact_products:
        options.add_session_config_entry("session.x64quantprecision", "1")
    session = ort.InferenceSession(path, options)
    return lambda: session.run(None, inputs)


def seconds_per_call(call: Callable[[], object]) -> float:
    count, begin = 0, time.perf_counter()
    while True:
        call()
        count += 1
        taken = time.perf_counter() - begin
        if taken >= TURN:
            return taken / count


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def work(side: str, index: int, threads: int) -> None:
    """A process of one side: prints what its start took, then a number for each line of input."""
    row = FILES[index]
    path = path_of(row)
    inputs = inputs_of(row)
    is_ours = side in ("mithril", UNBOUND)
    importlib.import_module("mithril" if is_ours else "onnxruntime")
    memory, begin = peak_memory(), time.perf_counter()
    if is_ours:
        call = load_mithril(path, row, inputs, threads, binds=side != UNBOUND)
    else:
        call = load_onnxruntime(path, inputs, threads, exact_products=side == EXACT)
    loaded = time.perf_counter() - begin
    call()
    first = time.perf_counter() - begin
    rise = (peak_memory() - memory) / path.stat().st_size
    print(json.dumps({"load": loaded, "first": first, "memory": rise}), flush=True)
    for _ in sys.stdin:
        print(seconds_per_call(call), flush=True)


class Worker:
    def __init__(self, side: str, index: int, threads: int) -> None:
        words = [sys.executable, __file__, "--work", side, str(index), "--threads", str(threads)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.start = json.loads(self._line())
        self.process.send_signal(signal.SIGSTOP)

    def turn(self) -> float:
        assert self.process.stdin
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        seconds = float(self._line())
        self.process.send_signal(signal.SIGSTOP)
        return seconds

    def end(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.communicate()

    def _line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            sys.exit("a process ended early")
        return line


def measure_calls(index: int, rounds: int, threads: int) -> dict[str, float]:
    sides = (*SIDES, EXACT) if FILES[index]["few_bits"] else SIDES
    workers = {side: Worker(side, index, threads) for side in sides}
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, worker in workers.items():
            times[side].append(worker.turn())
    for worker in workers.values():
        worker.end()
    return {side: statistics.median(values) for side, values in times.items()}


def measure_starts(index: int, rounds: int, threads: int) -> dict[str, dict[str, float]]:
    sides = (*SIDES, UNBOUND)
    found: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side in sides:
            worker = Worker(side, index, threads)
            found[side].append(worker.start)
            worker.end()
    return {
        side: {key: statistics.median(one[key] for one in starts) for key in starts[0]}
        for side, starts in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[""])
    parser.add_argument("--starts", action="store_true")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], int(given.work[1]), given.threads)
        return
    print(f"{os.cpu_count()} cores, {given.threads} threads, medians of {given.rounds} rounds")
    ratios: list[float] = []
    for index, row in enumerate(FILES):
        name = f"{row['package']}/{row['path']}"
        if not any(word in name for word in given.only):
            continue
        if given.starts:
            ours, theirs, unbound = measure_starts(index, given.rounds, given.threads).values()
            text = ", ".join(
                f"{key} {1e3 * ours[key]:.1f} / {1e3 * theirs[key]:.1f} ms = "
                f"{ours[key] / theirs[key]:.2f}"
                for key in ("load", "first")
            )
            numbers = [side["memory"] for side in (ours, theirs, unbound)]
            memory = "memory {:.2f} / {:.2f}, unbound {:.2f}".format(*numbers)
            print(f"{name}: {text}, {memory}", flush=True)
            continue
        times = measure_calls(index, given.rounds, given.threads)
        ratio = times["mithril"] / times["onnxruntime"]
        if not row["few_bits"]:
            ratios.append(ratio)
        bits = ", 8 bits" if row["few_bits"] else ""
        text = f"{1e3 * times['mithril']:.3f} / {1e3 * times['onnxruntime']:.3f} ms = {ratio:.2f}"
        if EXACT in times:
            text += f", exact {1e3 * times[EXACT]:.3f} ms = {times['mithril'] / times[EXACT]:.2f}"
        print(f"{name}{bits}: {text}", flush=True)
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{len(ratios)} files without 8 bits: {mean:.2f}, at most {max(ratios):.2f}")


if __name__ == "__main__":
    main()
