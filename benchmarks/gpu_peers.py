"""Inference and training on a GPU, beside PyTorch's eager mode and the modes of torch.compile.

Prints a line of JSON for each workload and precision: medians in milliseconds, peak memory in MB,
the number of kernels of a call, how far the outputs are from eager mode, and the ratio of the best
of ours to the best of torch.compile. The last line has the geometric mean and the largest of the
ratios. Peers of a row take turns, round by round, after their warm-up calls.

Usage: python benchmarks/gpu_peers.py [--workloads NAME ...] [--precisions NAME ...]
[--peers NAME ...] [--rounds N] [--warm-up N] [--limit SECONDS]. Without a GPU it runs small sizes
on the CPU, where its numbers mean nothing: that shows that it works. After the limit no further row
begins, and the last line names those that are missing.
"""

import argparse
import copy
import json
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

import mithril as ml

F = nn.functional
Step = Callable[[], object]
ON_GPU = torch.cuda.is_available()
DEVICE = "cuda" if ON_GPU else "cpu"
DEVICE_NAME = torch.cuda.get_device_name() if ON_GPU else "cpu, small sizes"
DTYPES = {"tf32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
COMPILED = ["default", "reduce-overhead", "max-autotune"]
OURS = ["ours", "ours max", "ours bound"]


@dataclass(frozen=True)
class Sizes:
    batch: int
    width: int
    heads: int
    layers: int
    length: int
    vocabulary: int
    image: int
    channels: int
    blocks: tuple[int, ...]


LARGE = Sizes(32, 768, 12, 12, 128, 50257, 224, 64, (3, 4, 6, 3))
SMALL = Sizes(2, 32, 4, 2, 8, 100, 32, 4, (1, 1))
SIZES = LARGE if ON_GPU else SMALL


class Mlp(nn.Module):
    def __init__(self, size: Sizes) -> None:
        super().__init__()
        width = size.width
        self.layers = nn.Sequential(
            nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width), nn.ReLU()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Bottleneck(nn.Module):
    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, width, 3, stride, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.Conv2d(width, 4 * width, 1, bias=False),
            nn.BatchNorm2d(4 * width),
        )
        self.short: nn.Module = nn.Identity()
        if stride != 1 or before != 4 * width:
            self.short = nn.Sequential(
                nn.Conv2d(before, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.body(x) + self.short(x))


class ResNet(nn.Module):
    """ResNet-50, with the blocks of LARGE."""

    def __init__(self, size: Sizes) -> None:
        super().__init__()
        width = size.channels
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU()
        )
        self.pool = nn.MaxPool2d(3, 2, 1)
        blocks: list[nn.Module] = []
        before = width
        for stage, count in enumerate(size.blocks):
            for block in range(count):
                stride = 2 if stage > 0 and block == 0 else 1
                blocks.append(Bottleneck(before, width << stage, stride))
                before = 4 * (width << stage)
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(before, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.pool(self.stem(x))).mean(dim=(2, 3)))


