"""Measures loops of many short steps, and how long it takes to compile a loop.

Usage: python benchmarks/short_steps.py [--rounds N] [--jax]

- scan: 10,000 steps of 10 elementwise ops on 8 numbers, in float32, with one thread: the time of a
  step, beside a jitted `lax.scan` with --jax.
- lstm: an LSTM of 2 and of 512 steps is composed and compiled, and the ratio of both times.

Calls are interleaved. Prints medians.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable

import numpy as np

import mithril as ml

STEPS = 10_000


def ten_ops(h: object, x: object, tanh: Callable) -> object:
    a = tanh(h * 0.9 + x)
    b = (a - h) * 0.5
    return tanh(b * x + a) + b * 0.1


def tanh(value: ml.Connection) -> ml.Connection:
    return ml.Tanh()(value)  # a part of its own for each call


def scan() -> tuple[Callable[[], object], dict[str, np.ndarray]]:
    h, x = ml.IOKey("h"), ml.IOKey("x")
    body = ml.Model.create(h_next=ten_ops(h, x, tanh))
    loop = ml.Scan(body, carry={"h": "h_next"}, sequences=["x"])
    compiled = ml.compile(loop, ml.CpuBackend(threads=1), shapes={"x": [None, 8], "h": [8]})
    data = {
        "x": np.random.default_rng(0).normal(size=(STEPS, 8)).astype(np.float32),
        "h": np.zeros(8, np.float32),
    }
    return lambda: compiled.evaluate({}, data)["h_last"], data


def scan_in_jax(data: dict[str, np.ndarray]) -> Callable[[], object]:
    jax = importlib.import_module("jax")  # only with --jax
    jnp = jax.numpy

    def run(h: object, x: object) -> object:
        return jax.lax.scan(lambda h, x: (ten_ops(h, x, jnp.tanh), None), h, x)[0]

    compiled = jax.jit(run)
    h, x = jnp.asarray(data["h"]), jnp.asarray(data["x"])
    return lambda: np.asarray(compiled(h, x))


def lstm(steps: int) -> Callable[[], object]:
    def compile_it() -> object:
        shapes = {"input": [steps, 4, 32]}
        return ml.compile(ml.LSTM(64, num_layers=2), ml.CpuBackend(threads=1), shapes=shapes)

    return compile_it


def medians(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--jax", action="store_true")
    options = parser.parse_args()
    ours, data = scan()
    calls = {"ours": ours}
    if options.jax:
        calls["jax"] = scan_in_jax(data)
        np.testing.assert_allclose(ours(), calls["jax"](), atol=1e-4)
    for name, seconds in medians(calls, options.rounds).items():
        print(f"scan, {name}: {seconds / STEPS * 1e6:.3f} microseconds per step")
    both = medians({str(steps): lstm(steps) for steps in (2, 512)}, options.rounds)
    print(f"lstm: {both['512'] / both['2']:.2f} times as long for 512 steps as for 2")


if __name__ == "__main__":
    main()
