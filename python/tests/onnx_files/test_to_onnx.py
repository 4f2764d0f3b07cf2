"""`ml.to_onnx`: names, sizes, results after `ml.from_onnx` and in ONNX Runtime, and errors."""

from types import SimpleNamespace

import numpy as np
import onnx_bytes as ob
import onnx_models
import pytest
from onnx_runs import assert_equal_results
from rounding_sessions import MissingKernelError, Session, use_session

import mithril as ml

RNG = np.random.default_rng(0)


def layers():
    net = ml.Model()
    net |= ml.Linear(16)(input="x")
    net += ml.LayerNorm()
    net += ml.Gelu()
    net += ml.Linear(3)(output="y")
    return ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 4]})


def test_a_network_is_read_back_with_its_names_and_sizes(tmp_path):
    compiled = layers()
    params = compiled.get_parameters()
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params)
    model, read, renamed = ml.from_onnx(path)
    again = ml.compile(model, ml.CpuBackend())
    assert again.shapes["x"] == ["N", 4]
    assert again.shapes["y"] == ["N", 3]
    assert renamed == {}
    assert sorted(read) == sorted(params)
    for key, value in params.items():
        np.testing.assert_array_equal(read[key], value)
    for batch in (1, 5):
        x = RNG.normal(size=(batch, 4)).astype(np.float32)
        assert_equal_results(path, compiled, [params], {"x": x})


@pytest.mark.parametrize("opset", [13, 17, 18, 20, 24, 25])
def test_each_opset_has_the_results(tmp_path, opset):
    compiled = layers()
    params = compiled.get_parameters()
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, opset=opset)
    x = RNG.normal(size=(5, 4)).astype(np.float32)
    assert_equal_results(path, compiled, [params], {"x": x})


def test_other_opsets_are_refused(tmp_path):
    compiled = layers()
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, tmp_path / "net.onnx", compiled.get_parameters(), opset=12)
    assert str(info.value) == (
        "mithril.ValueError[E1321]: models are not written for opset 12\n  expected : 13 to 25"
    )
    assert list(tmp_path.iterdir()) == []


def test_all_ops_without_a_form_are_in_one_error(tmp_path):
    net = ml.Model()
    net |= ml.Cholesky()(input="x", output="root")
    net |= ml.Lgamma()(input="root", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": [3, 3]}, data_keys=["x"])
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, tmp_path / "net.onnx")
    assert str(info.value) == (
        "mithril.ValueError[E1320]: opset 20 of ONNX lacks ops of the model\n"
        "  root : cholesky: ONNX has no such op\n"
        "  y    : lgamma: ONNX has no such op\n"
        "  help: docs/onnx.md lists the ops that can be exported; compose others of these"
    )
    assert list(tmp_path.iterdir()) == []


def test_running_statistics_are_initializers(tmp_path):
    net = ml.Model()
    net |= ml.Conv2d(3, filters=4)(input="image")
    net += ml.BatchNorm2D()
    net += ml.Relu()
    net += ml.MaxPool2D(2)(output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"image": ["N", 2, 8, 8]})
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    path = tmp_path / "net.onnx"
    with pytest.raises(ml.StateError) as info:
        ml.to_onnx(compiled, path, params)
    assert info.value.code == "E0923"
    ml.to_onnx(compiled, path, params, state=state)
    image = RNG.normal(size=(3, 2, 8, 8)).astype(np.float32)
    assert_equal_results(path, compiled, [params, state], {"image": image})
    _, read, _ = ml.from_onnx(path)
    assert set(params) | set(state) == set(read)


def test_external_data_has_the_elements(tmp_path):
    net = ml.Model()
    net |= ml.Linear(64)(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 64]})
    params = compiled.get_parameters()
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, external_data=True)
    assert path.stat().st_size < 2048
    assert (tmp_path / "net.onnx.data").stat().st_size == 64 * 64 * 4
    x = RNG.normal(size=(2, 64)).astype(np.float32)
    assert_equal_results(path, compiled, [params], {"x": x})


def test_another_result_is_refused_with_the_first_node_that_differs(tmp_path, monkeypatch):
    edits = dict.fromkeys(("layernorm.output", "y"), lambda value: value + 1)
    use_session(monkeypatch, Session(edits=edits))
    monkeypatch.chdir(tmp_path)
    compiled = layers()
    path = "net.onnx"
    x = RNG.normal(size=(2, 4)).astype(np.float32)
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, path, compiled.get_parameters(), data={"x": x})
    lines = str(info.value).splitlines()
    assert lines[0] == (
        "mithril.ValueError[E1324]: net.onnx: ONNX Runtime has other results than Mithril"
    )
    assert lines[1] == "  first      : layernorm.output"
    assert lines[2].startswith("  difference : 1, more than ")
    assert lines[3] == "  help: check=False writes the file nevertheless"
    assert list(tmp_path.iterdir()) == []
    ml.to_onnx(compiled, path, compiled.get_parameters(), data={"x": x}, check=False)
    assert list(tmp_path.iterdir()) == [tmp_path / path]


def refusal_of_net():
    compiled = layers()
    with pytest.raises(ml.ValueError) as info:
        ml.to_onnx(compiled, "net.onnx", compiled.get_parameters())
    return str(info.value)


