"""Inputs and outputs of ONNX files that are sequences and optionals."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

TENSOR, FLOATS = (
    ob.tensor_type(["N"], "float64"),
    ob.sequence_type(ob.tensor_type(["N"], "float64")),
)
A, B, C = (np.arange(n, dtype=np.float64) for n in (2, 3, 1))


def read(tmp_path, nodes, inputs, outputs, **options):
    path = tmp_path / "net.onnx"
    named = [ob.typed(name, kind) for name, kind in inputs.items()]
    made = [ob.typed(name, kind) for name, kind in outputs.items()]
    known = {"one": np.array(1), "two": np.array(2)}
    path.write_bytes(ob.file(nodes, named, made, known, opset=18))
    return ml.from_onnx(path, dtype="float64", **options)


def run(net, data):
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    results = compiled.evaluate(net.params, data)
    return {key: np.asarray(each) for key, each in results.items()}


def test_the_elements_of_a_sequence_are_inputs_and_outputs(tmp_path):
    nodes = [ob.node("SequenceInsert", "s x one", "t")]
    net = read(tmp_path, nodes, {"s": FLOATS, "x": TENSOR}, {"t": FLOATS}, lengths={"s": 2})
    assert list(net.model.input_keys) == ["s.0", "s.1", "x"]
    assert net.lengths == {"t": 3}
    results = run(net, {"s.0": A, "s.1": B, "x": C})
    for i, wanted in enumerate((A, C, B)):
        np.testing.assert_array_equal(results[f"t.{i}"], wanted)


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_model_is_read_for_each_length(tmp_path, length):
    body = ob.graph([ob.node("Add", "e e", "f")], [ob.field(1, "e")], [ob.field(1, "f")])
    nodes = [ob.node("SequenceMap", "s", "t", body=body), ob.node("SequenceLength", "t", "n")]
    outputs = {"t": FLOATS, "n": ob.tensor_type([], "int64")}
    net = read(tmp_path, nodes, {"s": FLOATS}, outputs, lengths={"s": length})
    data = {f"s.{i}": x for i, x in enumerate((A, B, C)[:length])}
    results = run(net, data)
    assert results["n"] == net.lengths["t"] == length
    for i in range(length):
        np.testing.assert_array_equal(results[f"t.{i}"], 2 * data[f"s.{i}"])


def test_elements_have_sizes_and_constants_of_their_own(tmp_path):
    nodes = [ob.node("SequenceAt", "s one", "b"), ob.node("Shape", "b", "n")]
    options = {"lengths": {"s": 2}, "shapes": {"s.1": [3]}}
    net = read(tmp_path, nodes, {"s": FLOATS}, {"n": ob.tensor_type([1], "int64")}, **options)
    assert run(net, {"s.0": A, "s.1": B})["n"].tolist() == [3]
    options = {"lengths": {"s": 2}, "constants": {"s.1": C}}
    net = read(tmp_path, nodes, {"s": FLOATS}, {"b": TENSOR}, **options)
    assert list(net.model.input_keys) == ["s.0"]
    np.testing.assert_array_equal(run(net, {"s.0": A})["b"], C)


def test_optionals_with_and_without_an_element(tmp_path):
    nodes = [ob.node("OptionalHasElement", "o", "has"), ob.node("Identity", "o", "p")]
    for element in (TENSOR, FLOATS):
        kind = ob.optional_type(element)
        outputs = {"has": ob.tensor_type([], "bool"), "p": kind}
        net = read(tmp_path, nodes, {"o": kind}, outputs, lengths={"o": None})
        assert net.lengths == {"p": None}
        assert run(net, {}) == {"has": False}
    net = read(
        tmp_path, nodes, {"o": ob.optional_type(TENSOR)}, outputs | {"p": ob.optional_type(TENSOR)}
    )
    results = run(net, {"o": A})
    assert results["has"]
    port = next(key for key in results if net.renamed.get(key, key) == "p")
    np.testing.assert_array_equal(results[port], A)


REFUSED = [
    ("s", FLOATS, "input s : it is a sequence; lengths= states its number of elements"),
    ("s", ob.sequence_type(FLOATS), "input s : it is a sequence of sequences"),
    ("s", ob.sequence_type(ob.optional_type(TENSOR)), "input s : it is a sequence of optionals"),
    ("s", ob.field(5, ob.field(1, 7)), "input s : it is a map"),
]


@pytest.mark.parametrize(("name", "kind", "reason"), REFUSED)
def test_other_inputs_are_refused(tmp_path, name, kind, reason):
    with pytest.raises(ml.ValueError) as caught:
        read(tmp_path, [ob.node("SequenceAt", "s one", "y")], {name: kind}, {"y": TENSOR})
    assert str(caught.value).splitlines()[1].strip() == reason


WRONG = [
    ("x", 2, "2", "a tensor of double[N]"),
    ("s", None, "none", "a sequence of double[N]"),
    ("s", -1, "-1", "a sequence of double[N]"),
    ("s", 1001, "1001", "a sequence of double[N]"),
]


@pytest.mark.parametrize(("name", "length", "text", "kind"), WRONG)
def test_wrong_lengths_are_refused(tmp_path, name, length, text, kind):
    nodes = [ob.node("SequenceInsert", "s x", "t")]
    with pytest.raises(ml.ValueError) as caught:
        read(tmp_path, nodes, {"s": FLOATS, "x": TENSOR}, {"t": FLOATS}, lengths={name: length})
    assert str(caught.value).splitlines() == [
        f"mithril.ValueError[E1390]: {name}: this length does not fit the input",
        f"  length : {text}",
        f"  input  : {kind}",
        "  help: a sequence has 0 to 1000 elements, and only an optional has none",
    ]


def test_lengths_are_those_of_inputs(tmp_path):
    with pytest.raises(ml.NameError, match="there is no input for lengths 'z'"):
        read(tmp_path, [ob.node("Neg", "x", "y")], {"x": TENSOR}, {"y": TENSOR}, lengths={"z": 1})
    with pytest.raises(ml.TypeError, match=r"lengths\['x'\]"):
        read(tmp_path, [ob.node("Neg", "x", "y")], {"x": TENSOR}, {"y": TENSOR}, lengths={"x": "3"})
