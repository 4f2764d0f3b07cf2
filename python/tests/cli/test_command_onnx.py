"""The native command on ONNX files."""

import numpy as np
import onnx_bytes
import pytest
from command import needs_command, object_of, refusal_of, run_command, text_of

pytestmark = needs_command


@pytest.fixture
def folder(tmp_path):
    """net.onnx: y = relu(x @ w) * scale, of an open number of rows; x.npy and w."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((4, 2)).astype(np.float32)
    (tmp_path / "net.onnx").write_bytes(
        onnx_bytes.file(
            [
                onnx_bytes.node("MatMul", "x w", "h"),
                onnx_bytes.node("Relu", "h", "a"),
                onnx_bytes.node("Mul", "a scale", "y"),
            ],
            [onnx_bytes.value("x", ["N", 4]), onnx_bytes.value("scale", [])],
            [onnx_bytes.value("y", ["N", 2])],
            {"w": w},
        )
    )
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "x.npy", rng.standard_normal((3, 4)).astype(np.float32))
    return tmp_path


def test_an_onnx_file_runs(folder):
    expected = 2 * np.maximum(np.load(folder / "x.npy") @ np.load(folder / "w.npy"), 0)
    arguments = ["--input", "x=x.npy", "--constant", "scale=2.0", "--output", "y.npy"]
    text_of("run", "net.onnx", *arguments, folder=folder)
    np.testing.assert_allclose(np.load(folder / "y.npy"), expected, rtol=1e-6)


def test_an_onnx_file_is_inspected(folder):
    found = object_of("inspect", "net.onnx", "--shape", "x=3,4", folder=folder)
    assert found["kind"] == "an ONNX model"
    assert [port["name"] for port in found["inputs"]] == ["x", "scale"]
    assert found["parameters"] == 8
    counts = {part["class"]: part["parameters"] for part in found["parts"]}
    assert (counts["MatrixMultiply"], counts["Relu"]) == (8, 0)


def test_an_onnx_file_becomes_a_package(folder):
    text_of("convert", "net.onnx", "net.zip", folder=folder)
    arguments = ["--input", "x=x.npy", "--seed", 1]
    results = [
        object_of("run", name, *arguments, folder=folder)["outputs"]
        for name in ["net.onnx", "net.zip"]
    ]
    assert results[0] == results[1]


def test_inspect_lists_nodes_that_cannot_be_imported(folder):
    text = text_of("inspect", "net.onnx", "--unsupported", folder=folder)
    assert text == "all nodes can be imported\n"
    nodes = [onnx_bytes.node("Foo", "x", "a"), onnx_bytes.node("Bar", "a", "y")]
    (folder / "bad.onnx").write_bytes(
        onnx_bytes.file(nodes, [onnx_bytes.value("x", [2])], [onnx_bytes.value("y", [2])])
    )
    ended = run_command("inspect", "bad.onnx", "--unsupported", folder=folder)
    assert (ended.returncode, ended.stdout) == (
        1,
        "node       why\n"
        "node of a  Foo (opset 17): no op of Mithril computes it yet\n"
        "node of y  Bar (opset 17): no op of Mithril computes it yet\n",
    )


def test_sizes_decide_what_an_onnx_file_needs_to_know(tmp_path):
    """Squeeze without axes removes those of size 1, and the size is open without --shape."""
    (tmp_path / "net.onnx").write_bytes(
        onnx_bytes.file(
            [onnx_bytes.node("Squeeze", "x", "y")],
            [onnx_bytes.value("x", ["N", 4])],
            [onnx_bytes.value("y", [4])],
        )
    )
    for call in ["inspect", "run"]:
        refused = refusal_of(call, "net.onnx", folder=tmp_path, status=3)
        assert refused.startswith("mithril.ValueError[E1311]: net.onnx: the file cannot be")
        found = object_of(call, "net.onnx", "--shape", "x=1,4", folder=tmp_path)
        assert found["outputs"][0]["shape"] in ("[4]", [4])