def test_a_file_that_onnx_runtime_refuses_is_an_error(tmp_path, monkeypatch):
    def refuse(file, options, providers):
        raise RuntimeError("NOT_IMPLEMENTED : no kernel")

    use_session(monkeypatch, refuse)
    monkeypatch.chdir(tmp_path)
    assert refusal_of_net() == (
        "mithril.ValueError[E1323]: net.onnx: ONNX Runtime does not run the file\n"
        "  reason : NOT_IMPLEMENTED : no kernel\n"
        "  help: check=False writes the file nevertheless"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_missing_kernel_of_onnx_runtime_is_a_warning(tmp_path, monkeypatch):
    def refuse(file, options, providers):
        raise MissingKernelError("no kernel for Erf")

    use_session(monkeypatch, refuse)
    compiled = layers()
    path = tmp_path / "net.onnx"
    with pytest.warns(UserWarning, match="cannot check .*: no kernel for Erf"):
        ml.to_onnx(compiled, path, compiled.get_parameters())
    assert path.exists()


def test_a_file_that_the_checker_refuses_is_an_error(tmp_path, monkeypatch):
    class ValidationError(Exception):
        pass

    def check_model(path, full_check):
        raise ValidationError("wrong")

    checker = SimpleNamespace(check_model=check_model, ValidationError=ValidationError)
    modules = {
        "onnx.checker": checker,
        "onnx.shape_inference": SimpleNamespace(InferenceError=ValidationError),
    }
    monkeypatch.setattr("mithril.onnx.export._has", lambda module: module == "onnx.checker")
    monkeypatch.setattr("mithril.onnx.export.importlib.import_module", modules.get)
    monkeypatch.chdir(tmp_path)
    assert refusal_of_net() == (
        "mithril.ValueError[E1322]: net.onnx: the checker of the onnx package refuses the file\n"
        "  reason : wrong"
    )


def loop():
    body = ml.Model()
    body |= ml.Linear(4)(input="h", output="a")
    body |= ml.Add()(left="a", right="x", output="sum")
    body |= ml.Tanh()(input="sum", output="h_next")
    model = ml.Model()
    scan = ml.Scan(body, carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    model |= scan(h="h", x="x")
    return model, {"h": RNG.normal(size=(3, 4)), "x": RNG.normal(size=(5, 3, 4))}


def choice():
    x = ml.IOKey("x")
    small, large = ml.Model.create(y=x.sin()), ml.Model.create(y=x - x * x * x / 6.0)
    return ml.Cond("is_small", small, large), {"x": RNG.normal(size=3), "is_small": np.array(True)}


def doubling():
    x, limit = ml.IOKey("x"), ml.IOKey("limit")
    condition = ml.Model.create(goes_on=ml.Max()(x) < limit)
    model = ml.While(condition, ml.Model.create(x_next=x * 2.0), carry={"x": "x_next"})
    return model, {"x": np.array([0.1, 0.2]), "limit": np.array(5.0)}


@pytest.mark.parametrize("make", [loop, choice, doubling])
def test_loops_and_branches_are_read_back_with_their_results(tmp_path, make):
    model, data = make()
    data = {k: v if v.dtype == bool else v.astype(np.float32) for k, v in data.items()}
    shapes = {key: list(value.shape) for key, value in data.items()}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=list(data))
    params = compiled.get_parameters()
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, data=data)
    assert_equal_results(path, compiled, [params], data)


def test_the_results_of_a_step_have_an_axis_for_each_open_size(tmp_path):
    model, data = loop()
    shapes = {"h": ["N", 4], "x": ["T", "N", 4]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=list(data))
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, compiled.get_parameters())
    dims = ob.field(1, b"") + ob.field(1, ob.field(1, 4))
    assert ob.field(1, ob.TYPES["float32"]) + ob.field(2, dims) in path.read_bytes()


@pytest.mark.parametrize("name", sorted(onnx_models.CONFIGS))
def test_an_architecture_is_read_back_with_its_results_at_two_sizes(tmp_path, name):
    compiled = ml.compile(onnx_models.composed(name), ml.CpuBackend())
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, state=state)
    for size in (0, 1):
        data = onnx_models.inputs(name, compiled, size)
        assert_equal_results(path, compiled, [params, state], data)


def test_the_body_of_a_scan_may_have_a_loop_that_a_condition_ends(tmp_path):
    is_large, halved = ml.Model(), ml.Model.create(s_next=ml.IOKey("s") * 0.5)
    is_large |= ml.Sum()(input="s", output="total")
    is_large |= ml.Greater()(left="total", right=1.0, output="goes_on")
    is_large.expose_keys("goes_on")
    step = ml.Model()
    step |= ml.Add()(left="s", right="element", output="sum")
    step |= ml.While(is_large, halved, carry={"s": "s_next"})(s="sum", s_last="s_next")
    step.expose_keys("s_next")
    model = ml.Scan(step, carry={"s": "s_next"}, sequences=["element"])
    shapes = {"element": [4, 3], "s": [3]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, inference=True)
    path = tmp_path / "net.onnx"
    data = {
        "element": np.abs(RNG.normal(size=(4, 3))).astype(np.float32),
        "s": np.zeros(3, np.float32),
    }
    ml.to_onnx(compiled, path)
    assert_equal_results(path, compiled, [{}], data)
