"""Composing and compiling published architectures at their sizes, without weights. Prints JSON.

Each figure is the median of the repeats in milliseconds, each with a model of its own. With
--from-torch it converts the module of transformers in place of composing the example: `export_ms`
is torch.export alone, `from_torch_ms` that and the conversion, `compile_ms` compiling the result.
Usage: python -m benchmarks.architectures [--repeats N] [--from-torch] [WORKLOAD ...]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mithril as ml

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "models"))

from benchmarks.peers.architectures import ARCHITECTURES
from benchmarks.peers.mithril_peer import compile_for, compose, published_config


def milliseconds(run: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return round(statistics.median(times), 2)


def composing(name: str, repeats: int) -> dict[str, float]:
    config = published_config(name)
    return {
        "compose_ms": milliseconds(lambda: compose(name, config), repeats),
        "compose_and_compile_ms": milliseconds(
            lambda: compile_for(name, config, ml.CpuBackend()), repeats
        ),
    }


def converting(name: str, repeats: int) -> dict[str, float]:
    import torch  # noqa: PLC0415  (slow, and only for this)

    from benchmarks.peers import torch_architectures  # noqa: PLC0415  (slow, and only for this)

    module = torch_architectures.module(name, fused_attention=True).eval()
    inputs = tuple(torch_architectures.inputs(name))
    model: Any = ml.from_torch(module, inputs)[0]  # the first export imports parts of PyTorch
    return {
        "export_ms": milliseconds(lambda: torch.export.export(module, inputs), repeats),
        "from_torch_ms": milliseconds(lambda: ml.from_torch(module, inputs), repeats),
        "compile_ms": milliseconds(
            lambda: ml.compile(model, ml.CpuBackend(), inference=True), repeats
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--from-torch", action="store_true")
    options = parser.parse_args()
    measure = converting if options.from_torch else composing
    for name in options.workloads or ARCHITECTURES:
        if name not in ARCHITECTURES:
            sys.exit(f"there is no workload {name}; there are {' '.join(ARCHITECTURES)}")
        figures = measure(name, options.repeats)
        print(json.dumps({"workload": name, **figures}), flush=True)


if __name__ == "__main__":
    main()
