"""A peer in a separate process: python -m benchmarks.peers.worker PEER WORKLOAD THREADS FOLDER.

It loads and prints a line of JSON: the seconds of importing and of coming to the first result, the
error and the version, or what went wrong. Then, for each number of seconds that it reads, it
measures for as long and prints a line: milliseconds a call, and seconds of the processor.
"""

import importlib
import json
import math
import os
import resource
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from benchmarks.peers.variants import OURS, RUNTIMES, Loaded, Variant
from benchmarks.peers.workloads import WORKLOADS

WARM_UP_SECONDS = 0.02
SAMPLE_SECONDS = 0.004
clock = time.perf_counter


def relative_error(loaded: Loaded, first: object, name: str, folder: Path) -> float:
    import numpy as np  # noqa: PLC0415  (its import counts as the peer's)

    expected = np.load(folder / "ref.npz")["out"].astype(np.float64)
    got = first
    if WORKLOADS[name].optimizer is not None:
        got = [first] + [loaded.read(loaded.call()) for _ in range(len(expected) - 1)]
    apart = np.asarray(got, np.float64).reshape(expected.shape) - expected
    return float(np.linalg.norm(apart) / np.linalg.norm(expected))


def processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def start(
    variant: Variant, name: str, threads: int, folder: Path
) -> tuple[Loaded, dict[str, object]]:
    begin = clock()
    module = "mithril_peer" if variant.runtime == OURS else RUNTIMES[variant.runtime][1]
    runtime = importlib.import_module(f"benchmarks.peers.{module}")
    import_seconds = clock() - begin
    load = runtime.load(name, variant, threads, folder)
    begin = clock()
    loaded = load()
    first = loaded.read(loaded.call())
    cold_seconds = clock() - begin
    return loaded, {
        "import_s": import_seconds,
        "cold_s": cold_seconds,
        "rel_err": relative_error(loaded, first, name, folder),
        "version": runtime.VERSION,
    }


def measured(call: Callable[[], object], seconds: float) -> dict[str, float]:
    used = processor_seconds()
    begin = clock()
    call()
    while clock() - begin < WARM_UP_SECONDS:
        call()
    begin = clock()
    call()
    at_once = max(1, math.floor(SAMPLE_SECONDS / max(clock() - begin, 1e-7)))
    samples: list[float] = []
    start_of_all = clock()
    while len(samples) < 3 or clock() - start_of_all < seconds:
        begin = clock()
        for _ in range(at_once):
            call()
        samples.append((clock() - begin) / at_once)
    return {"ms": statistics.median(samples) * 1e3, "cpu_s": processor_seconds() - used}


def own_output() -> TextIO:
    """Standard output. Redirects further output of libraries to standard error."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return output


def main() -> None:
    output = own_output()

    def say(what: object) -> None:
        print(json.dumps(what), file=output, flush=True)

    variant, name, threads, folder = sys.argv[1:]
    try:
        loaded, about = start(Variant(variant), name, int(threads), Path(folder))
    except Exception as error:
        traceback.print_exc()
        say({"error": f"{type(error).__name__}: {error}"[:300]})
        return
    measured(loaded.call, 0.3)
    say(about)
    for line in sys.stdin:
        say(measured(loaded.call, float(line)))


if __name__ == "__main__":
    main()
