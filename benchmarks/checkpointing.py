"""The cost and savings of use_checkpointing: outputs and gradients of a transformer of 24 blocks.

Prints JSON. Usage: python benchmarks/checkpointing.py [WIDTH [BATCH]], on PyTorch on the CPU.
Memory is the most that a process of its own holds during a step beyond what it held before, with
each large tensor given back to the system at once. Time is that of the processor, in one thread, so
that what else runs on the machine matters little.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

import mithril as ml

BLOCKS, HEADS, TOKENS = 24, 4, 128
REPEATS = 3


def block(x: ml.Connection, width: int) -> ml.Connection:
    def split(part: ml.Connection) -> ml.Connection:
        return part.reshape((-1, TOKENS, HEADS, width // HEADS)).transpose((0, 2, 1, 3))

    normed = ml.LayerNorm()(x)
    q, k, v = (split(ml.Linear(width)(normed)) for _ in range(3))
    scores = ml.Softmax()((q @ k.transpose((0, 1, 3, 2))) / (width // HEADS) ** 0.5)
    x = x + ml.Linear(width)((scores @ v).transpose((0, 2, 1, 3)).reshape((-1, TOKENS, width)))
    hidden = ml.Gelu()(ml.Linear(4 * width)(ml.LayerNorm()(x)))
    return x + ml.Linear(width)(hidden)


def make_step(width: int, batch: int, use_checkpointing: bool) -> Callable[[], object]:
    y = ml.IOKey("x")
    for _ in range(BLOCKS):
        y = block(y, width)
    backend = ml.TorchBackend()
    shape = [batch, TOKENS, width]
    compiled = ml.compile(
        ml.Model.create(y=y), backend, shapes={"x": shape}, use_checkpointing=use_checkpointing
    )
    params = compiled.get_parameters()
    x, g = backend.randn(*shape, seed=0), backend.randn(*shape, seed=1)
    return lambda: compiled.evaluate(params, {"x": x}, output_gradients={"y": g})


def megabytes(entry: str) -> float:
    found = re.search(rf"{entry}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found.group(1)) / 1000


def memory(width: int, batch: int, use_checkpointing: bool) -> float:
    step = make_step(width, batch, use_checkpointing)
    step()
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = megabytes("VmRSS")
    step()
    return megabytes("VmHWM") - before


def memory_in_a_process(width: int, batch: int, use_checkpointing: bool) -> float:
    run = subprocess.run(
        [sys.executable, __file__, str(width), str(batch), str(use_checkpointing)],
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        capture_output=True,
        check=True,
    )
    return float(run.stdout)


def seconds(width: int, batch: int) -> list[float]:
    """CPU times without and with checkpointing, measured alternately."""
    torch.set_num_threads(1)
    steps = [make_step(width, batch, use) for use in (False, True)]
    best = [float("inf")] * 2
    for repeat in range(REPEATS + 1):
        for i, step in enumerate(steps):
            start = time.process_time()
            step()
            if repeat:
                best[i] = min(best[i], time.process_time() - start)
    return best


def report(width: int, batch: int) -> dict[str, float]:
    kept = [memory_in_a_process(width, batch, use) for use in (False, True)]
    took = seconds(width, batch)
    return {
        "memory_MB": round(kept[0], 1),
        "memory_MB_with_checkpointing": round(kept[1], 1),
        "memory_ratio": round(kept[1] / kept[0], 3),
        "processor_s": round(took[0], 3),
        "processor_s_with_checkpointing": round(took[1], 3),
        "time_ratio": round(took[1] / took[0], 3),
    }


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(memory(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "True"))
    else:
        numbers = [int(argument) for argument in sys.argv[1:]]
        print(json.dumps(report(*numbers, *(256, 8)[len(numbers) :]), indent=2))
