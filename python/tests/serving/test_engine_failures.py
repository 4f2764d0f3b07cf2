"""Engines whose work fails: by exceptions of a user's op, by threads that cannot start."""

import itertools
import threading
from typing import Any

import numpy as np
import pytest

import mithril as ml

Arrays = dict[str, Any]
LARGEST = 5
_numbers = itertools.count()


def checked_rows() -> Any:
    """y [N, 2] is twice x [N, 2]. Rows above LARGEST are a ValueError of Python."""

    def function(x: Any) -> Any:
        if (x > LARGEST).any():
            raise ValueError("a row is too large")
        return 2 * x

    name = f"checked_rows_{next(_numbers)}"  # ops live as long as the process
    op = ml.add_op(name, inputs={"x": "N D"}, outputs={"output": "N D"}, function=function)
    model = ml.Model()
    model |= op()(x="x", output="y")
    return ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 2]}, data_keys={"x"})


def row(number: float) -> Arrays:
    return {"x": np.full((1, 2), number, np.float32)}


def balance(stats: dict[str, Any]) -> None:
    ended = ("answered", "failed", "rejected", "expired", "cancelled")
    assert stats["requests"] == sum(stats[outcome] for outcome in ended)
    assert stats["waiting"] == 0


@pytest.mark.parametrize("delay", [0, 0.01])
def test_a_row_that_raises_an_exception_of_python_fails_alone(delay: float) -> None:
    engine = ml.Engine(threads=2)
    engine.register_model("net", checked_rows(), max_batch_size=4, max_delay=delay)
    numbers = [1, 2, 9, 3, 9, 4]
    answers = engine.infer_batch("net", [row(number) for number in numbers], return_errors=True)
    for number, answer in zip(numbers, answers, strict=True):
        if number > LARGEST:
            assert isinstance(answer, ValueError)
            assert str(answer) == "a row is too large"
        else:
            assert np.array_equal(answer["y"], 2 * row(number)["x"])
    with pytest.raises(ValueError, match="too large"):
        engine.infer_batch("net", [row(1), row(9)])
    balance(engine.stats("net"))


def test_an_exception_of_python_in_the_background_goes_to_its_caller() -> None:
    engine = ml.Engine(threads=2)
    engine.register_model("net", checked_rows(), max_batch_size=4)
    pending = [engine.infer_async("net", row(number)) for number in (1, 9, 2)]
    assert np.array_equal(pending[0].result()["y"], 2 * row(1)["x"])
    with pytest.raises(ValueError, match="too large"):
        pending[1].result()
    assert np.array_equal(pending[2].result()["y"], 2 * row(2)["x"])
    balance(engine.stats("net"))


def test_many_threads_with_some_rows_that_raise() -> None:
    engine = ml.Engine(threads=3)
    engine.register_model("net", checked_rows(), max_batch_size=8)
    wrong: list[str] = []

    def client(first: int) -> None:
        for i in range(40):
            number = (first + i) % 8
            try:
                answer = engine.infer("net", row(number))
                if number > LARGEST or not np.array_equal(answer["y"], 2 * row(number)["x"]):
                    wrong.append(f"{number}: {answer}")
            except ValueError:
                if number <= LARGEST:
                    wrong.append(f"{number} raised")

    threads = [threading.Thread(target=client, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    balance(engine.stats("net"))
