"""`ml.from_onnx`: results, training, options and errors."""

import pickle
import subprocess
import sys

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)
WEIGHTS = {
    "conv.weight": RNG.normal(size=(4, 2, 3, 3)).astype(np.float32),
    "conv.bias": RNG.normal(size=4).astype(np.float32),
    "fc/weight:0": RNG.normal(size=(3, 64)).astype(np.float32),
}


def network():
    """Convolution, relu and a linear layer, as an exporter writes them."""
    return ob.file(
        [
            ob.node("Conv", "image conv.weight conv.bias", "1", pads=[1, 1, 1, 1]),
            ob.node("Relu", "1", "2"),
            ob.node("Flatten", "2", "3", axis=1),
            ob.node("Gemm", "3 fc/weight:0", "logits", transB=1),
        ],
        [ob.value("image", ["N", 2, 4, 4])],
        [ob.value("logits", ["N", 3])],
        WEIGHTS,
    )


@pytest.fixture
def path(tmp_path):
    (tmp_path / "net.onnx").write_bytes(network())
    return tmp_path / "net.onnx"


def test_a_network_has_the_results_of_its_formula(path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model, params, renamed = ml.from_onnx(path)
    assert renamed == {}
    image = RNG.normal(size=(5, 2, 4, 4)).astype(np.float32)
    result = ml.compile(model, ml.CpuBackend()).evaluate(params, {"image": image})["logits"]
    weights = {name: torch.tensor(value) for name, value in WEIGHTS.items()}
    hidden = torch.conv2d(
        torch.tensor(image), weights["conv.weight"], weights["conv.bias"], padding=1
    )
    expected = hidden.relu().flatten(1) @ weights["fc/weight:0"].T
    np.testing.assert_allclose(result, expected.numpy(), rtol=1e-4, atol=1e-4)


def test_metadata_of_the_file_are_kept(path):
    assert ml.from_onnx(path).metadata == {}
    noted = [
        ob.field(1, "labels") + ob.field(2, "cat\ndög"),
        ob.field(1, b"\xff") + ob.field(2, ""),
    ]
    path.write_bytes(network() + b"".join(ob.field(14, each) for each in noted))
    read = ml.from_onnx(path)
    assert read.metadata == {"labels": "cat\ndög", "\ufffd": ""}
    again = pickle.loads(pickle.dumps(read))
    assert again.metadata == read.metadata and again.renamed == read.renamed


def test_an_imported_model_is_trained(path):
    model, params, _ = ml.from_onnx(path)
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="logits", target="wanted")
    compiled = ml.compile(train, ml.CpuBackend(), data_keys=["image", "wanted"])
    step = ml.TrainingStep(compiled, ml.Adam(lr=1e-2))
    params = {name: value.copy() for name, value in params.items()}
    image = RNG.normal(size=(8, 2, 4, 4)).astype(np.float32)
    wanted = RNG.normal(size=(8, 3)).astype(np.float32)
    costs = [
        float(step(params, {"image": image, "wanted": wanted})["final_cost"]) for _ in range(40)
    ]
    assert costs[-1] < costs[0] / 4
    assert not np.array_equal(params["conv.weight"], WEIGHTS["conv.weight"])


def test_writing_to_the_parameters_does_not_change_the_file(path):
    _, params, _ = ml.from_onnx(path)
    before = path.read_bytes()
    params["conv.bias"][:] = 7
    assert path.read_bytes() == before
    np.testing.assert_array_equal(ml.from_onnx(path).params["conv.bias"], WEIGHTS["conv.bias"])


def test_shapes_replace_sizes_of_the_file(path):
    model = ml.from_onnx(path, shapes={"image": [7, None, None, 4]}).model
    assert model.get_shapes()["logits"] == [7, 3]


def test_a_constant_is_no_input(tmp_path):
    path = tmp_path / "scaled.onnx"
    nodes = [ob.node("Cast", "factor", "f", to=1), ob.node("Mul", "x f", "y")]
    inputs = [ob.value("x", [2]), ob.value("factor", [], "int64")]
    path.write_bytes(ob.file(nodes, inputs, [ob.value("y", [2])]))
    model, params, _ = ml.from_onnx(path, constants={"factor": 3})
    assert set(model.input_keys) == {"x"}
    result = ml.compile(model, ml.CpuBackend()).evaluate(params, {"x": np.float32([1, 2])})
    np.testing.assert_array_equal(result["y"], np.float32([3, 6]))


@pytest.mark.parametrize("dtype", ["int32", "float16", "bool"])
def test_results_have_the_dtypes_of_the_file(tmp_path, dtype):
    path = tmp_path / "same.onnx"
    path.write_bytes(
        ob.file(
            [ob.node("Concat", "x x", "y", axis=0)],
            [ob.value("x", [2], dtype)],
            [ob.value("y", [4], dtype)],
        )
    )
    model, params, _ = ml.from_onnx(path)
    x = np.array([0, 1], dtype)
    result = ml.compile(model, ml.CpuBackend()).evaluate(params, {"x": x})["y"]
    assert np.asarray(result).dtype == dtype
    np.testing.assert_array_equal(result, np.concatenate([x, x]))


def test_the_error_lists_all_refused_nodes(tmp_path):
    path = tmp_path / "net.onnx"
    nodes = [ob.node("Foo", "x", "a"), ob.node("Bar", "a", "b"), ob.node("Abs", "b", "y")]
    path.write_bytes(ob.file(nodes, [ob.value("x", [2])], [ob.value("y", [2])]))
    with pytest.raises(ml.ValueError) as caught:
        ml.from_onnx(path)
    assert str(caught.value) == (
        f"mithril.ValueError[E1311]: {path}: the file cannot be imported\n"
        "  node of a : Foo (opset 17): no op of Mithril computes it yet\n"
        "  node of b : Bar (opset 17): no op of Mithril computes it yet\n"
        "  help: docs/onnx.md lists the ops that can be"
    )


def test_other_arguments_are_refused(path):
    with pytest.raises(ml.TypeError, match=r"E0395.*constants"):
        ml.from_onnx(path, constants=["image"])
    with pytest.raises(ml.InputError, match="E0830"):
        ml.from_onnx("no_such_file.onnx")


def test_neither_torch_nor_onnx_is_imported(path):
    code = (
        "import sys, mithril as ml; ml.from_onnx(sys.argv[1]); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'onnx', 'google.protobuf')))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 0