class Block(nn.Module):
    """A block of GPT-2 (norms before the sublayers) if causal, else one of BERT (norms after)."""

    def __init__(self, size: Sizes, is_causal: bool) -> None:
        super().__init__()
        width = size.width
        self.heads, self.is_causal = size.heads, is_causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        split = (batch, length, self.heads, width // self.heads)
        q, k, v = (part.reshape(split).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal)
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))

    def widen(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.gelu(self.up(x), approximate="tanh" if self.is_causal else "none"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.is_causal:
            x = x + self.attend(self.norm1(x))
            return x + self.widen(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.widen(x))


class Transformer(nn.Module):
    def __init__(self, size: Sizes, is_causal: bool, length: int) -> None:
        super().__init__()
        self.words = nn.Embedding(size.vocabulary, size.width)
        self.places = nn.Parameter(torch.randn(length, size.width))
        self.blocks = nn.Sequential(*(Block(size, is_causal) for _ in range(size.layers)))
        self.norm = nn.LayerNorm(size.width)
        self.head = nn.Linear(size.width, size.vocabulary, bias=False) if is_causal else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.blocks(self.words(x) + self.places))
        return x if self.head is None else self.head(x)


def tokens(size: Sizes, batch: int, length: int) -> torch.Tensor:
    return torch.randint(size.vocabulary, (batch, length))


def gpt2(size: Sizes, length: int) -> tuple[nn.Module, torch.Tensor]:
    batch = 1 if length == 1 else size.batch
    return Transformer(size, True, length), tokens(size, batch, length)


def bert(size: Sizes) -> tuple[nn.Module, torch.Tensor]:
    return Transformer(size, False, size.length), tokens(size, size.batch, size.length)


def resnet(size: Sizes) -> tuple[nn.Module, torch.Tensor]:
    return ResNet(size), torch.randn(size.batch, 3, size.image, size.image)


def mlp(size: Sizes) -> tuple[nn.Module, torch.Tensor]:
    return Mlp(size), torch.randn(8 * size.batch, size.width)


MODELS: dict[str, Callable[[Sizes], tuple[nn.Module, torch.Tensor]]] = {
    "mlp": mlp,
    "bert": bert,
    "resnet50": resnet,
    "gpt2_64": partial(gpt2, length=64),
    "gpt2_1": partial(gpt2, length=1),
}
WORKLOADS = [f"infer {name}" for name in MODELS] + [
    f"train {name}" for name in MODELS if name != "gpt2_1"
]


def torch_inference(module: nn.Module, x: torch.Tensor, mode: str | None) -> Step:
    run = module if mode is None else torch.compile(module, mode=mode)

    def step() -> object:
        with torch.inference_mode():
            return run(x)

    return step


def torch_training(
    module: nn.Module, x: torch.Tensor, target: torch.Tensor, mode: str | None
) -> Step:
    run = module if mode is None else torch.compile(module, mode=mode)
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-4, fused=True)

    def step() -> object:
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(run(x), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def backend_of(dtype: torch.dtype) -> ml.TorchBackend:
    return ml.TorchBackend(device=DEVICE, dtype=dtype)


def level_of(peer: str) -> str:
    return "standard" if peer == "ours" else "max"


def our_inference(module: nn.Module, x: torch.Tensor, peer: str) -> Step:
    model, params = ml.from_torch(module, x)
    compiled = ml.compile(
        model,
        backend_of(next(iter(params.values())).dtype),
        inference=True,
        optimization_level=level_of(peer),
    )
    if peer == "ours bound":
        compiled, params = compiled.bind(params), {}
    return lambda: compiled.evaluate(params, {"x": x})["output"]


def our_training(module: nn.Module, x: torch.Tensor, target: torch.Tensor, peer: str) -> Step:
    model, params = ml.from_torch(module, x)
    net = ml.Model()
    net |= model(x="x", output="y")
    net |= ml.SquaredError()(input="y", target="target", output="errors")
    net |= ml.Mean()(input="errors", output="loss")
    net.expose_keys("loss")
    compiled = ml.compile(
        net,
        backend_of(target.dtype),
        shapes={"x": list(x.shape), "target": list(target.shape)},
        data_keys=["x", "target"],
        optimization_level=level_of(peer),
    )
    names = {key: key.removeprefix("model.") for key in compiled.parameter_keys}
    values = {key: params[name].detach() for key, name in names.items()}
    step = ml.TrainingStep(compiled, ml.Adam(1e-4), output_gradients={"loss": 1.0})
    return lambda: step(values, {"x": x, "target": target})["loss"]


def make_step(workload: str, peer: str, module: nn.Module, x: torch.Tensor, target: Any) -> Step:
    module = copy.deepcopy(module)
    mode = peer if peer in COMPILED else None
    if workload.startswith("infer"):
        return our_inference(module, x, peer) if peer in OURS else torch_inference(module, x, mode)
    if peer in OURS:
        return our_training(module, x, target, peer)
    return torch_training(module, x, target, mode)


def synchronize() -> None:
    if ON_GPU:
        torch.cuda.synchronize()


def milliseconds(step: Step, calls: int) -> float:
    """Returns the mean milliseconds of several calls, by the clock of the GPU if there is one."""
    if not ON_GPU:
        begin = time.perf_counter()
        for _ in range(calls):
            step()
        return (time.perf_counter() - begin) * 1000 / calls
    begins, ends = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begins.record()
    for _ in range(calls):
        step()
    ends.record()
    ends.synchronize()
    return begins.elapsed_time(ends) / calls


def kernels(step: Step) -> int:
    """Returns the number of kernels of a call on a GPU, or of operators on the CPU."""
    activity = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activity.CUDA if ON_GPU else activity.CPU]) as profile:
        step()
        synchronize()
    return sum(event.count for event in profile.key_averages())


