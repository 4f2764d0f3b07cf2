"""Layers and conversions of float16 and bfloat16 at elements whose squares overflow or underflow,
and at whole numbers that half precision cannot count to, against float64."""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from layer_cases import LIBRARY
from layer_cases.case import Example

import mithril as ml

LARGE = {"float16": 300.0, "bfloat16": 1e6}  # bfloat16 has the range of float32
SMALL = {"float16": 5e-4, "bfloat16": 1e-15}
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895e38}
SMALLEST = {"float16": 2.0**-24, "bfloat16": 2.0**-126}
ROUNDINGS = {"float16": 4e-3, "bfloat16": 3.2e-2}  # a few of the result

BACKENDS: dict[str, Callable[..., Any]] = {"cpu": ml.CpuBackend}
if importlib.util.find_spec("mithril._torch"):
    BACKENDS["torch"] = ml.TorchBackend
if importlib.util.find_spec("jax"):
    BACKENDS["jax"] = ml.JaxBackend

PRODUCTS = "a product of products, of which each is rounded, as torch's are"
GATES = "a gate near 1 is rounded to 1, where torch's has no slope either"
DRAWN = "it draws coordinates, and the distance of two may be 0"
LEFT_OUT = {
    "DistanceEncoder": DRAWN,
    "EncoderDecoder": PRODUCTS,
    "EncoderDecoderInference": PRODUCTS,
    "GRU": PRODUCTS,
    "GRUCell": PRODUCTS,
    "LSTM": GATES,
    "LSTMCell": GATES,
    "LSTMCellBody": GATES,
    "Layer": GATES,
    "MDS": DRAWN,
    "MLP": PRODUCTS,
    "ManyToOne": PRODUCTS,
    "MultiHeadAttention": PRODUCTS,
    "OneToMany": PRODUCTS,
    "OneToManyInference": PRODUCTS,
    "RNN": PRODUCTS,
    "RNNCell": PRODUCTS,
    "ScaledDotProduct": PRODUCTS,
    "TSNE": DRAWN,
    "TSNECore": "the default of a threshold is a number of the dtype",
    "TransformerBlock": PRODUCTS,
}
LAYERS = [
    pytest.param(name, example, id=f"{name}({example})")
    for name, examples in LIBRARY.items()
    if name not in LEFT_OUT
    for example in examples
]


def rounded(array: np.ndarray, dtype: str) -> np.ndarray:
    """Rounds to the dtype, and returns float64."""
    if dtype == "float16":
        with np.errstate(over="ignore"):
            return np.asarray(array).astype(np.float16).astype(np.float64)
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    upper = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16  # to nearest, ties to even
    return upper.astype(np.uint32).view(np.float32).astype(np.float64)


def drawn(key: str, shape: tuple[int, ...], kind: str, dtype: str) -> np.ndarray:
    """Draws numbers of random signs whose absolute values are at least the scale."""
    normal = np.random.default_rng(list(key.encode())).standard_normal(shape)
    if kind == "whole":
        return rounded(np.round(normal * 3000), dtype)
    scale = {"large": LARGE, "small": SMALL}[kind][dtype]
    return rounded(np.sign(normal) * (1 + np.abs(normal) % 1) * scale, dtype)


def given(example: Example, kind: str, dtype: str) -> dict[str, np.ndarray]:
    """Returns the inputs of an example: shapes are drawn, and arrays only rounded."""
    return {
        key: drawn(key, value, kind, dtype)
        if isinstance(value, tuple)
        else rounded(value, dtype)
        if value.dtype == np.float64
        else value
        for key, value in example.inputs.items()
    }


def array_of(value: Any) -> np.ndarray:
    """NumPy has no bfloat16: such values are tensors of Mithril or of torch, and arrays of JAX."""
    if type(value).__module__ == "torch":
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value
    array = np.asarray(value)
    return array if array.dtype.kind in "iub" else array.astype(np.float64)


def compiled_for(model: ml.Model, backend: Any, arrays: dict[str, np.ndarray]) -> ml.CompiledModel:
    keys = [*model.input_keys, *model.output_keys]
    shapes = {key: value.shape for key, value in arrays.items() if key in keys}
    return ml.compile(model, backend, shapes=shapes)


