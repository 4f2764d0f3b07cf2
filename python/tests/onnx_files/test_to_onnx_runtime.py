"""The check of files by ONNX Runtime itself."""

import numpy as np
import onnx_bytes as ob
import pytest
from mithril.onnx.message_fields import add_outputs, node_outputs

import mithril as ml
from mithril.onnx import export

RNG = np.random.default_rng(0)
X = RNG.normal(size=(8, 64)).astype(np.float32)


def chaos(last):
    """Sines of numbers so large that the last bit of other nodes decides them."""
    net = ml.Model()
    net |= ml.Linear(64)(input="x")
    net += ml.Gelu()
    net += ml.LayerNorm()
    net += ml.Tanh()
    net += ml.Linear(32)(output="h")
    net |= ml.Multiply()(left="h", right=1e6, output="large")
    net |= ml.Sine()(input="large", output="wave")
    net |= last(input="wave", output="output")
    net.expose_keys("output")
    return net


def trained():
    train = ml.TrainModel(chaos(ml.Relu()))
    train.add_loss(ml.SquaredError(), input="output", target="target", reduce_steps=[ml.Mean()])
    shapes = {"x": ["N", 64], "target": ["N", 32]}
    return ml.compile(train, ml.CpuBackend(), shapes=shapes)


def write_model(path, **options):
    compiled = ml.compile(chaos(ml.Floor()), ml.CpuBackend(), shapes={"x": ["N", 64]})
    ml.to_onnx(compiled, path, compiled.randomize_params(1), data={"x": X}, **options)


def write_functions(path):
    write_model(path, functions=True)


def write_gradients(path):
    compiled = trained()
    data = {"x": X, "target": np.ones((8, 32), np.float32)}
    ml.to_onnx(compiled, path, compiled.randomize_params(1), data=data, gradients=True)


def write_step(path):
    compiled = trained()
    data = {"x": X, "target": np.ones((8, 32), np.float32)}
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1))
    ml.to_onnx(step, path, compiled.randomize_params(1), data=data)


WRITERS = [write_model, write_functions, write_gradients, write_step]


@pytest.fixture
def runtime():
    return pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


@pytest.mark.parametrize("write", WRITERS)
def test_rounding_that_grows_is_a_warning(tmp_path, runtime, write):
    path = tmp_path / "net.onnx"
    with pytest.warns(UserWarning, match="rounding differs in ONNX Runtime"):
        write(path)
    assert [file.name for file in tmp_path.iterdir()] == ["net.onnx"]


def with_fault(monkeypatch, old, new, is_in_all):
    """Files have another op: each, or only the one that is without further outputs."""
    for kind in (export._Export, export._StepExport):

        def write(self, path, external_data=False, all_values=False, write=kind.write):
            made = write(self, path, external_data, all_values)
            if is_in_all or not all_values:
                with open(path, "rb+") as file:
                    content = file.read()
                    assert ob.field(4, old) in content
                    file.seek(0)
                    file.write(content.replace(ob.field(4, old), ob.field(4, new)))
            return made

        monkeypatch.setattr(kind, "write", write)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("is_in_all", [True, False])
def test_the_first_node_that_differs_is_named(tmp_path, monkeypatch, runtime, write, is_in_all):
    with_fault(monkeypatch, "Tanh", "Sinh", is_in_all)
    with pytest.raises(ml.ValueError, match="E1324") as info:
        write(tmp_path / "net.onnx")
    lines = str(info.value).splitlines()
    assert lines[1].removeprefix("  first      : ").removeprefix("model.") == "tanh.output"
    assert ("  where      : in the graph that ONNX Runtime has optimized" in lines) != is_in_all
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_in_all", [True, False])
def test_a_node_after_grown_rounding_has_to_agree(tmp_path, monkeypatch, runtime, is_in_all):
    with_fault(monkeypatch, "Floor", "Round", is_in_all)
    with pytest.raises(ml.ValueError, match="first      : output"):
        write_model(tmp_path / "net.onnx")


def halves(path, op):
    net = ml.Model()
    net |= ml.Linear(64)(input="x")
    net += ml.Gelu()
    net += ml.LayerNorm()
    net += op
    net += ml.Linear(32)(output="output")
    backend = ml.CpuBackend(dtype=ml.float16)
    compiled = ml.compile(net, backend, shapes={"x": ["N", 64]})
    ml.to_onnx(compiled, path, compiled.randomize_params(1), data={"x": X})


def test_a_node_of_float16_that_differs_is_named(tmp_path, monkeypatch, runtime):
    halves(tmp_path / "net.onnx", ml.Sine())
    with_fault(monkeypatch, "Sin", "Cos", True)
    with pytest.raises(ml.ValueError, match=r"first      : sine\.output"):
        halves(tmp_path / "net.onnx", ml.Sine())


def test_rounding_of_float16_that_grows_is_a_warning(tmp_path, runtime):
    x = ml.IOKey("x")
    for _ in range(16):
        x = 3.9 * x * (1.0 - x)
    backend = ml.CpuBackend(dtype=ml.float16)
    compiled = ml.compile(ml.Model.create(y=x), backend, shapes={"x": [8, 64]}, data_keys=["x"])
    with pytest.warns(UserWarning, match="rounding differs in ONNX Runtime"):
        ml.to_onnx(compiled, tmp_path / "net.onnx", data={"x": np.abs(np.sin(X))})


def test_values_that_numpy_lacks_are_left_out_of_the_comparison(tmp_path, monkeypatch, runtime):
    x = ml.IOKey("x")
    model = ml.Model.create(y=(x.sin().cast(ml.bfloat16).cast(ml.float32) * 1e3).sin())
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [8, 64]}, data_keys=["x"])
    ml.to_onnx(compiled, tmp_path / "net.onnx", data={"x": X})
    with_fault(monkeypatch, "Sin", "Cos", True)
    with pytest.raises(ml.ValueError, match="E1324"):
        ml.to_onnx(compiled, tmp_path / "net.onnx", data={"x": X})


def test_outputs_are_added_to_a_file(tmp_path, runtime):
    path = str(tmp_path / "net.onnx")
    nodes = [
        ob.node("Relu", "x", "a"),
        ob.node("TopK", "a k", "b c", axis=0),
        ob.node("Neg", "b", "y"),
    ]
    outputs = [ob.value("y", [2])]
    (tmp_path / "net.onnx").write_bytes(
        ob.file(nodes, [ob.value("x", [3])], outputs, {"k": np.array([2])}, opset=20)
    )
    assert node_outputs(path) == ["a", "b", "c", "y"]
    add_outputs(path, ["a", "c", "y"])
    session = runtime.InferenceSession(path)
    assert [node.name for node in session.get_outputs()] == ["y", "a", "c"]
    y, a, c = session.run(None, {"x": np.array([3, -1, 5], np.float32)})
    assert (y.tolist(), a.tolist(), c.tolist()) == ([-5, -3], [3, 0, 5], [2, 0])
