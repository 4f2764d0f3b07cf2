"""Every library model with each of its arguments: evaluated, as JSON, and on torch."""

from typing import Any

import numpy as np
import pytest
from layer_cases import LIBRARY
from layer_cases.case import Example

import mithril as ml
from mithril import _core

RECORDS = {record["name"]: record for record in _core.library() if record["op"] is None}
EXAMPLES = [
    pytest.param(name, example, id=f"{name}({example})")
    for name, examples in LIBRARY.items()
    for example in examples
]


def arrays(example: Example) -> dict[str, np.ndarray]:
    """Returns the elements of the inputs. They are random if only a shape is given."""
    draw = np.random.default_rng(7)
    return {
        key: value if isinstance(value, np.ndarray) else draw.standard_normal(value)
        for key, value in example.inputs.items()
    }


def evaluated(model: ml.Model, backend: Any, example: Example) -> dict[str, np.ndarray]:
    """Outputs and gradients; parameters are drawn by a seed, the same for the same model."""
    given = arrays(example)
    compiled = ml.compile(
        model,
        backend(dtype=ml.float64),
        shapes={
            key: value.shape
            for key, value in given.items()
            if key in [*model.input_keys, *model.output_keys]
        },
    )
    draws = {key: np.asarray(value) for key, value in compiled.get_parameters(seed=3).items()}
    params = {key: given.get(key, value) for key, value in draws.items()}
    data = {key: given[key] for key in compiled.data_keys}
    state = {key: given.get(key, value) for key, value in compiled.initial_state_dict.items()}
    outputs, after = compiled.evaluate(params, data, state=state)
    draw = np.random.default_rng(11)
    seeds = {
        key: draw.standard_normal(np.shape(value))
        for key, value in sorted(outputs.items())
        if np.asarray(value).dtype == np.float64
    }
    gradients = {}
    if params:
        _, gradients, _ = compiled.evaluate(params, data, output_gradients=seeds, state=state)
    everything = outputs | {f"gradient of {key}": value for key, value in gradients.items()}
    everything |= {f"state {key}": value for key, value in after.items()}
    return {key: np.asarray(value) for key, value in everything.items()}


def test_every_library_model_has_an_example_of_each_argument() -> None:
    assert set(RECORDS) == set(LIBRARY)
    for name, record in RECORDS.items():
        given = {key for example in LIBRARY[name] for key in example.arguments}
        assert {argument["name"] for argument in record["arguments"]} == given, name


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
@pytest.mark.sampled(3)
def test_a_model_goes_through_json_and_computes_the_same(name: str, example: Example) -> None:
    model = example.make(name)
    read = ml.Model.from_json(model.to_json())
    assert read == model
    assert read.to_json() == model.to_json()
    results = evaluated(model, ml.CpuBackend, example)
    again = evaluated(read, ml.CpuBackend, example)
    assert results.keys() == again.keys()
    assert results
    for key, value in results.items():
        assert np.isfinite(value).all(), key
        np.testing.assert_array_equal(again[key], value, err_msg=key)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
@pytest.mark.sampled(3)
def test_a_model_gives_the_same_on_torch(name: str, example: Example) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    here = evaluated(example.make(name), ml.CpuBackend, example)
    there = evaluated(example.make(name), ml.TorchBackend, example)
    assert here.keys() == there.keys()
    for key, value in here.items():
        assert there[key].shape == value.shape, key
        # Backends sum in different orders, which shows in sums that cancel.
        np.testing.assert_allclose(there[key], value, rtol=1e-10, atol=1e-9, err_msg=key)
