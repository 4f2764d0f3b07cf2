"""Measures training on several processes beside DistributedDataParallel of PyTorch.

Usage: torchrun --nproc-per-node 2 benchmarks/distributed.py [--rounds N] [--only NAME ...]
       python benchmarks/distributed.py [--rounds N] [--only NAME ...]

Each process has one thread. The steps are interleaved: in each round each of them runs a few times
after a barrier, and the slowest process counts. `limit` is our step without an exchange, followed
by one all_reduce of as many bytes as the gradients have, from a buffer that was made before. `ddp`
is DistributedDataParallel with gradient_as_bucket_view, and `eager` the step of PyTorch in one
process without an exchange. Prints the medians in milliseconds, and the medians of the ratios of
the rounds.

Without a launcher `ours` is the step of a group of one process, and `alone` the step without a
group.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import mithril as ml

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "models"))

from gpt2 import Config, gpt2

CALLS = 5  # of a step in a round
VOCABULARY, LENGTH = 256, 64
SIZES = {
    "mlp_1m_b64": ([784, 768, 512, 10], 64),
    "mlp_1m_b512": ([784, 768, 512, 10], 512),
    "mlp_10m_b64": ([1024, 2048, 2048, 2048, 10], 64),
}
Step = Callable[[], object]


def our_step(
    train: ml.Model, shapes: dict, batch: dict, group: ml.distributed.Group | None
) -> Step:
    backend = ml.CpuBackend(threads=1)
    compiled = ml.compile(train, backend, shapes=shapes, group=group)
    step, params = ml.TrainingStep(compiled, ml.Adam(1e-3)), compiled.get_parameters()
    return lambda: step(params, batch)


def torch_steps(
    make: Callable[[], torch.nn.Module], loss: Callable[..., torch.Tensor]
) -> dict[str, Step]:
    """The step of one process, and that of DistributedDataParallel. None without a launcher."""
    if not torch.distributed.is_initialized():
        return {}

    def step_of(module: torch.nn.Module) -> Step:
        optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)

        def step() -> None:
            optimizer.zero_grad()
            loss(module).backward()
            optimizer.step()

        return step

    ddp = torch.nn.parallel.DistributedDataParallel(make(), gradient_as_bucket_view=True)
    return {"ddp": step_of(ddp), "eager": step_of(make())}


def mlp(name: str, group: ml.distributed.Group) -> tuple[dict[str, Step], int]:
    widths, rows = SIZES[name]
    random = np.random.default_rng(group.rank)
    x = random.normal(size=(rows, widths[0])).astype(np.float32)
    y = random.integers(0, widths[-1], rows)
    layers = ml.Model()
    layers |= ml.Linear(widths[1])(input="x")
    for width in widths[2:]:
        layers += ml.Relu()
        layers += ml.Linear(width)
    layers.expose_keys(scores=layers.cout)
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="y")

    def make() -> torch.nn.Module:
        parts: list[torch.nn.Module] = []
        for width_in, width_out in itertools.pairwise(widths):
            parts += [torch.nn.Linear(width_in, width_out), torch.nn.ReLU()]
        return torch.nn.Sequential(*parts[:-1])

    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    steps = torch_steps(make, lambda net: torch.nn.functional.cross_entropy(net(tx), ty))
    shapes, batch = {"x": [None, widths[0]]}, {"x": x, "y": y}
    steps["ours"] = our_step(train, shapes, batch, group)
    steps["alone"] = our_step(train, shapes, batch, None)
    return steps, sum(a * b + b for a, b in itertools.pairwise(widths))


class Block(torch.nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.proj = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.fc, self.out = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, c = x.shape
        q, k, v = (
            part.view(n, t, self.heads, c // self.heads).transpose(1, 2)
            for part in self.qkv(self.ln_1(x)).split(c, 2)
        )
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(n, t, c))
        hidden = torch.nn.functional.gelu(self.fc(self.ln_2(x)), approximate="tanh")
        return x + self.out(hidden)


class Gpt(torch.nn.Module):
    def __init__(self, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.wte = torch.nn.Embedding(VOCABULARY, width)
        self.wpe = torch.nn.Embedding(LENGTH, width)
        self.blocks = torch.nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.ln_f = torch.nn.LayerNorm(width)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        return self.ln_f(self.blocks(x)) @ self.wte.weight.T


def gpt(group: ml.distributed.Group) -> tuple[dict[str, Step], int]:
    rows = 16
    random = np.random.default_rng(group.rank)
    ids = random.integers(0, VOCABULARY, (rows, LENGTH))
    targets = random.integers(0, VOCABULARY, (rows, LENGTH))
    part = gpt2(Config(vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=128, n_layer=4, n_head=4))
    net = ml.Model()
    net |= part(input_ids="input_ids", attention_mask="attention_mask", logits="logits")
    net |= ml.Reshape(shape=(-1, VOCABULARY))(input="logits", output="scores")
    net |= ml.Reshape(shape=(-1,))(input="targets", output="classes")
    train = ml.TrainModel(net)
    train.add_loss(ml.CrossEntropy(), input="scores", target="classes")
    shapes = {"input_ids": [None, LENGTH], "targets": [None, LENGTH]}
    batch = {"input_ids": ids, "targets": targets, "attention_mask": np.ones((rows, LENGTH), bool)}
    steps: dict[str, Step] = {}
    for name, of in (("ours", group), ("alone", None)):
        compiled = ml.compile(
            train,
            ml.CpuBackend(threads=1),
            shapes=shapes,
            trainable_keys={"model.wpe.weight"},
            group=of,
        )
        steps[name] = _bound(compiled, batch)
    tx, ty = torch.from_numpy(ids), torch.from_numpy(targets).reshape(-1)

    def loss(net: torch.nn.Module) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(net(tx).reshape(-1, VOCABULARY), ty)

    steps |= torch_steps(lambda: Gpt(128, 4, 4), loss)
    return steps, sum(p.numel() for p in Gpt(128, 4, 4).parameters())


def _bound(compiled: ml.CompiledModel, batch: dict) -> Step:
    step, params = ml.TrainingStep(compiled, ml.Adam(1e-3)), compiled.get_parameters()
    return lambda: step(params, batch)


def milliseconds(step: Step, group: ml.distributed.Group) -> float:
    group.barrier()
    began = time.perf_counter()
    for _ in range(CALLS):
        step()
    mine = 1e3 * (time.perf_counter() - began) / CALLS
    return float(group.all_reduce(np.array(mine), "max"))


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--only", nargs="*", default=[*SIZES, "gpt_4x128"])
    given = parser.parse_args()
    torch.set_num_threads(1)
    group = ml.distributed.init()
    for name in given.only:
        steps, count = gpt(group) if name == "gpt_4x128" else mlp(name, group)
        buffer = torch.zeros(count)
        if group.size > 1:
            alone = steps.pop("alone")

            def limit(alone: Step = alone, buffer: torch.Tensor = buffer) -> None:
                alone()
                torch.distributed.all_reduce(buffer)

            steps["limit"] = limit
        for step in steps.values():
            milliseconds(step, group)
        times: dict[str, list[float]] = {key: [] for key in steps}
        for turn in range(given.rounds):
            order = list(steps) if turn % 2 else list(reversed(steps))
            for key in order:
                times[key].append(milliseconds(steps[key], group))
        if group.rank:
            continue
        medians = ", ".join(f"{key} {statistics.median(v):.2f} ms" for key, v in times.items())
        ratios = ", ".join(
            f"ours / {key} {median_ratio(times['ours'], times[key]):.2f}"
            for key in (("limit", "ddp") if group.size > 1 else ("alone",))
        )
        print(f"{name}: {medians}; {ratios}", flush=True)


if __name__ == "__main__":
    main()
