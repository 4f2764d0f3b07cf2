"""Extrema of no elements, which are infinite in ONNX."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import refusal, run

LIMITS = [("ReduceMax", -np.inf), ("ReduceMin", np.inf), ("ReduceLogSumExp", -np.inf)]


@pytest.mark.parametrize(("op", "limit"), LIMITS)
@pytest.mark.parametrize("reduced", [([1], 1, (2, 1, 4)), ([0, 1], 0, (4,))])
def test_no_elements_give_a_limit(tmp_path, op, limit, reduced):
    axes, keeps, dims = reduced
    node = ob.node(op, "x axes", "y", keepdims=keeps)
    known = {"axes": np.array(axes)}
    [y] = run(tmp_path, node, {"x": np.zeros((2, 0, 4))}, known=known)
    np.testing.assert_array_equal(y, np.full(dims, limit))
    [y] = run(tmp_path, node, {"x": np.zeros((2, 3, 4))}, known=known)
    assert np.isfinite(y).all()


@pytest.mark.parametrize(("op", "limit"), [("ReduceMax", False), ("ReduceMin", True)])
def test_no_bools_give_a_limit(tmp_path, op, limit):
    known = {"axes": np.array([1])}
    [y] = run(tmp_path, ob.node(op, "x axes", "y"), {"x": np.zeros((2, 0), bool)}, known=known)
    np.testing.assert_array_equal(y, np.full((2, 1), limit))


def test_an_axis_without_elements_that_stays_makes_no_result(tmp_path):
    known = {"axes": np.array([1])}
    [y] = run(tmp_path, ob.node("ReduceMax", "x axes", "y"), {"x": np.zeros((0, 3))}, known=known)
    assert y.shape == (0, 1)


def test_no_ints_are_refused(tmp_path):
    node = ob.node("ReduceMax", "x", "y")
    reason = "ReduceMax (opset 25): it chooses from no ints"
    assert refusal(tmp_path, node, {"x": np.zeros((2, 0), int)}) == reason