def results(
    compiled: ml.CompiledModel, arrays: dict[str, np.ndarray], params: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Outputs, new states, and the gradients of a weighted sum of the outputs."""
    data = {key: arrays[key] for key in compiled.data_keys}
    state = {
        key: arrays.get(key, array_of(value)) for key, value in compiled.initial_state_dict.items()
    }
    outputs, after = compiled.evaluate(params, data, state=state)
    made = outputs | {f"state {key}": value for key, value in after.items()}
    draw = np.random.default_rng(11)
    seeds = {
        key: rounded(draw.uniform(0.5, 2.0, np.shape(value)), "bfloat16")
        for key, value in sorted(outputs.items())
        if array_of(value).dtype == np.float64
    }
    if params and seeds:
        _, gradients, _ = compiled.evaluate(params, data, output_gradients=seeds, state=state)
        made |= {f"gradient of {key}": value for key, value in gradients.items()}
    return {key: array_of(value) for key, value in made.items()}


def assert_rounded_once(
    got: dict[str, np.ndarray], exact: dict[str, np.ndarray], dtype: str, kind: str
) -> None:
    """Asserts that half-precision results are near the exact ones, relative to the largest
    element."""
    assert got.keys() == exact.keys()
    overflows = any(
        (np.abs(value) > LARGEST[dtype]).any()
        for value in exact.values()
        if value.dtype.kind == "f"
    )
    for key, expected in exact.items():
        if overflows and key.startswith("gradient"):
            continue  # it reads infinite results
        if expected.dtype.kind != "f":
            np.testing.assert_array_equal(got[key], expected, err_msg=key)
            continue
        held = np.isfinite(expected) & (np.abs(expected) <= LARGEST[dtype])
        size = np.max(np.abs(expected[held]), initial=0.0)
        margin = ROUNDINGS[dtype] * size + 4 * SMALLEST[dtype]
        apart = np.abs(got[key][held] - expected[held])
        assert (apart <= margin).all(), f"{kind}: {key}: {got[key]}, exactly {expected}"


@pytest.mark.sampled(41)  # shares no factor with the dtypes and backends
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("name", "example"), LAYERS)
def test_layers_round_their_results_only(
    name: str, example: Example, backend: str, dtype: str
) -> None:
    half, double = BACKENDS[backend](dtype=getattr(ml, dtype)), ml.CpuBackend(dtype=ml.float64)
    arrays = given(example, "large", dtype)
    exact = compiled_for(example.make(name), double, arrays)
    rounding = compiled_for(example.make(name), half, arrays)
    for kind in ("large", "small", "whole"):
        arrays = given(example, kind, dtype)
        params = {
            key: arrays.get(key, rounded(array_of(value), dtype))
            for key, value in exact.get_parameters(seed=3).items()
        }
        got, expected = results(rounding, arrays, params), results(exact, arrays, params)
        assert_rounded_once(got, expected, dtype, kind)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_positions_are_counted_in_float32(backend: str, dtype: str) -> None:
    model = ml.PositionalEncoding(hidden_dim=4)
    half = ml.compile(
        model, BACKENDS[backend](dtype=getattr(ml, dtype)), shapes={"input": [4999, 4]}
    )
    got = array_of(half.evaluate({}, {"input": np.zeros((4999, 4), np.float32)})["output"])
    angles = np.arange(4999)[:, None] / np.array([1.0, 100.0])
    expected = np.stack([np.sin(angles), np.cos(angles)], -1).reshape(4999, 4)
    np.testing.assert_allclose(got, expected, atol=ROUNDINGS[dtype])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.sampled(2)
def test_an_image_is_sampled_far_from_its_origin(backend: str) -> None:
    """Beyond 2048 float16 has no odd numbers."""
    row = np.arange(2101) % 5.0
    model, data = ml.Upsample(size=2101, mode="bilinear"), row[None, None, None].astype(np.float32)
    compiled = ml.compile(model, BACKENDS[backend](dtype=ml.float16), shapes={"input": data.shape})
    got = array_of(compiled.evaluate({}, {"input": data})["output"])
    np.testing.assert_array_equal(got[0, 0, 0], row)


@pytest.mark.parametrize("name", sorted(BACKENDS.keys() - {"jax"}))
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed_precision_squares_in_float32(name: str, dtype: str) -> None:
    """The layer reads a product in half precision."""
    model = ml.Model()
    model |= ml.Linear(2, use_bias=False)(input="x", weight="w", output="y")
    model |= ml.RMSNorm(use_scale=False)(input="y", output="normed")
    model |= ml.CosineSimilarity()(left="y", right="z", output="cosine")
    model |= ml.L2()(input="y", output="squares")
    model.expose_keys("normed", "cosine", "squares")
    backend = BACKENDS[name](use_amp=True, amp_dtype=getattr(ml, dtype))
    shapes = {"x": [1, 2], "z": [1, 2]}
    compiled = ml.compile(model, backend, shapes=shapes, data_keys=["z"])
    for sides in ([300.0, 400.0], [3e-5, 4e-5]):
        x = rounded(np.array([sides]), dtype).astype(np.float32)
        params = {"w": np.eye(2, dtype=np.float32)}
        made = compiled.evaluate(params, {"x": x, "z": x[:, ::-1].copy()})
        outputs = {key: array_of(value) for key, value in made.items()}
        mean = np.mean(np.square(x.astype(np.float64)))
        np.testing.assert_allclose(outputs["normed"], x / np.sqrt(mean + 1e-5), rtol=1e-2)
        np.testing.assert_allclose(outputs["squares"], mean, rtol=1e-2)
        if x.max() > 1:
            np.testing.assert_allclose(outputs["cosine"], 0.96, rtol=1e-2)
