"""The methods of tensors, beside those of NumPy's arrays, in each dtype."""

import pickle
import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mithril as ml

# float8_e8m0fnu has powers of two only: neither 0 nor most sums (test_low_bit.py).
DTYPES = [
    member
    for member in vars(ml.dtype).values()
    if isinstance(member, ml.dtype) and member != ml.float8_e8m0fnu
]
ROWS = [[3.0, 0.0, 2.0], [1.0, 5.0, 4.0]]


@pytest.fixture(params=DTYPES, ids=lambda dtype: dtype.name)
def tensor(request: Any) -> ml.Tensor:
    return ml.Tensor(ROWS, request.param)


def array_of(tensor: Any) -> Any:
    """The elements in NumPy's dtype, or in float32."""
    name = "float32" if tensor.dtype == ml.bfloat16 else tensor.dtype.name
    return np.array(ROWS).astype(getattr(ml_dtypes, name, name))


MOVES: dict[str, Any] = {
    "an element": lambda x: x[1, 2],
    "a row": lambda x: x[0],
    "a slice": lambda x: x[:, ::2],
    "a mask": lambda x: x[np.array([True, False])],
    "rows by numbers": lambda x: x[[1, 1, 0]],
    "reshape": lambda x: x.reshape(3, -1),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "squeeze": lambda x: x[:, None].squeeze(1),
    "transpose": lambda x: x.transpose(1, 0),
    "T": lambda x: x.T,
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "take": lambda x: x.take([0, 2], axis=1),
    "repeat": lambda x: x.repeat(2, axis=0),
    "copy": lambda x: x.copy(),
    "a loop": lambda x: next(iter(x)),
}


@pytest.mark.parametrize("name", MOVES)
def test_moving_elements_keeps_the_dtype(tensor: ml.Tensor, name: str) -> None:
    moved, expected = MOVES[name](tensor), MOVES[name](array_of(tensor))
    assert isinstance(moved, ml._core.Tensor) and moved.dtype == tensor.dtype
    assert moved.shape == expected.shape
    assert np.array_equal(np.asarray(moved), expected)


COMPUTES: dict[str, Any] = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(axis=0),
    "max": lambda x: x.max(axis=1, keepdims=True),
    "argmax": lambda x: x.argmax(-1),
    "any": lambda x: x.any(),
    "cumsum": lambda x: x.cumsum(),
    "item": lambda x: x.item(4),
    "tolist": lambda x: x.tolist(),
    "float": lambda x: float(x[0, 0]),
    "int": lambda x: int(x[1, 0]),
    "bool": lambda x: bool(x[0, 1]),
    "len": len,
    "ndim": lambda x: x.ndim,
    "size": lambda x: x.size,
    "format": lambda x: f"{float(x[0, 0]):.2f}",
    "greater": lambda x: x > 1,
    "contains": lambda x: 5 in x,
}


@pytest.mark.parametrize("name", COMPUTES)
def test_numbers_of_elements_are_those_of_numpy(tensor: ml.Tensor, name: str) -> None:
    assert np.array_equal(COMPUTES[name](tensor), COMPUTES[name](array_of(tensor)))


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**"])
def test_arithmetic_is_that_of_numpy(sign: str) -> None:
    x, a = ml.Tensor(ROWS, ml.float32), np.array(ROWS, np.float32)
    names = {"x": x, "a": a}
    for text in (f"x {sign} 2", f"x {sign} (x + 1)", f"2 {sign} (x + 1)", f"x {sign} (a + 1)"):
        assert np.array_equal(eval(text, names), eval(text.replace("x", "a"), names))


def test_arithmetic_of_bfloat16_and_numbers_stays_bfloat16() -> None:
    x = ml.Tensor([1.0, 3.0], ml.bfloat16)
    moved = x - 1e-3 * ml.Tensor([1.0, 1000.0], ml.bfloat16)
    assert moved == ml.Tensor([1.0, 2.0], ml.bfloat16)  # 0.999 rounds to 1
    assert -x == ml.Tensor([-1.0, -3.0], ml.bfloat16)
    assert (x + np.ones(2, np.float32)).dtype == np.float32
    assert (x > 2).dtype == np.bool_


def test_a_connection_composes_with_a_tensor_on_its_left() -> None:
    model = ml.Model.create(y=ml.Tensor([2.0], ml.float32) * ml.IOKey("x", shape=[1]))
    compiled = ml.compile(model, ml.CpuBackend())
    assert compiled.evaluate({"x": np.array([3.0], np.float32)}, {})["y"].tolist() == [6.0]


