"""Measures derivatives and `vmap` beside JAX and torch.func with torch.compile.

Usage: python benchmarks/derivatives.py [--rounds N] [--only NAME ...]

All three run with one thread and the same numbers, in float32. The calls are interleaved: in each
round each of them runs a few times. Each result is compared with that of JAX before it is measured.
Prints the median times in microseconds, and the ratio of Mithril to the faster of the others.

- hvp_mlp: the product of the Hessian of the loss of an MLP (64-256-256-10, 128 rows) and a vector.
- hvp_attention: the same for a layer of attention and an MLP (width 64, 4 heads, 64 positions).
- hvp_gpt: the same for a GPT (2 layers, width 64, 4 heads, 64 positions, 256 tokens) with a
  cross-entropy, by the matrices of all attentions.
- ode: the loss of the network of examples/python/solve_ode.py with 64 points, and its gradients.
- hessian_mlp: the Hessian of a loss with respect to 64 inputs.
- ensemble: a gradient of the losses of 8 networks (64-128-10, 64 rows).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax
import jax.numpy as jnp
import numpy as np
import torch

import mithril as ml

CALLS = 20  # in a round
Arrays = dict[str, np.ndarray]
Call = Callable[[], object]


def draw(**shapes: tuple[int, ...]) -> Arrays:
    random = np.random.default_rng(0)
    return {
        name: (random.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in shapes.items()
    }


class Workload:
    """A function of arrays, for the three libraries, and the arrays."""

    def __init__(self, data: Arrays, ours: ml.Model, function: Callable, derive: Callable) -> None:
        """function(library, arrays): a loss. derive(library functions, loss): what is measured."""
        self.data, self.ours, self.function, self.derive = data, ours, function, derive

    def mithril(self) -> Call:
        compiled = ml.compile(
            self.ours,
            ml.CpuBackend(threads=1),
            data_keys=set(self.data),
            shapes={key: list(value.shape) for key, value in self.data.items()},
        )
        return lambda: compiled.evaluate({}, self.data)["output"]

    def jax(self) -> Call:
        derived = jax.jit(self.derive(jax, lambda data: self.function(jnp, jax.nn.softmax, data)))
        data = {key: jnp.asarray(value) for key, value in self.data.items()}
        return lambda: derived(data).block_until_ready()

    def torch(self) -> Call:
        def softmax(x: torch.Tensor) -> torch.Tensor:
            return torch.softmax(x, -1)

        derived = torch.compile(
            self.derive(torch.func, lambda data: self.function(torch, softmax, data))
        )
        data = {key: torch.from_numpy(value) for key, value in self.data.items()}
        return lambda: derived(data)


def keys(**shapes: tuple[int, ...]) -> dict[str, ml.IOKey]:
    return {name: ml.IOKey(name, shape=list(shape)) for name, shape in shapes.items()}


def hvp_by(name: str) -> Callable:
    """The product of the Hessian with respect to data[name] and data["v"]."""

    def derive(library: object, loss: Callable) -> Callable:
        def product(data: dict) -> object:
            def gradient(at: object) -> object:
                return library.grad(lambda at: loss({**data, name: at}))(at)

            return library.jvp(gradient, (data[name],), (data["v"],))[1]

        return product

    return derive


def mlp_loss(library: object, softmax: Callable, data: dict) -> object:
    h = library.tanh(data["x"] @ data["a"])
    h = library.tanh(h @ data["b"])
    return ((h @ data["c"]) ** 2).mean()


def hvp_mlp() -> Workload:
    shapes = {"x": (128, 64), "a": (64, 256), "b": (256, 256), "c": (256, 10)}
    k = keys(**shapes, v=(256, 256))
    h = ml.Tanh()(k["x"] @ k["a"])
    y = ml.Tanh()(h @ k["b"]) @ k["c"]
    model = ml.Model.create(output=ml.hvp((y * y).mean(), k["b"], k["v"]))
    return Workload(draw(**shapes, v=(256, 256)), model, mlp_loss, hvp_by("b"))


def attention_loss(library: object, softmax: Callable, data: dict) -> object:
    x = data["x"]

    def heads(name: str) -> object:
        return (x @ data[name]).reshape(64, 4, 16).swapaxes(0, 1)

    scores = softmax(heads("q") @ heads("k").swapaxes(1, 2) * 0.25)
    mixed = (scores @ heads("w")).swapaxes(0, 1).reshape(64, 64)
    h = x + mixed @ data["o"]
    return ((h + library.tanh(h @ data["a"]) @ data["b"]) ** 2).mean()


def hvp_attention() -> Workload:
    square = dict.fromkeys(("x", "q", "k", "w", "o", "v"), (64, 64))
    shapes = {**square, "a": (64, 256), "b": (256, 64)}
    k = keys(**shapes)

    def heads(name: str) -> ml.Connection:
        return (k["x"] @ k[name]).reshape((64, 4, 16)).transpose((1, 0, 2))

    scores = ml.Softmax(axis=-1)(heads("q") @ heads("k").transpose((0, 2, 1)) * 0.25)
    h = k["x"] + (scores @ heads("w")).transpose((1, 0, 2)).reshape((64, 64)) @ k["o"]
    y = h + ml.Tanh()(h @ k["a"]) @ k["b"]
    model = ml.Model.create(output=ml.hvp((y * y).mean(), k["q"], k["v"]))
    return Workload(draw(**shapes), model, attention_loss, hvp_by("q"))


def gpt_loss(library: object, softmax: Callable, data: dict) -> object:
    def norm(x: object) -> object:
        centred = x - x.mean(-1, keepdims=True)
        return centred / ((centred * centred).mean(-1, keepdims=True) + 1e-5) ** 0.5

    def heads(x: object) -> object:
        return x.reshape(64, 4, 16).swapaxes(0, 1)

    x = data["wte"][data["ids"]] + data["wpe"]
    for layer in range(2):
        q, k, v, o = (data["attention"][layer, i] for i in range(4))
        h = norm(x)
        scores = softmax(heads(h @ q) @ heads(h @ k).swapaxes(1, 2) * 0.25 + data["mask"])
        x = x + (scores @ heads(h @ v)).swapaxes(0, 1).reshape(64, 64) @ o
        x = x + library.tanh(norm(x) @ data["up"][layer]) @ data["down"][layer]
    logits = norm(x) @ data["wte"].T
    logits = logits - library.log(library.exp(logits).sum(-1, keepdims=True))
    return -(logits * data["target"]).sum() / 64


def hvp_gpt() -> Workload:
    shapes = {
        "attention": (2, 4, 64, 64),
        "up": (2, 64, 256),
        "down": (2, 256, 64),
        "wte": (256, 64),
        "wpe": (64, 64),
    }
    data = draw(**shapes, v=(2, 4, 64, 64))
    ids = np.random.default_rng(1).integers(256, size=(2, 64))
    data["ids"], data["target"] = ids[0], np.eye(256, dtype=np.float32)[ids[1]]
    data["mask"] = np.triu(np.full((64, 64), -1e9, np.float32), 1)
    k = keys(**{key: array.shape for key, array in data.items()})
    norm = ml.LayerNorm(use_scale=False, use_bias=False)

    def heads(x: ml.Connection) -> ml.Connection:
        return x.reshape((64, 4, 16)).transpose((1, 0, 2))

    x = ml.Embedding()(k["ids"], weight=k["wte"]) + k["wpe"]
    for layer in range(2):
        wq, wk, wv, wo = (k["attention"][layer, i] for i in range(4))
        h = norm.copy()(x)
        scores = heads(h @ wq) @ heads(h @ wk).transpose((0, 2, 1)) * 0.25 + k["mask"]
        mixed = ml.Softmax(axis=-1)(scores) @ heads(h @ wv)
        x = x + mixed.transpose((1, 0, 2)).reshape((64, 64)) @ wo
        x = x + ml.Tanh()(norm.copy()(x) @ k["up"][layer]) @ k["down"][layer]
    logits = ml.LogSoftmax()(norm(x) @ k["wte"].T)
    loss = -(logits * k["target"]).sum() / 64.0
    model = ml.Model.create(output=ml.hvp(loss, k["attention"], k["v"]))
    return Workload(data, model, gpt_loss, hvp_by("attention"))


def ode() -> Workload:
    shapes = {"x": (64, 1), "a": (1, 24), "b": (24, 24), "c": (24, 1)}
    k = keys(**shapes)
    x = k["x"]
    u = x * (np.pi - x) * (ml.Tanh()(ml.Tanh()(x @ k["a"]) @ k["b"]) @ k["c"])
    residual = ml.gradient(ml.gradient(u, x, seed=1.0), x, seed=1.0) + x.sin()
    model = ml.Model.create(output=ml.gradient((residual * residual).mean(), k["b"]))

    def loss(library: object, softmax: Callable, data: dict) -> object:
        return data  # the derivatives below have it

    def derive(library: object, _: Callable) -> Callable:
        of_jax = library is jax
        functions = jnp if of_jax else torch

        def u_of(x: object, data: dict) -> object:
            h = functions.tanh(functions.tanh(x * data["a"][0]) @ data["b"])
            return (x * (np.pi - x) * (h @ data["c"])[0]).reshape(())

        def cost(b: object, data: dict) -> object:
            own = {**data, "b": b}
            second = library.grad(library.grad(u_of))
            bends = library.vmap(lambda x: second(x, own))(data["x"][:, 0])
            return ((bends + functions.sin(data["x"][:, 0])) ** 2).mean()

        return lambda data: library.grad(cost)(data["b"], data)

    return Workload(draw(**shapes), model, loss, derive)


def hessian_mlp() -> Workload:
    shapes = {"x": (64,), "a": (64, 128), "b": (128, 128), "c": (128,)}
    k = keys(**shapes)
    h = ml.Tanh()(ml.Tanh()(k["x"].reshape((1, 64)) @ k["a"]) @ k["b"])
    loss = (h * k["c"]).sum()
    model = ml.Model.create(output=ml.hessian(loss, k["x"]))

    def function(library: object, softmax: Callable, data: dict) -> object:
        h = library.tanh(library.tanh(data["x"] @ data["a"]) @ data["b"])
        return (h * data["c"]).sum()

    def derive(library: object, loss: Callable) -> Callable:
        return lambda data: library.hessian(lambda x: loss({**data, "x": x}))(data["x"])

    return Workload(draw(**shapes), model, function, derive)


def ensemble() -> Workload:
    shapes = {"x": (64, 64), "a": (8, 64, 128), "b": (8, 128, 10)}
    one = keys(x=(64, 64), a=(64, 128), b=(128, 10))
    y = ml.Tanh()(one["x"] @ one["a"]) @ one["b"]
    net = ml.Model.create(slope=ml.gradient((y * y).mean(), one["a"]))
    model = ml.Model()
    model |= ml.vmap(net, in_axes={"a": 0, "b": 0})(x="x", a="a", b="b", slope="output")

    def function(library: object, softmax: Callable, data: dict) -> object:
        return ((library.tanh(data["x"] @ data["a"]) @ data["b"]) ** 2).mean()

    def derive(library: object, loss: Callable) -> Callable:
        def slope(x: object, a: object, b: object) -> object:
            return library.grad(lambda a: loss({"x": x, "a": a, "b": b}))(a)

        mapped = library.vmap(slope, (None, 0, 0))
        return lambda data: mapped(data["x"], data["a"], data["b"])

    return Workload(draw(**shapes), model, function, derive)


WORKLOADS = {
    each.__name__: each for each in (hvp_mlp, hvp_attention, hvp_gpt, ode, hessian_mlp, ensemble)
}


def measure(name: str, rounds: int) -> None:
    workload = WORKLOADS[name]()
    calls = {"mithril": workload.mithril(), "jax": workload.jax(), "torch": workload.torch()}
    expected = np.asarray(calls["jax"]())
    for library, call in calls.items():
        got = np.asarray(call())
        scale = np.abs(expected).max()
        assert np.abs(got - expected).max() <= 2e-4 * scale, f"{name}: {library} differs from JAX"
    times: dict[str, list[float]] = {library: [] for library in calls}
    for _ in range(rounds):
        for library, call in calls.items():
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            times[library].append((time.perf_counter() - start) / CALLS * 1e6)
    ratios = [
        ours / min(others)
        for ours, *others in zip(times["mithril"], times["jax"], times["torch"], strict=True)
    ]
    medians = "  ".join(f"{key} {statistics.median(each):8.1f}" for key, each in times.items())
    print(f"{name:14} {medians}  ours / best {statistics.median(ratios):.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", nargs="*", choices=sorted(WORKLOADS), default=list(WORKLOADS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for name in arguments.only:
        measure(name, arguments.rounds)


if __name__ == "__main__":
    main()
