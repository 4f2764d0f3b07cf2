"""Arrays of small integers, of dtypes that Mithril lacks, and tensors that autograd watches."""

import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from processes import environment

import mithril as ml

SMALL = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.uint64]


@pytest.mark.parametrize("dtype", SMALL)
def test_integers_that_fit_are_taken(dtype: Any) -> None:
    info = np.iinfo(dtype)
    array = np.array([[info.min, 0, info.max], [1, 2, 3]], dtype)
    for given in (array, array[:, ::2], array.T):
        tensor = ml.Tensor(given)
        assert tensor.dtype == getattr(ml, np.dtype(dtype).name)
        assert tensor.numpy().dtype == dtype
        assert np.array_equal(tensor.numpy(), given)


def test_images_of_bytes_are_data() -> None:
    model = ml.Model.create(y=ml.IOKey("image", type=ml.Tensor[int]).cast(ml.float32) / 255.0)
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["image"])
    image = np.arange(256, dtype=np.uint8).reshape(16, 16)
    got = compiled.evaluate({}, {"image": image})["y"]
    assert np.array_equal(got, image.astype(np.float32) / np.float32(255))


def test_an_array_of_bfloat16_is_taken_without_a_copy() -> None:
    array = np.array([1.0, 2.5, -3.0]).astype(ml_dtypes.bfloat16)
    tensor = ml.Tensor(array)
    array[0] = 7
    assert tensor.dtype == ml.bfloat16
    assert np.asarray(tensor).tolist() == [7, 2.5, -3]
    assert ml.CpuBackend(dtype=ml_dtypes.bfloat16).name == "cpu"


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_arrays_of_half_precision_are_trained_in_place(dtype: Any) -> None:
    weight = np.array([1.0, 2.0]).astype(dtype)
    params = {"w": weight}
    ml.SGD(lr=0.5).step(params, {"w": np.array([1.0, 2.0]).astype(dtype)})
    assert weight.tolist() == [0.5, 1.0]


def test_other_dtypes_of_ml_dtypes_are_refused() -> None:
    with pytest.raises(ml.TypeError, match="Mithril has no dtype for arrays of float8_e4m3b11fnuz"):
        ml.Tensor(np.ones(2).astype(ml_dtypes.float8_e4m3b11fnuz))


PARAMETERS = """
import sys, torch, mithril as ml
model = ml.Linear(2)
compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [3, 4]})
if sys.argv[1] == "torch": ml.TorchBackend()
params = {key: torch.nn.Parameter(torch.ones(tuple(value.shape)))
          for key, value in compiled.get_parameters().items()}
x = torch.ones(3, 4)
ones = {"output": torch.ones(3, 2)}
outputs, gradients = compiled.evaluate(params, {"input": x}, output_gradients=ones)
bytes = ml.Tensor(torch.arange(3, dtype=torch.uint8))
print(outputs["output"].tolist(), sorted(gradients), bytes.dtype)
print(type(outputs["output"]).__module__)
ml.SGD(1.0).step(params, {key: torch.ones_like(value) for key, value in params.items()})
step = ml.TrainingStep(compiled, ml.SGD(1.0), output_gradients=ones)
step(params, {"input": torch.zeros(3, 4)})
print(params["bias"].tolist(), params["weight"].tolist())
"""


@pytest.mark.parametrize("backend", ["none", "torch"])
@pytest.mark.slow
def test_parameters_of_torch_are_taken(backend: str) -> None:
    made = subprocess.run(
        [sys.executable, "-c", PARAMETERS, backend],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.stderr == ""
    assert made.stdout.splitlines() == [
        "[[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]] ['bias', 'weight'] dtype.uint8",
        "numpy",
        "[-3.0, -3.0] [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]",
    ]


@pytest.mark.parametrize(
    ("dtype", "kept"), [("uint8", "uint8"), ("uint16", "int32"), ("uint32", "int64")]
)
def test_an_error_names_the_dtype_of_the_array_that_was_given(dtype, kept):
    model = ml.Linear(2)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [1, 3]})
    params, pixels = compiled.get_parameters(), np.zeros((1, 3), dtype)
    step = ml.TrainingStep(compiled, ml.SGD(), output_gradients={"output": np.ones((1, 2))})
    for call in (
        lambda: compiled.evaluate(params, {"input": pixels}),
        lambda: compiled.evaluate(
            params, {"input": pixels}, output_gradients={"output": np.ones((1, 2))}
        ),
        lambda: compiled.infer(params, {"input": pixels}),
        lambda: step(params, {"input": pixels}),
    ):
        with pytest.raises(ml.InputError) as caught:
            call()
        assert str(caught.value).startswith(
            f"mithril.InputError[E0805]: 'input' is {dtype}, expected float32\n"
        )
    with pytest.raises(ml.InputError, match=f"'input' is {kept}, expected"):
        compiled.evaluate(params, {"input": pixels.astype(kept)})
