"""Every library model with sizes of 0: each backend gives the same, or all refuse them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from layer_cases import LIBRARY
from layer_cases.case import Example, Input
from test_library import evaluated

import mithril as ml


def dims_of(value: Input) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else value


def emptied(example: Example, size: int) -> Example:
    """Returns the example with 0 in the place of every dim of this size."""

    def without(value: Input) -> Input:
        if not isinstance(value, np.ndarray):
            return tuple(0 if dim == size else dim for dim in value)
        for axis, dim in enumerate(value.shape):
            if dim == size:
                value = np.take(value, [], axis)
        return value

    return replace(example, inputs={key: without(value) for key, value in example.inputs.items()})


EXAMPLES = [
    pytest.param(name, emptied(example, size), id=f"{name}({example})-{size}")
    for name, examples in LIBRARY.items()
    for example in examples[:2]
    for size in sorted({dim for value in example.inputs.values() for dim in dims_of(value)})
]


def outcome(name: str, example: Example, backend: Any) -> dict[str, np.ndarray] | str:
    try:
        return evaluated(example.make(name), backend, example)
    except ml.Error as error:
        return error.code


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
@pytest.mark.sampled(7)
def test_a_model_without_elements_gives_the_same_everywhere(name: str, example: Example) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    here, there = (outcome(name, example, backend) for backend in (ml.CpuBackend, ml.TorchBackend))
    if isinstance(here, str) or isinstance(there, str):
        assert isinstance(here, str) and isinstance(there, str), (here, there)
        return
    assert here.keys() == there.keys()
    for key, value in here.items():
        assert there[key].shape == value.shape, key
        np.testing.assert_allclose(there[key], value, rtol=1e-10, atol=1e-9, err_msg=key)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("name", ["Conv", "ConvTranspose"])
def test_a_batch_of_open_size_may_have_no_rows(name: str, axes: int) -> None:
    """A process of a group may get none of the rows of a batch."""
    layer = getattr(ml, f"{name}{axes}d")(filters=2, kernel_size=2)
    row = (4, 5, 3)[:axes]
    compiled = ml.compile(layer, ml.CpuBackend(), shapes={"input": [None, 3, *row]})
    params = compiled.get_parameters()
    one, none = (
        compiled.evaluate(params, {"input": np.zeros((rows, 3, *row), np.float32)})["output"]
        for rows in (1, 0)
    )
    assert none.shape == (0, *one.shape[1:])
