"""Elements of 8 bits and fewer after `ml.to_onnx`: the same bits come back."""

import importlib
import importlib.util
import warnings

import ml_dtypes
import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

OPSETS = {
    "float8_e4m3fn": 19,
    "float8_e4m3fnuz": 19,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 19,
    "int4": 21,
    "uint4": 21,
    "float4_e2m1fn": 23,
    "float8_e8m0fnu": 24,
    "int2": 25,
    "uint2": 25,
}
# ONNX Runtime 1.32 casts to these.
IN_RUNTIME = [name for name in OPSETS if name != "float4_e2m1fn"]


def bits_of(name: str) -> int:
    return 8 if name.startswith("float8") else 2 if name.endswith("int2") else 4


def codes(name: str):
    """Each element that there is, as an array of ml_dtypes."""
    return np.arange(2 ** bits_of(name), dtype=np.uint8).view(getattr(ml_dtypes, name))


def bits(array):
    """The bits of the elements; those of NaN are one number."""
    raw = array.view(np.uint8) & np.uint8(2 ** bits_of(array.dtype.name) - 1)
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(array.astype(np.float32)), 1000, raw)


def assert_same(got, expected) -> None:
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype
    if got.dtype.name in OPSETS:
        got, expected = bits(got), bits(expected)
    np.testing.assert_array_equal(got, expected)


def exact(name: str, dtype: str):
    return ml.IOKey(name, type=ml.Tensor[ml.dtype(dtype)])


def constant(array):
    return ml.IOKey(value=ml.Tensor(array), type=ml.Tensor[ml.dtype(array.dtype.name)])


def compiled_for(model, data):
    return ml.compile(
        model,
        ml.CpuBackend(),
        data_keys=list(data),
        shapes={name: list(array.shape) for name, array in data.items()},
    )


def written(path, model, data, opset):
    compiled = compiled_for(model, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ONNX Runtime lacks kernels
        ml.to_onnx(compiled, path, opset=opset)
    return compiled.evaluate({}, data)


def read_back(path, data):
    net = ml.from_onnx(path)
    return ml.compile(net.model, ml.CpuBackend(), data_keys=list(data)).evaluate(net.params, data)


@pytest.mark.parametrize("name", OPSETS)
@pytest.mark.parametrize("is_newest", [False, True])
def test_inputs_constants_and_outputs_keep_their_bits(tmp_path, name, is_newest) -> None:
    every = codes(name)
    odd = every[:3]  # they do not fill the last byte
    model = ml.Model.create(
        x_out=ml.Buffer()(exact("x", name)),
        constant=ml.Buffer()(constant(odd)),
        moved=exact("x", name).reshape((2, -1)).transpose(),
        part=exact("x", name)[1::2],
    )
    path, data = tmp_path / "net.onnx", {"x": every}
    expected = written(path, model, data, 25 if is_newest else OPSETS[name])
    got = read_back(path, data)
    for key, array in expected.items():
        assert_same(got[key], array)
    assert_same(got["x_out"], every)
    assert_same(got["constant"], odd)
    if importlib.util.find_spec("onnxruntime"):
        file = importlib.import_module("onnx").load(str(path))
        (stored,) = [each for each in file.graph.initializer if each.dims == [3]]
        assert_same(importlib.import_module("onnx.numpy_helper").to_array(stored), odd)


@pytest.mark.parametrize("name", OPSETS)
def test_a_dtype_that_the_opset_lacks_is_refused_by_name(tmp_path, name) -> None:
    first = OPSETS[name]
    model = ml.Model.create(y=ml.IOKey("x").cast(ml.dtype(name)), z=exact("a", name).cast(ml.int32))
    compiled = compiled_for(model, {"x": np.ones(3, np.float32), "a": codes(name)})
    path = tmp_path / "net.onnx"
    with pytest.raises(ml.ValueError, match="E1320") as caught:
        ml.to_onnx(compiled, path, opset=first - 1)
    for port in ("a", "y"):
        assert f"{port} : ONNX has {name} from opset {first} on" in str(caught.value)
    assert not path.exists()


def numbers(name: str):
    """Numbers at and between those of the dtype, and beyond them."""
    with np.errstate(invalid="ignore"):
        held = np.unique(codes(name).astype(np.float32))
    held = held[np.isfinite(held) & (np.abs(held) > 1e-37)]
    beside = np.concatenate([held, (held[1:] + held[:-1]) / 2, held * 1.01])
    with np.errstate(over="ignore"):
        far = np.array([0, 1e9, 1e30, np.inf, np.nan], np.float32)
        return np.concatenate([beside, -beside, far, -far]).astype(np.float32)


@pytest.mark.parametrize("name", OPSETS)
@pytest.mark.parametrize("source", ["float32", "float16", "int64"])
def test_casts_are_those_of_mithril(tmp_path, name, source) -> None:
    if source == "int64":
        data = {"x": np.array([*range(-40, 41), 1000, -(2**31) - 5, 2**33 + 3])}
    else:
        with np.errstate(over="ignore"):
            data = {"x": numbers(name).astype(source)}
    there = exact("x", source).cast(ml.dtype(name))
    model = ml.Model.create(there=there, back=there.cast(ml.float32))
    path = tmp_path / "net.onnx"
    expected = written(path, model, data, OPSETS[name])
    got = read_back(path, data)
    assert_same(got["there"], expected["there"])
    assert_same(got["back"], expected["back"])


@pytest.mark.parametrize("name", IN_RUNTIME)
def test_casts_are_those_of_onnx_runtime(tmp_path, name) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    data = {"x": numbers(name)}
    model = ml.Model.create(y=exact("x", "float32").cast(ml.dtype(name)).cast(ml.float32))
    path = tmp_path / "net.onnx"
    expected = written(path, model, data, OPSETS[name])
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, data)[0], np.asarray(expected["y"]))


@pytest.mark.parametrize("name", ["int4", "uint4", "int2", "uint2"])
@pytest.mark.parametrize("is_external", [False, True])
def test_large_tensors_are_packed(tmp_path, name, is_external) -> None:
    table = np.resize(codes(name), (101, 33))
    model = ml.Model.create(y=ml.Buffer()(constant(table)))
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled_for(model, {}), path, opset=25, external_data=is_external, check=False)
    assert_same(read_back(path, {})["y"], table)
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert size < table.size * bits_of(name) / 8 + 1500


@pytest.mark.parametrize("name", ["float8_e4m3fn", "int4", "uint4"])
def test_quantised_values_come_back(tmp_path, name) -> None:
    """QuantizeLinear and DequantizeLinear of a file, in a file of Mithril's."""
    nodes = [
        ob.node("QuantizeLinear", "x scale", "q", output_dtype=ob.TYPES[name]),
        ob.node("DequantizeLinear", "q scale", "y"),
    ]
    outputs = [ob.value("q", [41], name), ob.value("y", [41])]
    known = {"scale": np.float32(0.25).reshape(())}
    given = tmp_path / "given.onnx"
    given.write_bytes(ob.file(nodes, [ob.value("x", [41])], outputs, known, opset=21))
    data = {"x": np.linspace(-500, 500, 41, dtype=np.float32)}
    net = ml.from_onnx(given)
    compiled = ml.compile(net.model, ml.CpuBackend(), data_keys=["x"])
    expected = compiled.evaluate(net.params, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ml.to_onnx(compiled, tmp_path / "net.onnx", net.params, opset=21)
    got = read_back(tmp_path / "net.onnx", data)
    assert_same(got["q"], expected["q"])
    assert_same(got["y"], expected["y"])
