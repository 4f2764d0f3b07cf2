"""Measures the peak memory of a process that trains with others.

Usage: python benchmarks/distributed_memory.py [--width N] [--processes N]

Trains an MLP with Adam: alone, and in several processes with replicated and with sharded memory of
the optimizer. Each case has processes of its own. Its peak is the growth of the resident memory of
process 0 from before the parameters are made to the end of the steps; a small model has been
trained by then, so that libraries and connections are there. Prints MiB, the difference to the step
alone, and the bound: that step, and the gradients, which exist until they are exchanged.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

import mithril as ml

STEPS, ROWS = 4, 16
MIB = 2**20


def train(width: int, group: ml.distributed.Group | None, state: str) -> int:
    """Returns the bytes of the parameters."""
    layers = ml.Model()
    layers |= ml.Linear(width)(input="x")
    for last in (width, 10):
        layers += ml.Relu()
        layers += ml.Linear(last)
    layers.expose_keys(scores=layers.cout)
    model = ml.TrainModel(layers)
    model.add_loss(ml.CrossEntropy(), input="scores", target="y")
    options = {"group": group, "optimizer_state": state} if group else {}
    compiled = ml.compile(model, ml.CpuBackend(threads=1), shapes={"x": [None, width]}, **options)
    step, params = ml.TrainingStep(compiled, ml.Adam(1e-3)), compiled.get_parameters()
    batch = {"x": np.ones((ROWS, width), np.float32), "y": np.zeros(ROWS, np.int64)}
    for _ in range(STEPS):
        step(params, batch)
    return sum(param.nbytes for param in params.values())


def resident(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"the system does not tell {field}")


def run_case(case: str, width: int) -> None:
    torch.set_num_threads(1)
    state = case if case == "sharded" else "replicated"
    group = None if case == "alone" else ml.distributed.init()
    train(64, group, state)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = resident("VmRSS")
    parameters = train(width, group, state)
    if not group or group.rank == 0:
        print(resident("VmHWM") - before, parameters)


def measure(case: str, width: int, processes: int) -> tuple[int, int]:
    launcher = (
        [] if case == "alone" else ["-m", "torch.distributed.run", f"--nproc-per-node={processes}"]
    )
    command = [sys.executable, *launcher, __file__, "--case", case, "--width", str(width)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(output[0]), int(output[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        return run_case(given.case, given.width)
    alone, parameters = measure("alone", given.width, given.processes)
    bound = alone + parameters
    print(f"parameters {parameters / MIB:.1f} MiB, bound {bound / MIB:.1f} MiB")
    print(f"alone: {alone / MIB:.1f} MiB")
    for case in ("replicated", "sharded"):
        peak, _ = measure(case, given.width, given.processes)
        more = f"{(peak - alone) / MIB:+.1f} MiB"
        print(f"{case}: {peak / MIB:.1f} MiB, {more}, {peak / bound:.2f} of the bound")


if __name__ == "__main__":
    main()