@pytest.mark.parametrize("copy", [None, True, False])
def test_an_array_is_made_as_numpy_2_asks(tensor: ml.Tensor, copy: bool | None) -> None:
    if copy is False and tensor.dtype == ml.bfloat16:
        with pytest.raises(ValueError, match="bfloat16"):
            tensor.__array__(copy=False)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = np.array(tensor, copy=copy) if copy is not None else np.asarray(tensor)
    shares = tensor.dtype != ml.bfloat16 and copy is not True
    assert np.array_equal(made, array_of(tensor))
    assert np.shares_memory(made, tensor._bits()) == shares
    assert tensor.__array__(np.float64).dtype == np.float64
    assert tensor.__array__("float64", copy=True).dtype == np.float64


def test_numpy_gives_an_array_also_of_bfloat16(tensor: ml.Tensor) -> None:
    assert type(tensor.numpy()) is np.ndarray
    assert np.array_equal(tensor.numpy(), array_of(tensor))


def test_elements_are_written_in_place(tensor: ml.Tensor) -> None:
    other = tensor[:]
    tensor[0, 1:] = [1, 1]
    assert tensor.tolist()[0][1:] == [1, 1]
    assert other == tensor  # a contiguous slice shares its elements
    tensor[...] = 0
    assert not tensor.any()


def test_errors_of_numpy_are_those_of_mithril(tensor: ml.Tensor) -> None:
    with pytest.raises(IndexError, match="out of bounds") as caught:
        tensor[2]
    assert isinstance(caught.value, ml.ValueError) and caught.value.code == "E0488"
    with pytest.raises(ml.TypeError, match="E0377"):
        float(tensor)
    with pytest.raises(ml.TypeError):
        tensor.sum(axis="x")


def test_a_tensor_of_torch_gives_an_array() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("mithril._torch", reason="no plugin for torch here")
    assert type(ml.Tensor(torch.ones(2)).numpy()) is np.ndarray


def linear() -> Any:
    model = ml.TrainModel(ml.Linear(1))
    model.add_loss(ml.SquaredError(), input=model.cout, target="t")
    return ml.compile(
        model, ml.CpuBackend(dtype=ml.bfloat16), shapes={"input": [None, 2]}, data_keys={"t"}
    )


def test_fit_trains_in_bfloat16() -> None:
    compiled = linear()
    x = np.random.default_rng(0).normal(size=(64, 2))
    data = {"input": ml.Tensor(x, ml.bfloat16), "t": ml.Tensor(x[:, :1], ml.bfloat16)}
    step = ml.TrainingStep(compiled, ml.Adam(0.05))
    history = ml.fit(step, data, epochs=5, validation=data, progress=False)
    assert history.epochs[-1]["loss"] < history.epochs[0]["loss"]
    assert all(value.dtype == ml.bfloat16 for value in history.best.values())
    assert pickle.loads(pickle.dumps(history.best)) == history.best


def test_a_hand_written_training_loop_trains_in_bfloat16() -> None:
    compiled = linear()
    backend = compiled.backend
    x = backend.randn(16, 2, seed=1)
    params, costs = compiled.get_parameters(), []
    for _ in range(5):
        outputs, grads = compiled.evaluate(
            params, {"input": x, "t": x[:, :1]}, output_gradients=True
        )
        costs.append(float(outputs["final_cost"]))
        params = {key: value - 0.1 * grads[key] for key, value in params.items()}
    assert costs[-1] < costs[0]
    assert f"{outputs['final_cost']:.3f}" == f"{costs[-1]:.3f}"


def test_arrays_of_a_backend_in_bfloat16() -> None:
    backend = ml.CpuBackend(dtype=ml.bfloat16)
    for made in (
        *(backend.zeros(2, 3), backend.ones(2, 3), backend.empty(2, 3), backend.rand(2, 3)),
        *(backend.full(2, 3, value=0.5), backend.randn(2, 3), backend.array(ROWS)),
        *(backend.reshape(backend.ones(6), 2, 3), backend.contiguous(backend.ones(2, 3))),
        *(
            backend.to_device(backend.ones(2, 3), "cpu"),
            backend.randint(0, 3, 2, 3, dtype="bfloat16"),
        ),
    ):
        assert made.dtype == ml.bfloat16 and made.shape == (2, 3)
    assert backend.arange(3, dtype=ml.bfloat16).tolist() == [0.0, 1.0, 2.0]
    assert backend.array([1, 2]).dtype == np.int64
