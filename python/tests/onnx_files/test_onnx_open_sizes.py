"""Ops of ONNX on axes of any size: one model, evaluated at several sizes, against NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import read, refusal

import mithril as ml

SIZES = [(2, 3), (4, 1), (1, 5)]


def run_each(path, node, draw, sizes, known=None):
    """Data and results of the node at each of SIZES."""
    data = [draw(*each) for each in SIZES]
    net = read(path, node, data[0], sizes=sizes, known=known)
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    for each in data:
        yield each, np.asarray(compiled.evaluate(net.params, each)["y"])


def elements(*dims):
    return np.arange(np.prod(dims), dtype=np.float64).reshape(dims)


def indices(*limits, count):
    """Tuples of indices, of which every second counts from the end."""
    places = np.array([[(7 * i + 3) % limit for limit in limits] for i in range(count)])
    places[1::2] -= limits
    return places


def test_elements_are_gathered_by_tuples(tmp_path):
    def draw(n, m):
        return {"x": elements(n, m, 2), "i": indices(n, m, count=6).reshape(3, 2, 2)}

    node = ob.node("GatherND", "x i", "y")
    for data, y in run_each(tmp_path, node, draw, {"x": ["N", "M", 2]}):
        at = data["i"]
        assert y.tolist() == data["x"][at[..., 0], at[..., 1]].tolist()


def test_elements_of_each_batch_are_gathered_by_tuples(tmp_path):
    def draw(n, m):
        return {"x": elements(n, m, 2), "i": indices(m, count=3 * n).reshape(n, 3, 1)}

    node = ob.node("GatherND", "x i", "y", batch_dims=1)
    sizes = {"x": ["N", "M", 2], "i": ["N", 3, 1]}
    for data, y in run_each(tmp_path, node, draw, sizes):
        expected = [x[i[:, 0]] for x, i in zip(data["x"], data["i"], strict=True)]
        assert y.tolist() == np.array(expected).tolist()


def test_elements_are_scattered_by_tuples(tmp_path):
    def draw(n, m):
        return {"x": elements(n, 3, m), "i": np.array([[n - 1, 0], [-1, 2]]), "u": -elements(2, m)}

    node = ob.node("ScatterND", "x i u", "y")
    for data, y in run_each(tmp_path, node, draw, {"x": ["N", 3, "M"], "u": [2, "M"]}):
        expected = data["x"].copy()
        expected[data["i"][:, 0], data["i"][:, 1]] = data["u"]
        assert y.tolist() == expected.tolist()


def test_tuples_of_any_length_are_refused(tmp_path):
    data = {"x": elements(2, 3), "i": np.array([[1, 2]])}
    found = refusal(tmp_path, ob.node("GatherND", "x i", "y"), data, sizes={"i": [1, "K"]})
    assert "the number of indices in a tuple is not known" in found


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_rows_of_a_cache_are_replaced(tmp_path, mode):
    def draw(n, m):
        data = {"x": elements(n, 2, 8, m), "u": -1 - elements(n, 2, 3, m)}
        return data | {"i": np.arange(n) + (6 if mode == "circular" else 1)}

    node = ob.node("TensorScatter", "x u i", "y", mode=mode)
    sizes = {"x": ["N", 2, 8, "M"], "u": ["N", 2, 3, "M"], "i": ["N"]}
    for data, y in run_each(tmp_path, node, draw, sizes):
        expected = data["x"].copy()
        for row, begin in enumerate(data["i"]):
            for step in range(3):
                expected[row, :, (begin + step) % 8] = data["u"][row, :, step]
        assert y.tolist() == expected.tolist()


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_depth_becomes_space_and_space_depth(tmp_path, mode):
    """SpaceToDepth is the inverse of DepthToSpace."""

    def draw(n, m):
        return {"x": elements(2, 8, n, m)}

    sizes = {"x": [2, 8, "N", "M"]}
    there = ob.node("DepthToSpace", "x", "y", blocksize=2, mode=mode)
    both = [
        ob.node("DepthToSpace", "x", "z", blocksize=2, mode=mode),
        ob.node("SpaceToDepth", "z", "y", blocksize=2, mode=mode),
    ]
    for data, y in run_each(tmp_path, there, draw, sizes):
        n, m = data["x"].shape[2:]
        assert y.shape == (2, 2, 2 * n, 2 * m)
        blocks = data["x"].reshape(2, 2, 2, 2, n, m)
        corner = blocks[:, 1, 0] if mode == "DCR" else blocks[:, :, 1, 0]
        assert y[:, :, 1::2, 0::2].tolist() == corner.tolist()
    for data, y in run_each(tmp_path, both, draw, sizes):
        assert y.tolist() == data["x"].tolist()


def test_space_that_is_no_multiple_of_the_block_is_refused(tmp_path):
    data = {"x": elements(1, 2, 4, 5)}
    node = ob.node("SpaceToDepth", "x", "y", blocksize=2)
    net = read(tmp_path, node, data, sizes={"x": [1, 2, "N", "M"]})
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    with pytest.raises(ml.ShapeError, match="cannot reshape"):
        compiled.evaluate(net.params, data)


def test_planes_of_any_batch_are_averaged_by_windows_beyond_them(tmp_path):
    """As torch.onnx.export writes AvgPool2d(kernel, ceil_mode=True) of a larger kernel."""

    def draw(n, m):
        return {"x": elements(n, 2, 5, 3)}

    attributes = {"kernel_shape": [9, 2], "strides": [9, 2], "ceil_mode": 1}
    for counts_pads in (0, 1):
        node = ob.node("AveragePool", "x", "y", count_include_pad=counts_pads, **attributes)
        for data, y in run_each(tmp_path, node, draw, {"x": ["N", 2, 5, 3]}):
            rows = data["x"].mean(2, keepdims=True)
            expected = np.concatenate([rows[..., :2].mean(3, keepdims=True), rows[..., 2:]], 3)
            np.testing.assert_allclose(y, expected)


@pytest.mark.parametrize("dilation", [1, 2, 4])
def test_the_only_window_of_an_axis_has_its_elements_alone(tmp_path, dilation):
    def draw(n, m):
        return {"x": elements(n, 1, 6)}

    attributes = {"kernel_shape": [8], "dilations": [dilation], "strides": [40], "ceil_mode": 1}
    node = ob.node("MaxPool", "x", "y", **attributes)
    for data, y in run_each(tmp_path, node, draw, {"x": ["N", 1, 6]}):
        expected = data["x"][..., ::dilation].max(2, keepdims=True)
        assert y.tolist() == expected.tolist()


def test_maxima_of_any_batch_return_to_their_places(tmp_path):
    def draw(n, m):
        return {"x": elements(n, m, 4, 6)}

    kernel = {"kernel_shape": [2, 3], "strides": [2, 3]}
    nodes = [ob.node("MaxPool", "x", "v i", **kernel), ob.node("MaxUnpool", "v i", "y", **kernel)]
    for data, y in run_each(tmp_path, nodes, draw, {"x": ["N", "M", 4, 6]}):
        expected = np.zeros_like(data["x"])
        expected[:, :, 1::2, 2::3] = data["x"][:, :, 1::2, 2::3]
        assert y.tolist() == expected.tolist()


@pytest.mark.parametrize("by", ["scales", "sizes", "sizes of a shape"])
def test_axes_of_any_size_are_kept_beside_those_that_are_resized(tmp_path, by):
    def draw(n, m):
        return {"x": elements(n, m, 3)}

    known = {"none": np.zeros(0, np.float32), "scales": np.array([1, 1, 2], np.float32)}
    known |= {"six": np.array([6]), "zero": np.array([0]), "two": np.array([2])}
    resize = {"mode": "linear", "coordinate_transformation_mode": "asymmetric"}
    nodes = {
        "scales": [ob.node("Resize", "x none scales", "y", **resize)],
        "sizes": [ob.node("Resize", "x none none six", "y", axes=[2], **resize)],
        "sizes of a shape": [
            ob.node("Shape", "x", "shape"),
            ob.node("Slice", "shape zero two", "kept"),
            ob.node("Concat", "kept six", "sizes", axis=0),
            ob.node("Resize", "x none none sizes", "y", **resize),
        ],
    }[by]
    for data, y in run_each(tmp_path, nodes, draw, {"x": ["N", "M", 3]}, known):
        x = data["x"]
        between = (x + np.concatenate([x[..., 1:], x[..., -1:]], 2)) / 2
        np.testing.assert_allclose(y, np.stack([x, between], 3).reshape(*x.shape[:2], 6))


def test_an_axis_of_any_size_is_not_resized_to_another_one(tmp_path):
    data = {"x": elements(2, 3)}
    known = {"none": np.zeros(0, np.float32), "one": np.array([1]), "zero": np.array([0])}
    nodes = [
        ob.node("Shape", "x", "shape"),
        ob.node("Gather", "shape one", "m"),
        ob.node("Gather", "shape zero", "n"),
        ob.node("Concat", "m n", "sizes", axis=0),
        ob.node("Resize", "x none none sizes", "y", mode="linear"),
    ]
    with pytest.raises(ml.ValueError, match="needs the sizes of 'x'"):
        read(tmp_path, nodes, data, sizes={"x": ["N", "M"]}, known=known)


def test_axes_of_any_size_are_kept_beside_those_that_are_cropped(tmp_path):
    def draw(n, m):
        return {"x": elements(n, 5, m)}

    known = {"wanted": np.array([3])}
    node = ob.node("CenterCropPad", "x wanted", "y", axes=[1])
    for data, y in run_each(tmp_path, node, draw, {"x": ["N", 5, "M"]}, known):
        assert y.tolist() == data["x"][:, 1:4].tolist()


def sliced(table):
    """The first n of a table, for x [n, 2]: as exporters take rows of positions."""
    return [
        ob.node("Shape", "x", "dims"),
        ob.node("Gather", "dims first", "n"),
        ob.node("Unsqueeze", "n axes", "end"),
        ob.node("Slice", "table start end", "y"),
    ], {
        "first": np.array(0),
        "axes": np.array([0]),
        "start": np.array([0]),
        "table": table,
    }


@pytest.mark.parametrize("count", [8, 5000])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_a_table_is_sliced_to_a_size(tmp_path, count, dtype):
    table = np.arange(count, dtype=dtype) + 10
    nodes, known = sliced(table)
    net = read(
        tmp_path, nodes, {"x": np.ones((3, 2), np.float32)}, sizes={"x": ["n", 2]}, known=known
    )
    compiled = ml.compile(net.model, ml.CpuBackend(), inference=True)
    for n in (0, 1, 3, 8):
        out = compiled.evaluate(net.params, {"x": np.ones((n, 2), np.float32)})
        assert np.asarray(out["y"]).tolist() == table[:n].tolist()


def padded(tmp_path, mode, pads, size):
    node = ob.node("Pad", "x p", "y", mode=mode)
    known = {"p": np.array(pads, np.int64)}
    net = read(tmp_path, node, {"x": np.ones(3)}, sizes={"x": ["N"]}, known=known)
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    return compiled.evaluate({}, {"x": np.arange(1.0, size + 1)})["y"]


MODES = ["constant", "edge", "reflect", "wrap"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pads", [(-3, 0), (0, -3), (-2, -2), (-4, 1)])
def test_pads_that_remove_more_than_there_is_are_refused(tmp_path, mode, pads):
    with pytest.raises(ml.ShapeError, match="a dim would be negative\n  got : N - "):
        padded(tmp_path, mode.encode(), pads, 2)


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("pads", [(-2, 1), (3, -4), (-1, 2)])
def test_pads_repeat_no_elements_of_an_empty_axis(tmp_path, mode, pads):
    with pytest.raises(ml.ValueError, match=r"gather: index .* is out of range for size 0"):
        padded(tmp_path, mode.encode(), pads, -min(pads))


@pytest.mark.parametrize("mode", MODES)
def test_pads_may_remove_all(tmp_path, mode):
    assert padded(tmp_path, mode.encode(), (-1, -2), 3).shape == (0,)


@pytest.mark.parametrize("start", [-1, 2**31 - 1, 2**62])
@pytest.mark.parametrize("stop", [-(2**62), -4, -2])
@pytest.mark.parametrize("step", [-1, -2])
def test_an_axis_of_any_size_is_read_backwards(tmp_path, start, stop, step):
    nodes = [ob.node("Slice", "x start stop axis step", "y")]
    numbers = {"start": start, "stop": stop, "axis": 0, "step": step}
    known = {name: np.array([number], np.int64) for name, number in numbers.items()}
    made = ob.file(nodes, [ob.value("x", ["N", 2])], [ob.value("y", ["M", 2])], known)
    (tmp_path / "net.onnx").write_bytes(made)
    model, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    for count in (1, 2, 3, 7):
        x = np.arange(2 * count, dtype=np.float32).reshape(count, 2)
        wanted = x[slice(start, stop, step)]
        np.testing.assert_array_equal(np.asarray(compiled.evaluate(params, {"x": x})["y"]), wanted)


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_start_before_the_first_element_is_the_first_element(tmp_path, count):
    known = {"start": [-4], "stop": [-9], "axis": [0], "step": [-1]}
    known = {name: np.array(number, np.int64) for name, number in known.items()}
    nodes = [ob.node("Slice", "x start stop axis step", "y")]
    made = ob.file(nodes, [ob.value("x", [count])], [ob.value("y", ["M"])], known)
    (tmp_path / "net.onnx").write_bytes(made)
    model, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    x = np.arange(count, dtype=np.float32)
    wanted = {0: [], 1: [0], 2: [0], 5: [1, 0]}[count]
    assert np.asarray(compiled.evaluate(params, {"x": x})["y"]).tolist() == wanted
