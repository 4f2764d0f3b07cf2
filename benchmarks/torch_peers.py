"""Steps of training and inference on TorchBackend, beside PyTorch's own eager mode.

Prints JSON: medians in milliseconds, and the median of the ratios of rounds that were run one after
the other; for inference also how far the outputs are apart, relative to the largest. Usage:
python benchmarks/torch_peers.py [--processor] [ROUNDS [WORKLOAD ...]], on the CPU with 2 threads,
or with --processor with one, by the time of the processor, which other work on the machine disturbs
less. Both sides train the same weights with the same fused Adam; `bound` is inference with the
parameters fixed. Workloads that end in `_written_out` have attention as two products and a softmax.
"""

import argparse
import copy
import json
import math
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import nn

import mithril as ml

F = nn.functional
Step = Callable[[], object]
Clock = Callable[[], float]


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Basic(nn.Module):
    """Two convolutions of ResNet-18 with a shortcut."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.short: nn.Module = nn.Identity()
        if stride != 1 or before != after:
            self.short = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(hidden)) + self.short(x))


class ResNet18(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()
        )
        self.pool = nn.MaxPool2d(3, 2, 1)
        sizes = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
        self.blocks = nn.Sequential(
            *(
                layer
                for before, after, stride in sizes
                for layer in (Basic(before, after, stride), Basic(after, after, 1))
            )
        )
        self.head = nn.Linear(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.pool(self.stem(x))).mean(dim=(2, 3)))


def attention_written_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]))
    return torch.softmax(scores, -1) @ v


class BertBlock(nn.Module):
    def __init__(self, width: int = 768, heads: int = 12, written_out: bool = False) -> None:
        super().__init__()
        self.width, self.heads = width, heads
        self.attend = attention_written_out if written_out else F.scaled_dot_product_attention
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def by_head(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(-1, 128, self.heads, self.width // self.heads).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.qkv(x).split(self.width, 2)
        q, k, v = (self.by_head(parts[i]) for i in range(3))
        attention = self.attend(q, k, v)
        x = self.norm1(x + self.out(attention.transpose(1, 2).reshape(-1, 128, self.width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class BertBase(nn.Module):
    """12 blocks with the embeddings of BERT-base; all tokens have the same type."""

    def __init__(self, width: int = 768, written_out: bool = False) -> None:
        super().__init__()
        self.words, self.types = nn.Embedding(30522, width), nn.Embedding(2, width)
        self.places = nn.Parameter(torch.randn(128, width))
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.Sequential(*(BertBlock(width, written_out=written_out) for _ in range(12)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.blocks(self.norm(self.words(x) + self.places + self.types.weight[0]))


WORKLOADS: dict[str, tuple[Callable[[], nn.Module], torch.Tensor]] = {
    "mlp": (Mlp, torch.randn(64, 784)),
    "resnet18": (ResNet18, torch.randn(4, 3, 64, 64)),
    "bert_block": (BertBlock, torch.randn(1, 128, 768)),
    "bert_base": (BertBase, torch.randint(30522, (1, 128))),
    "bert_base_written_out": (partial(BertBase, written_out=True), torch.randint(30522, (1, 128))),
}
INFERENCE_ONLY = {"bert_base", "bert_base_written_out"}


def eager_training(module: nn.Module, x: torch.Tensor, target: torch.Tensor) -> Step:
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(module(x), target).backward()
        optimizer.step()

    return step


def our_training(module: nn.Module, x: torch.Tensor, target: torch.Tensor) -> Step:
    model, params = ml.from_torch(module, x)
    net = ml.Model()
    net |= model(x="x", output="y")
    net |= ml.SquaredError()(input="y", target="target", output="errors")
    net |= ml.Mean()(input="errors", output="loss")
    net.expose_keys("loss")
    shapes = {"x": list(x.shape), "target": list(target.shape)}
    compiled = ml.compile(net, ml.TorchBackend(), shapes=shapes, data_keys=["x", "target"])
    values = dict(zip(compiled.parameter_keys, params.values(), strict=True))
    optimizer = torch.optim.Adam(values.values(), lr=1e-4, fused=True)
    state = compiled.initial_state_dict

    def step() -> None:
        nonlocal state
        _, gradients, state = compiled.evaluate(
            values, {"x": x, "target": target}, output_gradients=True, state=state
        )
        for key, gradient in gradients.items():
            values[key].grad = gradient
        optimizer.step()

    return step


def eager_inference(module: nn.Module, x: torch.Tensor) -> Callable[[], torch.Tensor]:
    def step() -> torch.Tensor:
        with torch.inference_mode():
            return module(x)

    return step


def our_inference(module: nn.Module, x: torch.Tensor, bound: bool) -> Callable[[], torch.Tensor]:
    model, params = ml.from_torch(module, x)
    compiled = ml.compile(model, ml.TorchBackend(), inference=True)
    if bound:
        compiled, params = compiled.bind(params), {}
    return lambda: compiled.evaluate(params, {"x": x})["output"]


def relative_error(got: torch.Tensor, expected: torch.Tensor) -> float:
    error = (got - expected).abs().max() / expected.abs().max()
    return float(f"{error.item():.1e}")


def timed(step: Step, seconds: float, clock: Clock) -> float:
    """Returns the median milliseconds of as many steps as fit into the seconds, at least three."""
    step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        begin = clock()
        step()
        times.append((clock() - begin) * 1000)
    return statistics.median(times)


def compare(
    peers: Mapping[str, Step], rounds: int, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Measures all peers in rounds, and compares each with the first."""
    first = next(iter(peers))
    found: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, step in peers.items():
            found[name].append(timed(step, 0.4, clock))
    row = {name: round(statistics.median(times), 3) for name, times in found.items()}
    for name, times in found.items():
        if name != first:
            ratios = [ours / theirs for ours, theirs in zip(times, found[first], strict=True)]
            row[f"{name} / {first}"] = round(statistics.median(ratios), 3)
    return row


