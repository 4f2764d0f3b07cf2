"""`Scan` before opset 9, which has samples along the first axis, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import gradients, refusal, run

RNG = np.random.default_rng(0)


def old_scan(inputs=("", "s", "x"), **attributes):
    """The sums of the rows so far, times w."""
    nodes = [
        ob.node("Mul", "row w", "part"),
        ob.node("Add", "a part", "b"),
        ob.node("Neg", "b", "c"),
    ]
    names = [[ob.field(1, name) for name in group.split()] for group in ("a row", "b c")]
    node = b"".join(ob.field(1, name) for name in inputs)
    return node + ob.node(
        "Scan", "", "y z", num_scan_inputs=1, body=ob.graph(nodes, *names), **attributes
    )


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("directions", [None, [0], [1]])
def test_each_sample_is_scanned(tmp_path, samples, directions):
    s, x, w = RNG.normal(size=(samples, 4)), RNG.normal(size=(samples, 5, 4)), RNG.normal(size=4)
    node = old_scan(**({} if directions is None else {"directions": directions}))
    y, z = run(tmp_path, node, {"s": s, "x": x}, "y z", known={"w": w}, opset=8)
    rows = x[:, ::-1] if directions == [1] else x
    sums = s[:, None] + np.cumsum(rows * w, 1)
    np.testing.assert_allclose(y, sums[:, -1], rtol=1e-12)
    # Of a scan from the last row on, the results have the order of the steps.
    np.testing.assert_allclose(z, -sums, rtol=1e-12)


def test_all_samples_add_to_the_gradient(tmp_path):
    x = RNG.normal(size=(3, 5, 4))
    data = {"s": np.zeros((3, 4)), "x": x}
    made = gradients(tmp_path, old_scan(), data, known={"w": np.ones(4)}, opset=8)
    np.testing.assert_allclose(made["w"], x.sum((0, 1)), rtol=1e-10)


def test_samples_of_unknown_number_or_length_are_refused(tmp_path):
    data = {"s": np.zeros((3, 4)), "x": np.zeros((3, 5, 4)), "n": np.zeros(3, int)}
    known = {"w": np.ones(4)}
    found = refusal(tmp_path, old_scan(), data, known=known, opset=8, sizes={"s": ["B", 4]})
    reason = "it needs the number of samples; shapes= of the inputs states it"
    assert found == f"Scan (opset 8): {reason}"
    found = refusal(tmp_path, old_scan(("n", "s", "x")), data, known=known, opset=8)
    assert found == "Scan (opset 8): lengths of its samples are not supported"
