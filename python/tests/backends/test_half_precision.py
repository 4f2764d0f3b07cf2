"""float16 and bfloat16 on the CPU backend: as the dtype of a model, as mixed precision, and as the
dtype of bound weights."""

import numpy as np
import pytest

import mithril as ml


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(dimension=64)(input="x")
    model += ml.Gelu()
    model += ml.LayerNorm()
    model += ml.Linear(dimension=16)(output="y")
    return model


def images() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=8, kernel_size=3, padding=1)(input="x")
    model += ml.Relu()
    model += ml.models.MaxPool2D(kernel_size=2)
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(dimension=4)(output="y")
    return model


CASES = [(network, [5, 32]), (images, [2, 3, 8, 8])]
DTYPES = [(ml.bfloat16, 3e-2), (ml.float16, 4e-3)]


def as_float32(made: object) -> np.ndarray:
    """NumPy has no bfloat16: such values are tensors of Mithril, and arrays of float32."""
    return np.asarray(made).astype(np.float32)


def relative(got: np.ndarray, expected: np.ndarray) -> float:
    return float(np.linalg.norm(got - expected) / np.linalg.norm(expected))


@pytest.mark.parametrize(("build", "shape"), CASES)
@pytest.mark.parametrize(("dtype", "allowed"), DTYPES)
@pytest.mark.parametrize("how", ["dtype", "use_amp"])
def test_half_precision_is_near_float32(
    build: object, shape: list[int], dtype: object, allowed: float, how: str
) -> None:
    options = {"dtype": dtype} if how == "dtype" else {"use_amp": True, "amp_dtype": dtype}
    plain = ml.compile(build(), ml.CpuBackend(), shapes={"x": shape})
    halves = ml.compile(build(), ml.CpuBackend(**options), shapes={"x": shape})
    params = plain.get_parameters(seed=1)
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    gradient = np.random.default_rng(1).normal(size=plain.shapes["y"]).astype(np.float32)

    def run(compiled: ml.CompiledModel) -> dict[str, np.ndarray]:
        outputs, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"y": gradient})
        made = {**outputs, **gradients}
        given = "float32" if compiled is plain or how == "use_amp" else dtype.name
        assert {tensor.dtype.name for tensor in made.values()} == {given}
        return {key: as_float32(tensor) for key, tensor in made.items()}

    expected, got = run(plain), run(halves)
    assert expected.keys() == got.keys()
    for key, tensor in expected.items():
        assert relative(got[key], tensor) < allowed, key
    bound = halves.bind(params).evaluate({}, {"x": x})["y"]
    assert relative(as_float32(bound), expected["y"]) < allowed


@pytest.mark.parametrize(("dtype", "allowed"), DTYPES)
def test_bound_weights_are_held_in_16_bits(dtype: object, allowed: float) -> None:
    results = {}
    for held in (None, dtype):
        compiled = ml.compile(network(), ml.CpuBackend(weight_dtype=held), shapes={"x": [1, 32]})
        params = compiled.get_parameters(seed=1)
        bound = compiled.bind(params)
        results[held] = np.asarray(bound.evaluate({}, {"x": np.ones((1, 32), np.float32)})["y"])
        assert results[held].dtype == np.float32
    assert 0 < relative(results[dtype], results[None]) < allowed


def test_options_are_checked() -> None:
    with pytest.raises(ml.TypeError, match=r"E0387.*weight_dtype is int64"):
        ml.CpuBackend(weight_dtype=ml.int64)
    with pytest.raises(ml.TypeError, match=r"E0385.*amp_dtype is float32"):
        ml.CpuBackend(use_amp=True, amp_dtype=ml.float32)