def overhead(rounds: int) -> dict[str, float]:
    """Returns the microseconds that a call, and an op, take beyond the same calls of torch."""

    def chain(length: int) -> tuple[Step, Step]:
        model = ml.Model()
        model |= ml.Relu()(input="x")
        for _ in range(length - 1):
            model += ml.Tanh()
        compiled = ml.compile(
            model, ml.TorchBackend(), shapes={"x": [4]}, data_keys=["x"], inference=True
        )
        x = torch.ones(4)

        def eager() -> torch.Tensor:
            y = torch.relu(x)
            for _ in range(length - 1):
                y = torch.tanh(y)
            return y

        return lambda: compiled.evaluate({}, {"x": x}), eager

    beyond: dict[int, float] = {}
    for length in (1, 101):
        ours, eager = chain(length)
        row = compare({"eager": eager, "ours": ours}, rounds)
        beyond[length] = (row["ours"] - row["eager"]) * 1000
    an_op = (beyond[101] - beyond[1]) / 100
    return {"us a call": round(beyond[1], 2), "us an op": round(an_op, 3)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("rounds", nargs="?", type=int, default=9)
    parser.add_argument("workloads", nargs="*", metavar="workload")
    options = parser.parse_args()
    rounds = options.rounds
    torch.set_num_threads(1 if options.processor else 2)
    clock = time.thread_time if options.processor else time.perf_counter
    torch.manual_seed(0)
    print(json.dumps({"overhead": overhead(rounds)}), flush=True)
    for name in options.workloads or WORKLOADS:
        make, x = WORKLOADS[name]
        module = make()
        if name not in INFERENCE_ONLY:
            with torch.no_grad():
                target = torch.randn_like(module(x))
            training = {
                "eager": eager_training(copy.deepcopy(module), x, target),
                "ours": our_training(copy.deepcopy(module), x, target),
            }
            print(json.dumps({f"train {name}": compare(training, rounds, clock)}), flush=True)
        module.eval()
        inference = {
            "eager": eager_inference(module, x),
            "ours": our_inference(module, x, bound=False),
            "bound": our_inference(module, x, bound=True),
        }
        row = {"error": relative_error(inference["bound"](), inference["eager"]())}
        row.update(compare(inference, rounds, clock))
        print(json.dumps({f"infer {name}": row}), flush=True)


if __name__ == "__main__":
    main()
