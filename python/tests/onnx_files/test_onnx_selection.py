"""Outputs whose sizes depend on data: Unique, NonZero, Compress and NonMaxSuppression."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import read, refusal, run

import mithril as ml

RNG = np.random.default_rng(0)


def cut(tmp_path, node, data, outputs, **options):
    """The outputs up to their counts."""
    net = read(tmp_path, node, data, outputs, **options)
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    results = compiled.evaluate(net.params, {key: data[key] for key in compiled.data_keys})
    made = []
    for name in outputs.split():
        x = np.asarray(results[name])
        if name in net.counts:
            count = np.asarray(results[f"{name}.count"])
            assert count.dtype == np.int64
            x = x.take(range(int(count)), net.counts[name])
        made.append(x)
    return made


def distinct(x, axis, is_sorted):
    y, first, inverse, counts = np.unique(x, True, True, True, axis)
    inverse = inverse.reshape(-1)
    if is_sorted:
        return y, first, inverse, counts
    order = np.argsort(first)
    whole = x.reshape(-1) if axis is None else x
    first = first[order]
    return whole.take(first, axis or 0), first, np.argsort(order)[inverse], counts[order]


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("is_sorted", [0, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.bool_])
def test_distinct_elements_and_slices(tmp_path, axis, is_sorted, dtype):
    x = RNG.integers(0, 2, (3, 4, 2)).astype(dtype)
    x[1], x[:, 3] = x[0], x[:, 0]
    options = {} if axis is None else {"axis": axis}
    node = ob.node("Unique", "x", "y first inverse counts", sorted=is_sorted, **options)
    made = cut(tmp_path, node, {"x": x}, "y first inverse counts")
    for result, wanted in zip(made, distinct(x, axis, is_sorted), strict=True):
        np.testing.assert_array_equal(result, wanted)
    assert made[0].dtype == dtype


@pytest.mark.parametrize("op", ["Unique", "NonZero"])
def test_sizes_may_be_open(tmp_path, op):
    for count in (0, 1, 5, 8):
        x = RNG.integers(0, 3, count)
        [y] = cut(tmp_path, ob.node(op, "x", "y"), {"x": x}, "y", sizes={"x": ["N"]})
        wanted = np.unique(x) if op == "Unique" else np.array(np.nonzero(x))
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_])
def test_places_of_what_is_not_zero(tmp_path, dtype):
    x = RNG.integers(0, 2, (2, 3, 4)).astype(dtype)
    [y] = cut(tmp_path, ob.node("NonZero", "x", "y"), {"x": x}, "y")
    np.testing.assert_array_equal(y, np.array(np.nonzero(x)))


@pytest.mark.parametrize("axis", [None, 0, -1])
def test_elements_are_chosen_by_a_condition(tmp_path, axis):
    x, chosen = RNG.normal(size=(3, 4)), np.array([True, False, True])
    options = {} if axis is None else {"axis": axis}
    node = ob.node("Compress", "x c", "y", **options)
    [y] = cut(tmp_path, node, {"x": x, "c": chosen}, "y")
    np.testing.assert_array_equal(y, np.compress(chosen, x, axis))
    [y] = run(tmp_path, node, {"x": x}, known={"c": chosen})
    np.testing.assert_array_equal(y, np.compress(chosen, x, axis))


def overlap(a, b):
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    shared = np.prod(np.maximum(high - low, 0))
    return shared / (np.prod(a[1] - a[0]) + np.prod(b[1] - b[0]) - shared)


def selected(boxes, scores, most, limit, least):
    """`boxes`: [batch, boxes, 2, 2], from their lowest to their highest corners."""
    made = []
    for b, c in np.ndindex(*scores.shape[:2]):
        chosen = []
        for i in np.argsort(-scores[b, c], kind="stable"):
            is_free = all(overlap(boxes[b, i], boxes[b, j]) <= limit for j in chosen)
            if scores[b, c, i] > least and is_free and len(chosen) < most:
                chosen.append(i)
        made += [(b, c, i) for i in chosen]
    return np.array(made).reshape(-1, 3)


@pytest.mark.parametrize("most", [1, 3, 100])
@pytest.mark.parametrize("limits", [(0.5, 0.0), (0.0, 0.6), (0.2, 2.0)])
@pytest.mark.parametrize("is_centred", [0, 1])
def test_boxes_that_overlap_a_better_one_are_left_out(tmp_path, most, limits, is_centred):
    limit, least = limits
    centre, size = RNG.uniform(0, 3, (2, 12, 2)), RNG.uniform(0.5, 2, (2, 12, 2))
    corners = np.stack([centre - size / 2, centre + size / 2], 2)
    scores = RNG.uniform(size=(2, 3, 12)).round(1)  # some are equal
    # Of two corners, either may be the lower one.
    given = np.concatenate([corners[:, :, 1], corners[:, :, 0]], 2)
    boxes = np.concatenate([centre, size], 2) if is_centred else given
    node = ob.node("NonMaxSuppression", "b s most limit least", "y", center_point_box=is_centred)
    data = {"b": boxes, "s": scores, "limit": np.array([limit]), "least": np.array([least])}
    sizes = {"b": ["B", "N", 4], "s": ["B", "C", "N"]} if most < 100 else {}
    [y] = cut(tmp_path, node, data, "y", known={"most": np.array([most])}, sizes=sizes)
    np.testing.assert_array_equal(y, selected(corners, scores, most, limit, least))


def test_known_inputs_give_the_elements_alone(tmp_path):
    nodes = [
        ob.node("NonZero", "k", "p"),
        ob.node("Transpose", "p", "t"),
        ob.node("Unique", "t", "u"),
    ]
    nodes.append(ob.node("Add", "u x", "y"))
    known = {"k": np.array([[0, 1], [1, 0]])}
    [y] = run(tmp_path, nodes, {"x": np.array([10, 20])}, known=known)
    np.testing.assert_array_equal(y, [10, 21])


def test_no_op_reads_an_output_of_this_kind(tmp_path):
    nodes = [ob.node("NonZero", "x", "p"), ob.node("Transpose", "p", "y")]
    assert refusal(tmp_path, nodes, {"x": np.zeros((2, 2))}) == (
        "Transpose (opset 25): the number of elements of its input 'p' depends on data; "
        "make 'p' an output of the file, and leave out what reads it"
    )


def test_slices_that_are_large_are_refused(tmp_path):
    node = ob.node("Unique", "x", "y", axis=0)
    reason = "the number of elements of a slice is 1001, expected at most 1000"
    found = refusal(tmp_path, node, {"x": np.zeros((2, 1001))})
    assert found == f"Unique (opset 25): {reason}"
