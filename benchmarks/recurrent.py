"""Measures LSTM and GRU beside PyTorch on the CPU.

Usage: python benchmarks/recurrent.py [--rounds N] [--threads N | --processor] [--only NAME ...]

Two layers of 256 units read sequences of 128 elements of 256 numbers, in float32, with batches of 1
and of 32: an inference, and a training step (mean squared error, SGD). The length stays open. Both
libraries have the same parameters and the same number of threads, and run in turn. The outputs are
compared before they are measured. Prints the median times in milliseconds and their ratio.
--processor measures one thread by its CPU time, for machines with other work.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

import mithril as ml

STEPS, WIDTH, LAYERS = 128, 256, 2
Call = Callable[[], object]


def inference(kind: str, batch: int, threads: int) -> tuple[Call, Call]:
    layer, x = getattr(torch.nn, kind)(WIDTH, WIDTH, LAYERS), torch.randn(STEPS, batch, WIDTH)
    model = getattr(ml, kind)(WIDTH, num_layers=LAYERS)
    compiled = ml.compile(
        model,
        ml.CpuBackend(threads=threads),
        shapes={"input": [None, batch, WIDTH]},
        outputs=["output"],
    )
    bound = compiled.bind({key: p.detach().numpy() for key, p in layer.named_parameters()})
    data = {"input": x.numpy()}

    def theirs() -> torch.Tensor:
        with torch.inference_mode():
            return layer(x)[0]

    np.testing.assert_allclose(bound.evaluate({}, data)["output"], theirs().numpy(), atol=1e-5)
    return lambda: bound.evaluate({}, data), theirs


def training(kind: str, batch: int, threads: int) -> tuple[Call, Call]:
    layer, x = getattr(torch.nn, kind)(WIDTH, WIDTH, LAYERS), torch.randn(STEPS, batch, WIDTH)
    target = torch.randn(STEPS, batch, WIDTH)
    model = ml.Model()
    model |= getattr(ml, kind)(WIDTH, num_layers=LAYERS, name="layer")(input="x", output="y")
    trained = ml.TrainModel(model)
    trained.add_loss(ml.SquaredError(), input="y", target="target", reduce_steps=[ml.Mean()])
    compiled = ml.compile(
        trained, ml.CpuBackend(threads=threads), shapes={"x": [None, batch, WIDTH]}
    )
    params = {f"layer.{key}": p.detach().numpy().copy() for key, p in layer.named_parameters()}
    step = ml.TrainingStep(compiled, ml.SGD(lr=1e-3))
    data = {"x": x.numpy(), "target": target.numpy()}
    optimizer = torch.optim.SGD(layer.parameters(), lr=1e-3)

    def theirs() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(layer(x)[0], target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    np.testing.assert_allclose(step(params, data)["final_cost"], theirs().numpy(), rtol=1e-5)
    return lambda: step(params, data), theirs


def medians(
    calls: tuple[Call, Call], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for call, own in zip(calls, times, strict=True):
            begin = clock()
            call()
            own.append(clock() - begin)
    return [statistics.median(own) * 1e3 for own in times]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    if options.processor and options.threads != 1:
        parser.error("--processor measures one thread")
    clock = time.thread_time if options.processor else time.perf_counter
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    for kind in ("LSTM", "GRU"):
        for batch in (1, 32):
            for make in (inference, training):
                name = f"{kind}, batch {batch}, {make.__name__}"
                if options.only and not any(word in name for word in options.only):
                    continue
                ours, theirs = medians(make(kind, batch, options.threads), options.rounds, clock)
                print(f"{name:28} {ours:8.2f} ms, PyTorch {theirs:8.2f} ms, {ours / theirs:5.2f}")


if __name__ == "__main__":
    main()