def peak_megabytes(step: Step) -> float | None:
    if not ON_GPU:
        return None
    synchronize()
    torch.cuda.reset_peak_memory_stats()
    step()
    synchronize()
    return round(torch.cuda.max_memory_allocated() / 1e6, 1)


def difference(found: Any, expected: Any) -> float:
    error = (found.float() - expected.float()).abs().max() / expected.float().abs().max()
    return float(f"{error.item():.1e}")


def row_of(workload: str, precision: str, peers: list[str], options: Any) -> dict[str, Any]:
    torch.manual_seed(0)
    dtype = DTYPES[precision]
    module, x = MODELS[workload.split()[1]](SIZES)
    module = module.to(DEVICE, dtype)
    x = x.to(DEVICE, dtype) if x.is_floating_point() else x.to(DEVICE)
    module.train(workload.startswith("train"))
    target = None
    if workload.startswith("train"):
        with torch.no_grad():
            target = torch.randn_like(copy.deepcopy(module)(x))
    row: dict[str, Any] = {"workload": workload, "precision": precision}
    steps: dict[str, Step] = {}
    first: Any = None
    for peer in peers:
        step = make_step(workload, peer, module, x, target)
        made: Any = step()
        made = made.clone()
        first = made if first is None else first
        row[peer] = {"difference": difference(made, first)}
        for _ in range(options.warm_up - 1):
            step()
        row[peer]["megabytes"] = peak_megabytes(step)
        row[peer]["kernels"] = kernels(step)
        steps[peer] = step
    times: dict[str, list[float]] = {peer: [] for peer in peers}
    for _ in range(options.rounds):
        for peer, step in steps.items():
            times[peer].append(milliseconds(step, options.calls))
    for peer, found in times.items():
        row[peer]["ms"] = round(statistics.median(found), 4)
    ours = [row[peer]["ms"] for peer in peers if peer in OURS]
    theirs = [row[peer]["ms"] for peer in peers if peer in COMPILED]
    if ours and theirs:
        row["ratio"] = round(min(ours) / min(theirs), 3)
    return row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=WORKLOADS)
    parser.add_argument("--precisions", nargs="+", choices=list(DTYPES), default=list(DTYPES))
    peers = ["eager", *COMPILED, *OURS]
    parser.add_argument("--peers", nargs="+", choices=peers, default=peers)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=50)
    parser.add_argument("--limit", type=float, default=math.inf, metavar="SECONDS")
    options = parser.parse_args()
    if not ON_GPU:
        torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    end = time.monotonic() + options.limit
    print(json.dumps({"device": DEVICE_NAME, "torch": torch.__version__}), flush=True)
    ratios, missing = [], []
    for precision in options.precisions:
        for workload in options.workloads:
            if time.monotonic() > end:
                missing.append(f"{workload} {precision}")
                continue
            mine = [
                peer
                for peer in options.peers
                if peer != "ours bound" or workload.startswith("infer")
            ]
            row = row_of(workload, precision, mine, options)
            print(json.dumps(row), flush=True)
            if "ratio" in row:
                ratios.append(row["ratio"])
            torch.compiler.reset()
            if ON_GPU:
                torch.cuda.empty_cache()
    mean = round(statistics.geometric_mean(ratios), 3) if ratios else None
    largest = max(ratios, default=None)
    print(json.dumps({"geometric mean": mean, "largest": largest, "missing": missing}), flush=True)


if __name__ == "__main__":
    main()
