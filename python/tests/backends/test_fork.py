"""Processes that fork: a child evaluates with its own threads."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest
from processes import printed_by

import mithril as ml

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# Large enough for several threads.
X = np.ones((256, 256), np.float32)


def layers() -> Any:
    model = ml.Model()
    model |= ml.Linear(256)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    return ml.compile(model, ml.CpuBackend(threads=4), shapes={"x": [256, 256]})


def status_of_child(body: Callable[[], bool]) -> int:
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if body() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def check_child() -> None:
    """A child keeps its processors and its results, and so does its parent."""
    compiled = layers()
    params = compiled.get_parameters()
    expected = np.asarray(compiled.evaluate(params, {"x": X})["y"])
    processors = os.sched_getaffinity(0)

    def evaluate() -> bool:
        for _ in range(20):
            made = np.asarray(compiled.evaluate(params, {"x": X})["y"])
            if not np.array_equal(made, expected):
                return False
        return os.sched_getaffinity(0) == processors

    assert status_of_child(evaluate) == 0
    assert np.array_equal(np.asarray(compiled.evaluate(params, {"x": X})["y"]), expected)


def evaluate_rows(rows: int) -> float:
    model = ml.Model()
    model |= ml.Linear(256)(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(threads=4), shapes={"x": [rows, 256]})
    params = {name: np.ones_like(value) for name, value in compiled.get_parameters().items()}
    outputs = compiled.evaluate(params, {"x": X[:rows]})
    return float(np.asarray(outputs["y"]).sum())


def check_workers() -> None:
    expected = [evaluate_rows(rows) for rows in (64, 128, 200)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(evaluate_rows, (64, 128, 200)) == expected


def answers(engine: ml.Engine, value: float) -> list[float]:
    requests = [{"x": np.full((1, 3), value + i, np.float32)} for i in range(5)]
    made = engine.infer_batch("net", requests)
    made.append(engine.infer("net", requests[0]))
    made.append(engine.infer_async("net", requests[1]).result())
    return [float(np.asarray(result["y"]).sum()) for result in made]


def check_engine() -> None:
    """A child of a process whose engine has workers gets its own, and ends."""
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 3]}, inference=True)
    params = compiled.get_parameters(seed=1)
    engine = ml.Engine(threads=2)
    engine.register_model("net", compiled, params, max_batch_size=4)
    waits = ml.Engine(threads=2)  # for more rows than come
    waits.register_model("net", compiled, params, max_batch_size=4, max_delay=1e6)
    waiting = waits.infer_async("net", {"x": np.ones((1, 3), np.float32)})
    expected = answers(engine, 1)

    def serve() -> bool:
        if answers(engine, 1) != expected or engine.stats("net")["waiting"] != 0:
            return False
        try:
            waiting.result()
        except ml.BackendError as error:
            text = (
                "mithril.BackendError[E1212]: a request to model 'net' was sent before this "
                "process was forked, so the parent answers it"
            )
            if not str(error).startswith(text):
                return False
        engine.unload("net")
        engine.register_model("net", compiled, params)
        engine.infer("net", {"x": np.ones((1, 3), np.float32)})
        ml.Engine(threads=1).register_model("net", compiled, params)
        engine.shut_down()
        return True

    def leave() -> bool:
        nonlocal engine, waits
        del engine, waits
        return True

    assert status_of_child(serve) == 0
    assert status_of_child(leave) == 0
    assert answers(engine, 1) == expected
    waiting.cancel()


def check_server() -> None:
    """The server of the parent goes on; a child has none, and ends."""
    model = ml.Model()
    model |= ml.Relu()(input="x", output="y")
    engine = ml.Engine()
    engine.register_model("net", ml.compile(model, ml.CpuBackend(), shapes={"x": [1]}))
    server = ml.serve(engine, port=0)

    def stop() -> bool:
        server.wait()
        return server.stop()

    def leave() -> bool:
        nonlocal server
        del server
        return True

    assert status_of_child(stop) == 0
    assert status_of_child(leave) == 0
    with urlopen(f"http://127.0.0.1:{server.port}/v2/health/live") as answer:
        assert answer.status == 200
    assert server.stop()


# Other tests leave threads of other libraries, which may hold locks when this process forks.
def test_a_child_keeps_its_processors_and_its_results() -> None:
    printed_by("import test_fork; test_fork.check_child()")


def test_workers_of_multiprocessing_compile_and_evaluate() -> None:
    printed_by("import test_fork; test_fork.check_workers()")


def test_a_server_is_that_of_the_parent() -> None:
    printed_by("import test_fork; test_fork.check_server()")


def test_an_engine_serves_in_a_child() -> None:
    printed_by("import test_fork; test_fork.check_engine()")
