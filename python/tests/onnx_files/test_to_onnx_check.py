"""The check of files by ONNX Runtime: rounding that grows, and nodes that differ."""

import numpy as np
import pytest
from mithril.onnx.differences import bounds_of_nodes, first_difference, moved
from rounding_sessions import Session, use_session

import mithril as ml

RNG = np.random.default_rng(0)
ROUNDED = 1 + 2.0**-23


def layers(last=None):
    """The sine of numbers so large that their last bit decides it."""
    net = ml.Model()
    net |= ml.Linear(16)(input="x", output="h")
    net |= ml.Multiply()(left="h", right=1e7, output="large")
    net |= ml.Sine()(input="large", output="wave")
    net |= (last or ml.Softmax(axis=-1))(input="wave", output="y")
    net.expose_keys("y")
    return ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 8]})


DATA = {"x": RNG.normal(size=(4, 8)).astype(np.float32)}


def write(path, compiled=None):
    compiled = compiled or layers()
    ml.to_onnx(compiled, path, compiled.randomize_params(1), data=DATA)


def refusal(path, compiled=None):
    """What the error says beside its first line."""
    with pytest.raises(ml.ValueError, match="E1324") as info:
        write(path, compiled)
    assert not path.exists()
    lines = [line.strip().split(" : ") for line in str(info.value).splitlines()[1:-1]]
    return {line[0].strip(): line[1] for line in lines}


def test_rounding_that_grows_is_a_warning(tmp_path, monkeypatch):
    use_session(monkeypatch, Session(ROUNDED))
    path = tmp_path / "net.onnx"
    with pytest.warns(UserWarning) as caught:
        write(path)
    (warning,) = caught
    text = str(warning.message)
    assert text.startswith(f"to_onnx: rounding differs in ONNX Runtime, and {path} has other")
    assert " for y (0." in text
    assert text.endswith("; each node has equal results from equal inputs")
    assert list(tmp_path.iterdir()) == [path]


def test_equal_results_need_no_reference(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the reference is slow")

    use_session(monkeypatch, Session())
    monkeypatch.setattr("mithril._core._onnx_reference", refuse)
    write(tmp_path / "net.onnx")
    compiled = layers(ml.BatchNorm1D())  # its statistics change in training only
    params, state = compiled.randomize_params(1), compiled.initial_state_dict
    ml.to_onnx(compiled, tmp_path / "norm.onnx", params, state=state, data=DATA)
    assert len(list(tmp_path.iterdir())) == 2


def test_the_first_node_that_differs_is_named(tmp_path, monkeypatch):
    use_session(monkeypatch, Session(1.01))
    found = refusal(tmp_path / "net.onnx")
    assert found["first"] == "h"
    assert "where" not in found


@pytest.mark.parametrize(("key", "factor"), [("y", 1), ("y", ROUNDED), ("wave", ROUNDED)])
def test_a_node_after_grown_rounding_has_to_agree(tmp_path, monkeypatch, key, factor):
    use_session(monkeypatch, Session(factor, {key: lambda value: value + 3e-4}))
    found = refusal(tmp_path / "net.onnx")
    assert found["first"] == key
    assert found["difference"].startswith("0.0003")


EDITS = {
    "nan": lambda y: np.where(y == y.max(), np.nan, y).astype(y.dtype),
    "infinity": lambda y: np.where(y == y.max(), -np.inf, y).astype(y.dtype),
    "shape": lambda y: y[:-1],
    "dtype": lambda y: y.astype(np.float64),
}
TEXTS = {
    "nan": "nan, more than 1e-05",
    "infinity": "inf, more than 1e-05",
    "shape": "[3, 16] in place of [4, 16]",
    "dtype": "float64 in place of float32",
}


@pytest.mark.parametrize("kind", EDITS)
def test_other_kinds_of_results_are_refused(tmp_path, monkeypatch, kind):
    use_session(monkeypatch, Session(ROUNDED, {"wave": EDITS[kind], "y": EDITS[kind]}))
    found = refusal(tmp_path / "net.onnx")
    assert found["first"] == "wave"
    assert found["difference"].split(", more")[0] == TEXTS[kind].split(", more")[0]


def test_an_index_that_differs_is_refused_unless_rounding_moved_it(tmp_path, monkeypatch):
    compiled = layers(ml.ArgMax(axis=-1))
    use_session(monkeypatch, Session(ROUNDED))
    with pytest.warns(UserWarning, match="rounding differs .* for y \\(. of 4 elements\\)"):
        write(tmp_path / "net.onnx", compiled)
    (tmp_path / "net.onnx").unlink()
    use_session(monkeypatch, Session(ROUNDED, {"y": lambda y: (y + 1) % 16}))
    found = refusal(tmp_path / "net.onnx", compiled)
    assert found == {"first": "y", "difference": "4 of 4 elements"}


@pytest.mark.parametrize(
    ("only", "factor", "first"),
    [("model.onnx", 1, "y"), ("model.onnx", ROUNDED, "y"), ("optimized.onnx", ROUNDED, "wave")],
)
def test_what_only_the_optimized_graph_computes_is_refused(
    tmp_path, monkeypatch, only, factor, first
):
    edits = {"wave": lambda value: -value, "y": lambda value: 1 - value}
    use_session(monkeypatch, Session(factor, edits, only))
    found = refusal(tmp_path / "net.onnx")
    assert found["first"] == first
    assert found["where"] == "in the graph that ONNX Runtime has optimized"


def test_the_bound_of_a_node_is_a_share_of_its_largest_element():
    small = np.array([1e-9, 2e-9], np.float32)
    values = {"small": small, "large": small * 1e12, "count": np.array([1])}
    bounds = bounds_of_nodes(values, values)
    assert bounds["small"] == pytest.approx(2e-14)
    assert bounds["large"] == pytest.approx(2e-2)
    assert bounds["count"] == 0
    other = {**values, "small": small + np.float32(1e-12)}
    assert first_difference(other, values) is None
    assert first_difference(other, values, bounds)[0] == "small"


def test_the_bound_of_a_difference_of_large_numbers_is_one_of_theirs():
    data = {"a": np.full(2, 1000, np.float32)}
    made = moved(data)
    assert 0 < np.abs(made["a"] - data["a"]).max() < 1e-3
    bounds = bounds_of_nodes({"zero": data["a"] - data["a"]}, {"zero": made["a"] - data["a"]})
    assert 1e-6 < bounds["zero"] <= 1e-5


def test_a_jump_does_not_raise_the_bound_above_the_share_of_one():
    steps = {"step": np.array([0, 1], np.float32)}, {"step": np.array([1, 1], np.float32)}
    assert bounds_of_nodes(*steps)["step"] == pytest.approx(1e-5)


def test_the_bound_of_float16_is_at_least_its_smallest_numbers():
    tiny = np.full(3, 2.0**-24, np.float16)
    bounds = bounds_of_nodes({"tiny": tiny}, {"tiny": tiny})
    assert bounds["tiny"] == 4 * 2.0**-24


def test_values_that_are_not_of_the_model_differ():
    x = np.ones(2)
    assert first_difference({"x": x, "z": x}, {"x": x}) == ("z", "Mithril has no such value")
