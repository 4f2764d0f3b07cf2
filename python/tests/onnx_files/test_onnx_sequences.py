"""Sequences and optionals of ONNX files, which `from_onnx` eliminates."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

X = np.arange(12, dtype=np.float32).reshape(4, 3)
KNOWN = {
    "zero": np.array(0),
    "one": np.array(1),
    "last": np.array(-1),
    "two": np.array(2),
    "sizes": np.array([1, 3]),
    "far": np.array(5),
    "go": np.array(True),
}


def stated(name, dtype="float32"):
    """An input or an output of any shape."""
    return ob.field(1, name) + ob.field(2, ob.field(1, ob.field(1, ob.TYPES[dtype])))


def read(tmp_path, nodes, output="y", dtype="float32"):
    path = tmp_path / "net.onnx"
    inputs = [ob.value("x", [4, 3])]
    path.write_bytes(ob.file(nodes, inputs, [stated(output, dtype)], KNOWN, opset=18))
    return ml.from_onnx(path)


def run(tmp_path, nodes, dtype="float32"):
    model, params, _ = read(tmp_path, nodes, dtype=dtype)
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    return np.asarray(compiled.evaluate(params, {"x": X})["y"])


def refusal(tmp_path, nodes, output="y"):
    with pytest.raises(ml.ValueError) as caught:
        read(tmp_path, nodes, output)
    return str(caught.value).splitlines()[1].strip()


PAIR = [ob.node("Neg", "x", "n"), ob.node("SequenceConstruct", "x n", "s")]
JOIN = ob.node("ConcatFromSequence", "t", "y", axis=0)
NEXT = [
    (ob.node("SequenceAt", "s last", "y"), -X),
    (ob.node("SequenceAt", "s zero", "y"), X),
    (ob.node("ConcatFromSequence", "s", "y", axis=1), np.concatenate([X, -X], 1)),
    (ob.node("ConcatFromSequence", "s", "y", axis=-1, new_axis=1), np.stack([X, -X], -1)),
    ([ob.node("SequenceInsert", "s x", "t"), JOIN], np.concatenate([X, -X, X])),
    ([ob.node("SequenceInsert", "s n zero", "t"), JOIN], np.concatenate([-X, X, -X])),
    ([ob.node("SequenceErase", "s zero", "t"), JOIN], -X),
    ([ob.node("SequenceErase", "s", "u"), ob.node("Identity", "u", "t"), JOIN], X),
]


@pytest.mark.parametrize(("nodes", "expected"), NEXT)
def test_elements_of_sequences(tmp_path, nodes, expected):
    rest = nodes if isinstance(nodes, list) else [nodes]
    np.testing.assert_array_equal(run(tmp_path, [*PAIR, *rest]), expected)


SPLITS = [
    (ob.node("SplitToSequence", "x two", "t"), [X[:2], X[2:]]),
    (ob.node("SplitToSequence", "x sizes", "t"), [X[:1], X[1:]]),
    (ob.node("SplitToSequence", "x two", "t", axis=1), [X[:, :2], X[:, 2:]]),
    (ob.node("SplitToSequence", "x", "t", keepdims=0), list(X)),
    (ob.node("SplitToSequence", "x", "t", axis=-1), [X[:, :1], X[:, 1:2], X[:, 2:]]),
]


@pytest.mark.parametrize(("node", "parts"), SPLITS)
def test_parts_of_a_tensor(tmp_path, node, parts):
    at = ob.node("SequenceAt", "t one", "y")
    np.testing.assert_array_equal(run(tmp_path, [node, at]), parts[1])
    count = ob.node("SequenceLength", "t", "y")
    assert run(tmp_path, [node, count], "int64") == len(parts)


def test_a_loop_fills_a_sequence(tmp_path):
    body = ob.graph(
        [
            ob.node("Add", "i one", "next"),
            ob.node("Slice", "x axis next_axis", "row"),
            ob.node("Unsqueeze", "i zeros", "axis"),
            ob.node("Unsqueeze", "next zeros", "next_axis"),
            ob.node("SequenceInsert", "s row zero", "t"),
            ob.node("Identity", "c", "d"),
        ],
        [stated("i", "int64"), stated("c", "bool"), stated("s")],
        [stated("d", "bool"), stated("t")],
        {"zeros": np.array([0])},
    )
    count = ob.field(1, "two") + ob.field(1, "")
    nodes = [
        ob.node("SequenceEmpty", "", "empty", dtype=1),
        count + ob.node("Loop", "empty", "t", body=body),
        JOIN,
    ]
    np.testing.assert_array_equal(run(tmp_path, nodes), X[[1, 0]])


def test_a_graph_maps_the_elements_of_sequences(tmp_path):
    body = ob.graph([ob.node("Sub", "a b", "c")], [stated("a"), stated("b")], [stated("c")])
    nodes = [*PAIR, ob.node("SequenceMap", "s x", "t", body=body), JOIN]
    np.testing.assert_array_equal(run(tmp_path, nodes), np.concatenate([0 * X, -2 * X]))
    nodes[2] = ob.node("SequenceMap", "s s", "t", body=body)
    np.testing.assert_array_equal(run(tmp_path, nodes), np.zeros((8, 3)))


def test_optionals_with_and_without_an_element(tmp_path):
    then = ob.graph([ob.node("OptionalGetElement", "o", "a")], [], [stated("a")])
    other = ob.graph([ob.node("Neg", "x", "b")], [], [stated("b")])
    rest = [
        ob.node("OptionalHasElement", "o", "has"),
        ob.node("If", "has", "y", then_branch=then, else_branch=other),
    ]
    for inputs, expected in (("x", X), ("", -X)):
        result = run(tmp_path, [ob.node("Optional", inputs, "o"), *rest])
        np.testing.assert_array_equal(result, expected)


REFUSED = [
    ([*PAIR, ob.node("Neg", "s", "y")], "its input 's' is not a tensor"),
    ([*PAIR, ob.node("SequenceAt", "s far", "y")], "there is no axis 5 of 2"),
    ([ob.node("SequenceAt", "x zero", "y")], "its input 0 is not a sequence"),
    (
        [*PAIR, ob.node("SequenceInsert", "s zero", "y")],
        "its tensor is of another type than the sequence",
    ),
    ([*PAIR, ob.node("SequenceConstruct", "s x", "y")], "its input 0 is not a tensor"),
    ([ob.node("SequenceConstruct", "x zero", "y")], "its inputs have different types"),
    ([ob.node("SequenceEmpty", "", "t"), JOIN], "its sequence is empty"),
    (
        [ob.node("Optional", "", "o"), ob.node("OptionalGetElement", "o", "y")],
        "its optional has no element",
    ),
    ([ob.node("SplitToSequence", "x far", "t", axis=2), JOIN], "there is no axis 2 of 2"),
]


GROWING = ob.node("SequenceInsert", "s x", "t")
STACKING = ob.graph(
    [GROWING, ob.node("Identity", "c", "d"), ob.node("Neg", "x", "o")],
    [stated("i", "int64"), stated("c", "bool"), stated("s")],
    [stated("d", "bool"), stated("t"), stated("o")],
)
# It stops by itself after step 2.
STOPPING = ob.graph(
    [GROWING, ob.node("Less", "i two", "d")],
    [stated("i", "int64"), stated("c", "bool"), stated("s")],
    [stated("d", "bool"), stated("t")],
)
SCANNED = ob.graph([GROWING], [stated("s"), stated("e")], [stated("t")])
REFUSED += [
    (
        [*PAIR, ob.node("Loop", "zero go s", "u y", body=STACKING)],
        "its input 's' is not a tensor",
    ),
    (
        [*PAIR, ob.node("Scan", "s x", "y", body=SCANNED, num_scan_inputs=1)],
        "its input 's' is not a tensor",
    ),
    (
        [
            *PAIR,
            ob.node("ReduceSum", "x", "sum", keepdims=0),
            ob.node("Cast", "sum", "m", to=7),
            ob.node("Loop", "m go s", "t", body=STOPPING),
            JOIN,
        ],
        "its number of steps depends on data, and it passes on sequences",
    ),
]


@pytest.mark.parametrize(("nodes", "reason"), REFUSED)
def test_wrong_sequences_are_refused(tmp_path, nodes, reason):
    assert refusal(tmp_path, nodes).partition(" (opset 18): ")[2] == reason


def test_the_file_states_which_outputs_are_sequences(tmp_path):
    reason = "output s : it is a sequence, and the file states a tensor"
    assert refusal(tmp_path, PAIR, "s") == reason
