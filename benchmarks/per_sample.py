"""Norms, inner products and clipped gradients of single samples, beside torch and Opacus.

Prints a table of medians of interleaved rounds in random order, in milliseconds and in multiples of
Mithril's plain gradient of the same batch, with the peak memory of a process that does nothing
else. Needs torch; Opacus is left out where it is not installed.

Usage: python benchmarks/per_sample.py [--rounds 15] [--threads 2] [--only WORD] [--memory]
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from per_sample_workloads import WORKLOADS, Workload

import mithril as ml

Run = Callable[[], Any]
STRATEGIES = ("gram", "bilinear", "materialized")


def of_mithril(workload: Workload, threads: int) -> dict[str, Run]:
    rng = np.random.default_rng(0)
    data = workload.data(rng, workload.batch)
    validation = workload.data(rng, workload.validation)
    compiled = ml.compile(
        workload.model(),
        ml.CpuBackend(threads=threads),
        shapes=workload.shapes,
        data_keys={"x", "y"},
    )
    params = compiled.get_parameters()
    losses = np.asarray(compiled.evaluate(params, data)["losses"])
    ones = {"losses": np.ones_like(losses)}
    runs: dict[str, Run] = {
        "mithril: plain gradient": lambda: compiled.evaluate(params, data, output_gradients=ones)
    }
    for strategy in (None, *STRATEGIES):
        samples = ml.PerSample(compiled, losses="losses", strategy=strategy)
        name = f"mithril{'' if strategy is None else ', ' + strategy}"
        if strategy != "bilinear":
            runs[f"{name}: norms"] = lambda s=samples: s.norms(params, data)
            runs[f"{name}: clipped"] = lambda s=samples: s.clipped_gradients(params, data, 1.0)
        runs[f"{name}: dots"] = lambda s=samples: s.dots(params, data, validation)
    return runs


def torch_tensors(data: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(data["x"]), torch.tensor(data["y"])


def of_torch(workload: Workload) -> dict[str, Run]:
    torch.manual_seed(0)
    module, rng = workload.module(), np.random.default_rng(0)
    x, y = torch_tensors(workload.data(rng, workload.batch))
    other_x, other_y = torch_tensors(workload.data(rng, workload.validation))
    params = {key: value.detach() for key, value in module.named_parameters()}

    def loss(p: dict[str, Any], one: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        output = torch.func.functional_call(module, p, (one[None],))
        return workload.loss(output, target[None]).sum()

    per_sample = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))

    def plain(inputs: torch.Tensor, targets: torch.Tensor) -> list[torch.Tensor]:
        total = workload.loss(module(inputs), targets).sum()
        return list(torch.autograd.grad(total, list(module.parameters())))

    def norms() -> torch.Tensor:
        made = per_sample(params, x, y)
        return sum(g.flatten(1).square().sum(1) for g in made.values()).sqrt()

    def dots() -> Any:
        against = plain(other_x, other_y)
        made = per_sample(params, x, y)
        total = sum(g.flatten(1) @ h.flatten() for g, h in zip(made.values(), against, strict=True))
        return total, {key: g.mean(0) for key, g in made.items()}

    def clipped() -> Any:
        made = per_sample(params, x, y)
        size = sum(g.flatten(1).square().sum(1) for g in made.values()).sqrt()
        weights = (1 / size).clamp(max=1)
        return {key: torch.tensordot(weights, g, 1) for key, g in made.items()}

    def loop() -> list[torch.Tensor]:
        found = []
        for i in range(len(x)):
            grads = plain(x[i : i + 1], y[i : i + 1])
            found.append(torch.stack([g.square().sum() for g in grads]).sum().sqrt())
        return found

    return {
        "torch: plain gradient": lambda: plain(x, y),
        "vmap: norms": norms,
        "vmap: dots": dots,
        "vmap: clipped": clipped,
        "loop of samples: norms": loop,
    }


def of_opacus(workload: Workload) -> dict[str, Run]:
    """Returns the runs of Opacus with hooks (GradSampleModule) and with ghost clipping. Opacus does
    not support tied weights."""
    from opacus.grad_sample import GradSampleModule  # noqa: PLC0415
    from opacus.grad_sample.grad_sample_module_fast_gradient_clipping import (  # noqa: PLC0415
        GradSampleModuleFastGradientClipping,
    )

    torch.manual_seed(0)
    x, y = torch_tensors(workload.data(np.random.default_rng(0), workload.batch))
    hooked = GradSampleModule(workload.module(), loss_reduction="sum")
    ghost = GradSampleModuleFastGradientClipping(
        workload.module(), loss_reduction="sum", max_grad_norm=1.0, use_ghost_clipping=True
    )

    def by_hooks() -> torch.Tensor:
        workload.loss(hooked(x), y).sum().backward()
        total = sum(p.grad_sample.flatten(1).square().sum(1) for p in hooked.parameters())
        hooked.zero_grad()
        return total.sqrt()

    def by_ghosts() -> torch.Tensor:
        ghost.enable_hooks()
        workload.loss(ghost(x), y).sum().backward()
        norms = ghost.get_norm_sample()
        ghost.zero_grad()
        return norms

    def clipped() -> None:
        ghost.enable_hooks()
        losses = workload.loss(ghost(x), y)
        losses.sum().backward(retain_graph=True)
        weights = ghost.get_clipping_coef()
        ghost.zero_grad()
        ghost.disable_hooks()
        (weights * losses).sum().backward()

    return {"Opacus, hooks: norms": by_hooks, "Opacus, ghost: norms": by_ghosts,
            "Opacus, ghost: clipped": clipped}  # fmt: skip


def runs_of(workload: Workload, threads: int) -> dict[str, Run]:
    torch.set_num_threads(threads)
    runs = of_mithril(workload, threads) | of_torch(workload)
    if "tied" not in workload.name:
        with contextlib.suppress(ImportError):
            runs |= of_opacus(workload)
    return runs


def timed(run: Run) -> float:
    begin = time.perf_counter()
    run()
    return (time.perf_counter() - begin) * 1e3


def resident(field: str) -> float:
    """Megabytes of this process: VmRSS now, VmHWM at the most since the peak was reset."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def peak_of(index: int, name: str, threads: int, queue: Any) -> None:
    """Measures the megabytes that some calls need beyond the memory of the process before them."""
    run = runs_of(WORKLOADS[index], threads)[name]
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets VmHWM
    before = resident("VmRSS")
    for _ in range(3):
        run()
    queue.put(resident("VmHWM") - before)


def added_memory(index: int, name: str, threads: int) -> float:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=peak_of, args=(index, name, threads, queue))
    process.start()
    found: float = queue.get()
    process.join()
    return found


def measure(index: int, rounds: int, threads: int, memory: bool) -> None:
    workload = WORKLOADS[index]
    runs = runs_of(workload, threads)
    for run in runs.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in runs}
    order = list(runs)
    for _ in range(rounds):
        random.shuffle(order)  # so that no program is always measured after the same one
        for name in order:
            times[name].append(timed(runs[name]))
    plain = statistics.median(times["mithril: plain gradient"])
    print(f"\n{workload.name}")
    for name, values in times.items():
        median = statistics.median(values)
        line = f"  {name:34} {median:9.2f} ms {median / plain:7.2f}"
        if memory and not any(f", {strategy}" in name for strategy in STRATEGIES):
            line += f" {added_memory(index, name, threads):8.0f} MB"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the name of the workloads")
    parser.add_argument("--memory", action="store_true", help="also peak memory, a process each")
    given = parser.parse_args()
    for index, workload in enumerate(WORKLOADS):
        if given.only in workload.name:
            measure(index, given.rounds, given.threads, given.memory)


if __name__ == "__main__":
    main()
