"""Values and element types that ops of ONNX treat differently, after `ml.to_onnx`."""

import importlib
import itertools
import resource
import warnings

import numpy as np
import pytest
from onnx_runs import assert_equal_results

import mithril as ml

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan]
LIMITS = np.iinfo(np.int32)
INTS = [0, 1, -1, 2, -2, 7, -7, LIMITS.max, LIMITS.min]


def pairs(numbers, dtype):
    left, right = zip(*itertools.product(numbers, numbers), strict=True)
    return np.array(left, dtype), np.array(right, dtype)


def port(name, kind):
    return ml.IOKey(name, type=ml.Tensor[kind], differentiable=False)


def assert_exports(path, data, make, opset=20):
    """`make`: the output, from the inputs."""
    kinds = {"b": bool, "i": int, "f": float}
    keys = [port(name, kinds[value.dtype.kind]) for name, value in data.items()]
    model = ml.Model.create(y=make(*keys))
    shapes = {name: list(value.shape) for name, value in data.items()}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=list(data))
    ml.to_onnx(compiled, path, opset=opset)
    assert_equal_results(path, compiled, [{}], data)


@pytest.mark.parametrize("op", [ml.FloorDivide, ml.Remainder, ml.Fmod, ml.Atan2])
def test_zeros_infinities_and_nan_of_two_operands(tmp_path, op):
    left, right = pairs(SPECIAL, np.float32)
    assert_exports(tmp_path / "net.onnx", {"a": left, "b": right}, op())


@pytest.mark.parametrize("op", [ml.Sign, ml.Trunc, ml.Relu, ml.Floor, ml.Round, ml.Absolute])
def test_zeros_infinities_and_nan_of_one_operand(tmp_path, op):
    x = np.array([*SPECIAL, 0.5, 1.5, -0.5], np.float32)
    assert_exports(tmp_path / "net.onnx", {"x": x}, op())


def test_floor_division_of_the_largest_ints(tmp_path):
    left, right = pairs(INTS, np.int64)
    taken = (right != 0) & (right != -1)
    data = {"a": left[taken], "b": right[taken]}

    def divided(a, b):
        return ml.FloorDivide()(ml.Cast(ml.int32)(a), ml.Cast(ml.int32)(b))

    assert_exports(tmp_path / "net.onnx", data, divided)


def test_ints_with_negative_exponents_are_rounded_towards_zero(tmp_path):
    base, exponent = pairs([0, 1, -1, 2, -2, 3, -3, -4], np.int64)
    data = {"a": base, "b": exponent}
    assert_exports(tmp_path / "net.onnx", data, lambda a, b: a**b)


def test_ints_that_are_no_doubles_stay_exact(tmp_path):
    large = 2**53 + 1
    x = np.array([0, 1, -1])
    assert_exports(tmp_path / "net.onnx", {"x": x}, lambda x: x + large)


def test_the_sum_and_the_product_of_bools(tmp_path):
    a, b = pairs([True, False], bool)
    for op in (ml.Add, ml.Multiply):
        data = {"a": a, "b": b}
        assert_exports(tmp_path / "net.onnx", data, lambda a, b, op=op: op()(a, b))


@pytest.mark.parametrize("opset", [13, 20])
def test_relu_of_ints(tmp_path, opset):
    assert_exports(tmp_path / "net.onnx", {"x": np.array([-3, 0, 4])}, ml.Relu(), opset)


def test_the_mean_of_no_elements_is_nan(tmp_path):
    x = np.zeros((2, 0), np.float32)
    assert_exports(tmp_path / "net.onnx", {"x": x}, ml.Mean(axis=1))


def test_the_epsilon_of_a_batch_norm_of_doubles_is_a_double(tmp_path):
    net = ml.Model()
    net |= ml.BatchNorm1D(eps=1e-5)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(dtype=ml.float64), shapes={"x": ["N", 3]})
    params, state = compiled.get_parameters(), dict(compiled.initial_state_dict)
    for key, value in state.items():
        state[key] = np.zeros_like(value)  # so that the epsilon is the variance
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, state=state)
    x = np.random.default_rng(0).normal(size=(2, 3))
    model, read, _ = ml.from_onnx(path, dtype="float64")
    got = ml.compile(model, ml.CpuBackend(dtype=ml.float64)).evaluate(read, {"x": x})["y"]
    expected = compiled.infer(params, {"x": x}, state)["y"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_the_constants_of_gelu_of_doubles_are_doubles(tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = ml.Model.create(y=ml.Gelu(approximate=True)(port("x", float)))
    backend = ml.CpuBackend(dtype=ml.float64)
    compiled = ml.compile(model, backend, shapes={"x": [5]}, data_keys=["x"])
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path)
    x = np.linspace(-2, 2, 5)
    (got,) = runtime.InferenceSession(str(path)).run(None, {"x": x})
    np.testing.assert_allclose(got, compiled.infer({}, {"x": x})["y"], rtol=1e-12, atol=1e-15)


OPS_WITHOUT_BFLOAT16 = {
    "Sine": ml.Sine(),
    "Round": ml.Round(),
    "Softplus": ml.Softplus(),
    "Where": lambda x: ml.Where()(x > 0, x, -x),
    "LessEqual": lambda x: x <= 0.5,
    "Cumsum": ml.Cumsum(axis=0),
    "Sort": lambda x: ml.Sort(axis=0)(x)[0],
    "MaxPool2D": lambda x: ml.MaxPool2D(2)(ml.Reshape((1, 1, 4, 3))(x)),
}


@pytest.mark.parametrize("opset", [13, 20, 24])
@pytest.mark.parametrize("name", OPS_WITHOUT_BFLOAT16)
def test_ops_that_an_opset_has_without_bfloat16(tmp_path, name, opset):
    checker = pytest.importorskip(
        "onnx.checker", reason="the onnx package is not installed: make onnx has it"
    )
    model = ml.Model.create(y=OPS_WITHOUT_BFLOAT16[name](port("x", float)))
    backend = ml.CpuBackend(dtype=ml.bfloat16)
    compiled = ml.compile(model, backend, shapes={"x": [4, 3]}, data_keys=["x"])
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, opset=opset, check=False)
    checker.check_model(str(path), full_check=True)


