"""Bool ports: bools, and integers that are 0 or 1, such as the mask of a tokenizer."""

import numpy as np
import pytest
from named_backend import named_backend

import mithril as ml

BACKENDS = ["cpu", "torch", "jax"]
MASK = np.array([[1, 0, 1]])


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


def compiled(backend):
    mask = ml.IOKey("mask", type=ml.Tensor[bool], shape=["N", "L"])
    return ml.compile(ml.Model.create(y=3.0 - mask.cast(ml.float32)), backend)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8"])
def test_integers_that_are_0_or_1_are_bools(backend, dtype: str) -> None:
    for mask in (MASK.astype(dtype), backend.array(MASK, dtype=dtype)):
        outputs = compiled(backend).evaluate({}, {"mask": mask})
        np.testing.assert_array_equal(np.asarray(outputs["y"]), [[2, 3, 2]])


@pytest.mark.parametrize("value", [2, -1])
def test_other_integers_are_refused(backend, value: int) -> None:
    model = compiled(backend)
    for mask in (MASK * value, backend.array(MASK * value)):
        with pytest.raises(ml.InputError) as caught:
            model.evaluate({}, {"mask": mask})
        assert str(caught.value) == (
            f"mithril.InputError[E0805]: 'mask' has {value}, expected 0 or 1\n"
            "  help: a bool input takes bools, and integers that are 0 or 1"
        )


def test_floats_are_no_bools(backend) -> None:
    with pytest.raises(ml.InputError) as caught:
        compiled(backend).evaluate({}, {"mask": np.ones((1, 3), np.float32)})
    assert caught.value.code == "E0805"


def test_requests_of_bools_and_integers_are_batched() -> None:
    engine = ml.Engine()
    engine.register_model("net", compiled(ml.CpuBackend()), {}, max_batch_size=2, max_delay=60.0)
    answers = [engine.infer_async("net", {"mask": mask}) for mask in (MASK, MASK == 0)]
    assert [answer.result()["y"].tolist() for answer in answers] == [[[2, 3, 2]], [[3, 2, 3]]]
    assert engine.stats("net")["calls"] == 1
    engine.shut_down()
