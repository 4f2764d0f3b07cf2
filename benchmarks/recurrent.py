"""Measures LSTM and GRU beside PyTorch and other libraries on the CPU.

Usage: python benchmarks/recurrent.py [--rounds N] [--threads N | --processor] [--only NAME ...]
    [--peers onnxruntime openvino jax]

Two layers of 256 units read sequences of 128 elements of 256 numbers, in float32, with batches of 1
and of 32: an inference, and a training step (mean squared error, SGD). The length stays open, but
JAX compiles each length anew. ONNX Runtime and OpenVINO only run the inference. All libraries have
the same parameters and the same number of threads, and run in turn. The results are compared before
they are measured. Prints the median times in milliseconds, and ours divided by those of each other
library and by the best of each round. --processor measures one thread by its CPU time, for machines
with other work.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

import mithril as ml

STEPS, WIDTH, LAYERS, RATE = 128, 256, 2, 1e-3
PEERS = ("onnxruntime", "openvino", "jax")
Call = Callable[[], object]
Calls = dict[str, Call]  # by library, ours first


def inference(kind: str, batch: int, threads: int, peers: list[str]) -> Calls:
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

    def theirs() -> np.ndarray:
        with torch.inference_mode():
            return layer(x)[0].numpy()

    calls = {"ours": lambda: bound.evaluate({}, data)["output"], "PyTorch": theirs}
    for peer in peers:
        calls[peer] = importlib.import_module(f"recurrent_{peer}").inference(layer, x, threads)
    for name, call in calls.items():
        np.testing.assert_allclose(call(), theirs(), atol=1e-5, err_msg=name)
    return calls


def training(kind: str, batch: int, threads: int, peers: list[str]) -> Calls:
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
    step = ml.TrainingStep(compiled, ml.SGD(lr=RATE))
    data = {"x": x.numpy(), "target": target.numpy()}
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)

    def theirs() -> np.ndarray:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(layer(x)[0], target)
        loss.backward()
        optimizer.step()
        return loss.detach().numpy()

    calls = {"ours": lambda: step(params, data)["final_cost"], "PyTorch": theirs}
    if "jax" in peers:
        calls["jax"] = importlib.import_module("recurrent_jax").training(layer, x, target, RATE)
    losses = [float(call()) for call in calls.values()]
    np.testing.assert_allclose(losses, losses[0], rtol=1e-5)
    return calls


def measure(
    calls: Calls, rounds: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[dict[str, float], dict[str, float]]:
    """The median times in milliseconds, and the median ratios of ours to each and to the best."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, own in zip(calls.values(), times, strict=True):
            begin = clock()
            call()
            own.append((clock() - begin) * 1e3)
    others = dict(zip(list(calls)[1:], times[1:], strict=True))
    others["best"] = [min(each) for each in zip(*times[1:], strict=True)]
    ratios = {
        name: statistics.median(ours / own for ours, own in zip(times[0], each, strict=True))
        for name, each in others.items()
    }
    return dict(zip(calls, map(statistics.median, times), strict=True)), ratios


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--processor", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--peers", nargs="*", default=[], choices=PEERS)
    options = parser.parse_args()
    if options.processor and options.threads != 1:
        parser.error("--processor measures one thread")
    if options.processor and options.peers:
        parser.error(
            "--processor measures the thread that calls, and other libraries use their own"
        )
    clock = time.thread_time if options.processor else time.perf_counter
    if options.threads == 1:  # before jax is imported; else it uses the threads of the process
        flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        os.environ.setdefault("XLA_FLAGS", flags)
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    for kind in ("LSTM", "GRU"):
        for batch in (1, 32):
            for make in (inference, training):
                name = f"{kind}, batch {batch}, {make.__name__}"
                if options.only and not any(word in name for word in options.only):
                    continue
                calls = make(kind, batch, options.threads, options.peers)
                medians, ratios = measure(calls, options.rounds, clock)
                shown = [f"{each} {ms:.2f} ms" for each, ms in medians.items()]
                shown += [f"/ {each} {ratio:.2f}" for each, ratio in ratios.items()]
                print(f"{name:28} {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