def test_a_loop_of_bfloat16_needs_opset_16(tmp_path):
    model = ml.Model.create(y=ml.Cumprod(axis=0)(port("x", float)))
    backend = ml.CpuBackend(dtype=ml.bfloat16)
    compiled = ml.compile(model, backend, shapes={"x": [4]}, data_keys=["x"])
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, tmp_path / "net.onnx", opset=13)
    assert str(info.value).splitlines()[1] == (
        "  y : cumprod: ONNX has Scan of bfloat16 from opset 16 on"
    )


def test_inputs_and_outputs_without_a_known_rank_are_refused(tmp_path):
    model = ml.Model.create(y=ml.Relu()(port("x", float)))
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x"])
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, tmp_path / "net.onnx")
    assert str(info.value).splitlines()[1:3] == [
        "  x : the number of axes is not known; state shapes={...}",
        "  y : the number of axes is not known; state shapes={...}",
    ]


def counter():
    """A sum over all calls."""
    net = ml.Model()
    net |= ml.Add()(left="x", right="total", output="y")
    net.bind_state_keys("total", "y", np.zeros(2, np.float32))
    shapes = {"x": [2]}
    return ml.compile(net, ml.CpuBackend(), shapes=shapes, data_keys=["x"])


def test_a_state_that_changes_has_its_value_in_the_check(tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    x = np.ones(2, np.float32)
    for state in ({}, {"total": np.array([3, 4], np.float32)}):
        ml.to_onnx(counter(), tmp_path / "net.onnx", state=state, data={"x": x})


def test_equal_infinities_pass_the_check_without_a_warning(tmp_path):
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = ml.Model.create(y=ml.Log()(port("x", float)))
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [2]}, data_keys=["x"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ml.to_onnx(compiled, tmp_path / "net.onnx", data={"x": np.array([0, 1], np.float32)})


def test_data_with_other_keys_is_refused(tmp_path):
    with pytest.raises(ml.InputError) as info:
        ml.to_onnx(counter(), tmp_path / "net.onnx", data={"z": np.ones(2)})
    assert str(info.value) == (
        "mithril.InputError[E1325]: to_onnx: data has other keys than the model has inputs\n"
        "  missing : x\n"
        "  unknown : z"
    )


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net = ml.Model()
    net |= ml.Linear(32)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 32]})
    params = compiled.get_parameters()
    (tmp_path / "folder.onnx").mkdir()
    for check in (True, False):
        with pytest.raises(ml.InputError) as info:
            ml.to_onnx(compiled, "folder.onnx", params, external_data=True, check=check)
        assert str(info.value) == (
            "mithril.InputError[E0831]: folder.onnx: the file cannot be written\n"
            "  why : Is a directory"
        )
    assert [path.name for path in tmp_path.iterdir()] == ["folder.onnx"]
    with pytest.raises(ml.InputError) as info:
        ml.to_onnx(compiled, "/proc/net.onnx", params)
    assert info.value.code == "E0831"


def test_a_file_that_grows_too_large_is_named_and_not_its_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setattr("mithril.onnx.export._has", lambda module: module == "onnxruntime")
    net = ml.Model()
    net |= ml.Linear(1000)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 1000]})
    path, params = tmp_path / "net.onnx", compiled.get_parameters()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
        with pytest.raises(ml.InputError) as info:
            ml.to_onnx(compiled, path, params)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(info.value) == (
        f"mithril.InputError[E0831]: {path}: the file cannot be written\n  why : File too large"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_symbolic_link_stays(tmp_path):
    compiled = counter()
    target = tmp_path / "target.onnx"
    target.write_bytes(b"")
    link = tmp_path / "net.onnx"
    link.symlink_to(target)
    ml.to_onnx(compiled, link)
    assert link.is_symlink()
    assert target.stat().st_size > 0


def test_a_file_without_a_stem_has_a_graph_with_a_name(tmp_path):
    if importlib.util.find_spec("onnx") is None:
        pytest.skip("the onnx package is not installed: make onnx has it")
    ml.to_onnx(counter(), tmp_path / ".onnx")


@pytest.mark.parametrize("opset", [17, 20, 24])
@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("shape", [(5, 2), (3, 4, 2), (2, 3, 8, 2)])
def test_fourier_transforms(tmp_path, opset, inverse, shape):
    data = {"x": np.random.default_rng(0).normal(size=shape).astype(np.float32)}
    assert_exports(tmp_path / "net.onnx", data, ml.PrimitiveFft(inverse=inverse), opset)
