"""Symbolic sizes in ONNX files: what is computed from them at import, and what by the model."""

import numpy as np
import pytest
from onnx_bytes import file, node, value

import mithril as ml

MINUS_ONE = np.array([-1], np.int64)


def compiled_of(path, nodes, outputs, known):
    inputs = [value("x", ["N", 1])]
    (path / "net.onnx").write_bytes(file(nodes, inputs, outputs, known))
    model, params, _ = ml.from_onnx(path / "net.onnx")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    return lambda x: np.asarray(compiled.evaluate(params, {"x": x})["y"])


def column(count):
    return np.arange(count, dtype=np.float32)[:, None]


def test_sizes_of_int32_are_sizes(tmp_path):
    """As tf2onnx writes a broadcast to a shape of int32."""
    nodes = [
        node("Shape", "x", "s"),
        node("Cast", "s", "s32", to=6),
        node("Slice", "s32 zero one zero", "n"),
        node("Concat", "n three", "wanted32", axis=0),
        node("Cast", "wanted32", "wanted", to=7),
        node("Expand", "x wanted", "y"),
    ]
    known = {"zero": np.array([0], np.int64), "one": np.array([1], np.int64)}
    known["three"] = np.array([3], np.int32)
    run = compiled_of(tmp_path, nodes, [value("y", ["N", 3])], known)
    for count in (1, 4):
        assert np.array_equal(run(column(count)), np.tile(column(count), 3))


def test_a_size_of_int32_is_a_result_of_int32(tmp_path):
    nodes = [
        node("Shape", "x", "s"),
        node("Cast", "s", "s32", to=6),
        node("Mul", "s32 factors", "y"),
    ]
    known = {"factors": np.array([2, 3], np.int32)}
    run = compiled_of(tmp_path, nodes, [value("y", [2], "int32")], known)
    result = run(column(5))
    assert result.dtype == np.int32 and result.tolist() == [10, 3]


def test_a_size_is_not_minus_one(tmp_path):
    """As torch.onnx.export writes expand(sizes), where -1 keeps the size of the axis."""
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n", axis=0),
        node("Concat", "n minus_one three", "wanted", axis=0),
        node("Equal", "wanted minus_ones", "keeps"),
        node("Where", "keeps ones wanted", "made"),
        node("Expand", "x made", "y"),
    ]
    known = {
        "zero": np.array([0], np.int64),
        "three": np.array([3], np.int64),
        "minus_one": MINUS_ONE,
        "minus_ones": np.full(3, -1, np.int64),
        "ones": np.ones(3, np.int64),
    }
    run = compiled_of(tmp_path, nodes, [value("y", ["N", "M", 3])], known)
    assert run(column(4)).tolist() == np.broadcast_to(column(4), (4, 4, 3)).tolist()
    assert run(column(1)).shape == (1, 1, 3)


@pytest.mark.parametrize(
    "op, operand, equal, other",
    [("Sub", 3, 2, 5), ("Mul", -1, 1, 5), ("Add", -3, 2, 4)],
    ids=str,
)
def test_numbers_that_may_be_negative_are_compared_by_the_model(
    tmp_path, op, operand, equal, other
):
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n", axis=0),
        node(op, "n operand", "m"),
        node("Identity", "m", "same"),
        node("Equal", "same minus_one", "is_equal"),
        node("Where", "is_equal ten same", "y"),
    ]
    known = {
        "zero": np.array([0], np.int64),
        "operand": np.array([operand], np.int64),
        "minus_one": MINUS_ONE,
        "ten": np.array([10], np.int64),
    }
    run = compiled_of(tmp_path, nodes, [value("y", [1], "int64")], known)
    assert run(column(equal)).tolist() == [10]
    assert run(column(other)).tolist() != [10]


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
@pytest.mark.parametrize("before, after", [(2, 3), (0, 7), (-1, 2)])
def test_an_axis_of_any_size_is_padded_with_its_elements(tmp_path, mode, before, after):
    nodes = [node("Pad", "x pads", "y", mode=mode)]
    known = {"pads": np.array([before, 0, after, 0], np.int64)}
    run = compiled_of(tmp_path, nodes, [value("y", ["M", 1])], known)
    for count in (2, 3, 9):
        kept = column(count)[max(0, -before) :]
        padded = np.pad(kept, [(max(0, before), after), (0, 0)], mode)
        assert run(column(count)).tolist() == padded.tolist()


@pytest.mark.parametrize(
    "coordinates, rounding",
    [
        ("asymmetric", "floor"),
        ("half_pixel", "round_prefer_floor"),
        ("pytorch_half_pixel", "round_prefer_ceil"),
    ],
)
def test_axes_of_any_size_are_enlarged_by_repeats(tmp_path, coordinates, rounding):
    attributes = {"coordinate_transformation_mode": coordinates, "nearest_mode": rounding}
    nodes = [node("Resize", "x none scales", "y", mode="nearest", **attributes)]
    known = {"none": np.zeros(0, np.float32), "scales": np.array([3, 1], np.float32)}
    run = compiled_of(tmp_path, nodes, [value("y", ["M", 1])], known)
    for count in (1, 2, 5):
        assert run(column(count)).tolist() == np.repeat(column(count), 3, axis=0).tolist()


def test_an_axis_of_any_size_is_not_resized_by_a_fraction(tmp_path):
    nodes = [node("Resize", "x none scales", "y", mode="nearest")]
    known = {"none": np.zeros(0, np.float32), "scales": np.array([1.5, 1], np.float32)}
    with pytest.raises(ml.ValueError, match="needs the sizes of 'x'"):
        compiled_of(tmp_path, nodes, [value("y", ["M", 1])], known)
