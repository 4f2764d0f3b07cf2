"""Ops of ONNX files that move sizes which are not known at import, or compute with them."""

import numpy as np
import pytest
from onnx_bytes import file, node, value

import mithril as ml


def ints(*numbers):
    return np.array(numbers, np.int64)


KNOWN = {
    "none": ints(),
    "zero": ints(0),
    "one": ints(1),
    "two": ints(2),
    "three": ints(3),
    "four": ints(4),
    "minus_one": ints(-1),
    "minus_four": ints(-4),
    "ones": ints(1, 1),
    "square": ints(2, 2),
    "deep": ints(2, 1, 1),
    "around": ints(1, 0),
    "is_first": np.array([True, False]),
    "filled": np.ones(1, np.float32),
}

# Nodes that make z of s = [N, 1] and n = [N], and the elements of z.
CASES = {
    "Reshape to a number": ([node("Reshape", "n none", "z")], lambda n: n),
    "Reshape that keeps the axis": ([node("Reshape", "n zero", "z")], lambda n: [n]),
    "Flatten": ([node("Flatten", "s", "z", axis=0)], lambda n: [[n, 1]]),
    "Transpose": (
        [node("Reshape", "s deep", "a"), node("Transpose", "a", "z", perm=[1, 2, 0])],
        lambda n: [[[n, 1]]],
    ),
    "Expand": ([node("Expand", "n two", "z")], lambda n: [n, n]),
    "Tile": ([node("Tile", "s two", "z")], lambda n: [n, 1, n, 1]),
    "Split": ([node("Split", "s ones", "z b")], lambda n: [n]),
    "Slice backwards": (
        [node("Slice", "s minus_one minus_four zero minus_one", "z")],
        lambda n: [1, n],
    ),
    "GatherElements": ([node("GatherElements", "s zero", "z")], lambda n: [n]),
    "GatherND": ([node("GatherND", "s zero", "z")], lambda n: n),
    "ScatterElements": ([node("ScatterElements", "s one n", "z")], lambda n: [n, n]),
    "Compress": ([node("Compress", "s is_first", "z")], lambda n: [n]),
    "Pad": ([node("Pad", "s around", "z")], lambda n: [0, n, 1]),
    "the pads of torch": (
        [
            node("Concat", "s four two", "a", axis=0),
            node("Reshape", "a square", "b"),
            node("Slice", "b minus_one minus_four zero minus_one", "c"),
            node("Transpose", "c", "d", perm=[1, 0]),
            node("Reshape", "d minus_one", "z"),
        ],
        lambda n: [4, n, 2, 1],
    ),
    "ReduceProd": ([node("ReduceProd", "s", "z", keepdims=0)], lambda n: n),
    "ReduceSum": ([node("ReduceSum", "s zero", "z")], lambda n: [n + 1]),
    "Mod": ([node("Mod", "n two", "z")], lambda n: [n % 2]),
    "Neg": ([node("Neg", "n", "z")], lambda n: [-n]),
    "Max": ([node("Max", "n zero", "z")], lambda n: [n]),
    "Min": ([node("Min", "s zero", "z")], lambda n: [0, 0]),
    "CastLike": ([node("CastLike", "n zero", "z")], lambda n: [n]),
}


SIZES = [node("Shape", "x", "s"), node("Slice", "s zero one", "n")]


def compiled_file(folder, nodes, outputs):
    """The parameters, and the model of a file whose input x has the shape [N, 1]."""
    made = file([*SIZES, *nodes], [value("x", ["N", 1])], outputs, KNOWN)
    (folder / "net.onnx").write_bytes(made)
    model, params, _ = ml.from_onnx(folder / "net.onnx")
    return params, ml.compile(model, ml.CpuBackend(), inference=True)


@pytest.mark.parametrize("name", CASES)
def test_sizes_that_an_op_makes_are_sizes(tmp_path, name):
    """The square of the first one is the size of y."""
    nodes, expected = CASES[name]
    after = [
        node("Reshape", "z minus_one", "flat"),
        node("Gather", "flat zero", "first"),
        node("Mul", "first first", "size"),
        node("Expand", "filled size", "y"),
    ]
    rank = np.ndim(expected(2))
    outputs = [value("y", ["M"]), value("z", [f"D{i}" for i in range(rank)], "int64")]
    params, compiled = compiled_file(tmp_path, [*nodes, *after], outputs)
    for count in (1, 3, 4):
        results = compiled.evaluate(params, {"x": np.zeros((count, 1), np.float32)})
        assert np.asarray(results["z"]).tolist() == expected(count)
        assert np.asarray(results["y"]).shape == (np.ravel(expected(count))[0] ** 2,)


SUM = [node("Concat", "minus_four n", "a", axis=0), node("ReduceSum", "a zero", "b")]
NEGATIVE_CASES = {
    "quotient of a negative": (
        [node("Neg", "n", "a"), node("Div", "a two", "z")],
        lambda n: [-(n // 2)],
    ),
    "quotient by a size": (
        [node("Concat", "minus_four n", "a", axis=0), node("Div", "a n", "z")],
        lambda n: [-(4 // n), 1],
    ),
    "quotient of a sum": ([*SUM, node("Div", "b two", "z")], lambda n: [int((n - 4) / 2)]),
    "remainder": (
        [node("Concat", "minus_four n", "a", axis=0), node("Mod", "a three", "z")],
        lambda n: [2, n % 3],
    ),
    "maximum of a sum": ([*SUM, node("Max", "b zero", "z")], lambda n: [max(n - 4, 0)]),
    "comparison of a sum": (
        [*SUM, node("Equal", "b minus_one", "c"), node("Cast", "c", "z", to=7)],
        lambda n: [int(n == 3)],
    ),
}


@pytest.mark.parametrize("name", NEGATIVE_CASES)
def test_numbers_that_may_be_negative_follow_onnx(tmp_path, name):
    nodes, expected = NEGATIVE_CASES[name]
    params, compiled = compiled_file(tmp_path, nodes, [value("z", ["M"], "int64")])
    for count in (1, 3, 5):
        results = compiled.evaluate(params, {"x": np.zeros((count, 1), np.float32)})
        assert np.asarray(results["z"]).tolist() == expected(count)


@pytest.mark.parametrize(
    "nodes",
    [
        [node("Max", "n two", "z")],
        [node("Sub", "n four", "a"), node("Max", "a zero", "z")],
        [node("Sub", "n four", "a"), node("Mod", "a two", "z")],
        [node("Pad", "s around n", "a", mode="edge"), node("ScatterND", "a n n", "z")],
    ],
)
def test_sizes_that_depend_on_comparisons_are_refused(tmp_path, nodes):
    with pytest.raises(ml.ValueError, match="its input 'z' has to be known at import"):
        compiled_file(tmp_path, [*nodes, node("Expand", "filled z", "y")], [value("y", ["M"])])
