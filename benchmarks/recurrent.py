"""Measures LSTM and GRU beside PyTorch and other libraries on the CPU.

Usage: python benchmarks/recurrent.py [--rounds N] [--threads N | --processor] [--only NAME ...]
    [--peers onnxruntime openvino jax]

Two layers of 256 units read sequences of 128 elements of 256 numbers, in float32, with batches of 1
and of 32: an inference, and a training step (mean squared error, SGD). The length stays open, but
JAX compiles each length anew. ONNX Runtime and OpenVINO only run the inference. All libraries have
the same parameters and the same number of threads. Each has a process of its own, which is stopped
except during its turn of at least 0.2 seconds, because idle threads of one library may spin beside
those of the next one. The first results are compared. Prints the median times in milliseconds, and
ours divided by those of each other library and by the best of each round. --processor measures one
thread by its CPU time, for machines with other work.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import signal
import statistics
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import numpy as np
import torch

import mithril as ml

STEPS, WIDTH, LAYERS, RATE = 128, 256, 2, 1e-3
PEERS = ("onnxruntime", "openvino", "jax")
TURN = 0.2  # seconds
Call = Callable[[], object]
Make = Callable[[str, int, int, str], Call]  # of the kind, batch, threads and library
Clock = Callable[[], float]


def inference(kind: str, batch: int, threads: int, library: str) -> Call:
    layer, x = getattr(torch.nn, kind)(WIDTH, WIDTH, LAYERS), torch.randn(STEPS, batch, WIDTH)
    if library in PEERS:
        return importlib.import_module(f"recurrent_{library}").inference(layer, x, threads)

    def theirs() -> np.ndarray:
        with torch.inference_mode():
            return layer(x)[0].numpy()

    if library == "PyTorch":
        return theirs
    model = getattr(ml, kind)(WIDTH, num_layers=LAYERS)
    compiled = ml.compile(
        model,
        ml.CpuBackend(threads=threads),
        shapes={"input": [None, batch, WIDTH]},
        outputs=["output"],
    )
    bound = compiled.bind({key: p.detach().numpy() for key, p in layer.named_parameters()})
    data = {"input": x.numpy()}
    return lambda: bound.evaluate({}, data)["output"]


def training(kind: str, batch: int, threads: int, library: str) -> Call:
    layer, x = getattr(torch.nn, kind)(WIDTH, WIDTH, LAYERS), torch.randn(STEPS, batch, WIDTH)
    target = torch.randn(STEPS, batch, WIDTH)
    if library == "jax":
        return importlib.import_module("recurrent_jax").training(layer, x, target, RATE)
    optimizer = torch.optim.SGD(layer.parameters(), lr=RATE)

    def theirs() -> np.ndarray:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(layer(x)[0], target)
        loss.backward()
        optimizer.step()
        return loss.detach().numpy()

    if library == "PyTorch":
        return theirs
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
    return lambda: step(params, data)["final_cost"]


def work(connection: Connection, make: Make, case: tuple[str, int, int, str], clock: Clock) -> None:
    """The process of one library: sends its first result, then the milliseconds of each turn."""
    threads = case[2]
    if threads == 1:  # before jax is imported; else it uses the threads of the process
        flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        os.environ.setdefault("XLA_FLAGS", flags)
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    call = make(*case)
    connection.send(np.asarray(call()))
    while connection.recv():
        call()  # wakes the threads of the library
        count, begin = 0, clock()
        while (taken := clock() - begin) < TURN:
            call()
            count += 1
        connection.send(taken / count * 1e3)


class Worker:
    """A process that is stopped except during its turn, because threads of libraries spin."""

    def __init__(self, make: Make, case: tuple[str, int, int, str], clock: Clock) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, make, case, clock), daemon=True)
        self.process.start()
        self.first = self.connection.recv()
        self._signal(signal.SIGSTOP)

    def turn(self) -> float:
        self._signal(signal.SIGCONT)
        self.connection.send(True)
        milliseconds = self.connection.recv()
        self._signal(signal.SIGSTOP)
        return milliseconds

    def end(self) -> None:
        self._signal(signal.SIGCONT)
        self.connection.send(False)
        self.process.join()

    def _signal(self, number: signal.Signals) -> None:
        assert self.process.pid
        os.kill(self.process.pid, number)


def measure(workers: dict[str, Worker], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """The median times in milliseconds, and the median ratios of ours to each and to the best."""
    times: list[list[float]] = [[] for _ in workers]
    for _ in range(rounds):
        for worker, own in zip(workers.values(), times, strict=True):
            own.append(worker.turn())
    others = dict(zip(list(workers)[1:], times[1:], strict=True))
    others["best"] = [min(each) for each in zip(*times[1:], strict=True)]
    ratios = {
        name: statistics.median(ours / own for ours, own in zip(times[0], each, strict=True))
        for name, each in others.items()
    }
    return dict(zip(workers, map(statistics.median, times), strict=True)), ratios


def libraries_of(make: Make, peers: list[str]) -> list[str]:
    return ["ours", "PyTorch", *(peer for peer in peers if make is inference or peer == "jax")]


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
    for kind in ("LSTM", "GRU"):
        for batch in (1, 32):
            for make in (inference, training):
                name = f"{kind}, batch {batch}, {make.__name__}"
                if options.only and not any(word in name for word in options.only):
                    continue
                workers = {
                    library: Worker(make, (kind, batch, options.threads, library), clock)
                    for library in libraries_of(make, options.peers)
                }
                for library, worker in workers.items():
                    expected = workers["PyTorch"].first
                    np.testing.assert_allclose(worker.first, expected, 1e-5, 1e-5, err_msg=library)
                medians, ratios = measure(workers, options.rounds)
                for worker in workers.values():
                    worker.end()
                shown = [f"{each} {ms:.2f} ms" for each, ms in medians.items()]
                shown += [f"/ {each} {ratio:.2f}" for each, ratio in ratios.items()]
                print(f"{name:28} {', '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
