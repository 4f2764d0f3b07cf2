"""Edited models compute what models that were composed so compute."""

from __future__ import annotations

import copy
import pickle
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

ROOT = Path(__file__).parents[2]


def network(width: int = 8, activation: Any = ml.Tanh, classes: int = 3) -> ml.Model:
    encoder = ml.Model()
    encoder |= ml.Linear(width, name="fc1")(input="x", output="h")
    encoder |= activation(name="act")(input="h", output="r")
    net = ml.Model()
    net |= encoder(x="x", r="r")
    net |= ml.Linear(classes, name="head")(input="r", output="y")
    net.set_shapes(x=[5, 4])
    return net


def outputs_of(model: ml.Model, shapes: Any = None) -> dict[str, np.ndarray]:
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes or {})
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    outputs = compiled.evaluate(compiled.randomize_params(seed=1), {"x": x})
    return {key: np.asarray(value) for key, value in outputs.items()}


def assert_same(model: ml.Model, expected: ml.Model) -> None:
    assert model == expected
    found, wanted = outputs_of(model), outputs_of(expected)
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        np.testing.assert_array_equal(found[key], value)
    assert ml.Model.from_json(model.to_json()) == model


def test_edited_models_equal_models_that_were_composed_so() -> None:
    edited = network().edit()
    assert edited == network()
    edited.replace("model.act", ml.Relu()).replace("head", ml.Linear(6))
    assert_same(edited, network(activation=ml.Relu, classes=6))
    edited.replace("model.fc1", ml.Linear(2))
    assert_same(edited, network(2, ml.Relu, 6))
    edited.insert_after("model.fc1", ml.Sigmoid()).remove("model.sigmoid")
    assert_same(edited, network(2, ml.Relu, 6))


def test_inserted_parts_compute_between_their_neighbours() -> None:
    edited = network(activation=ml.Relu).edit()
    edited.insert_after("model.fc1", ml.Multiply(right=-1.0))
    edited.insert_before("head", ml.Add(right=2.0))
    plain = ml.Model()
    plain |= ml.Linear(8)(input="x", weight="model.fc1.weight", bias="model.fc1.bias", output="a")
    plain |= ml.Multiply()(left="a", right=-1.0, output="b")
    plain |= ml.Relu()(input="b", output="r")
    plain |= ml.Add()(left="r", right=2.0, output="c")
    plain |= ml.Linear(3)(input="c", weight="head.weight", bias="head.bias", output="y")
    plain.expose_keys("y")
    np.testing.assert_allclose(
        outputs_of(edited)["y"], outputs_of(plain, {"x": [5, 4]})["y"], rtol=1e-6
    )


def test_an_extracted_part_computes_what_it_does_inside() -> None:
    edited = network().edit().expose("model.fc1", "f")
    whole = ml.compile(edited, ml.CpuBackend())
    params = whole.randomize_params(seed=1)
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    wanted = whole.evaluate(params, {"x": x})
    first = ml.compile(edited.extract(inputs="x", outputs={"f": "model.fc1"}), ml.CpuBackend())
    rest = ml.compile(
        edited.extract(inputs={"f": "model.fc1"}, outputs=["y"]),
        ml.CpuBackend(),
        shapes={"f": [5, 8]},
    )
    given = {key: params[key] for key in first.parameter_keys}
    f = first.evaluate(given, {"x": x})["f"]
    y = rest.evaluate({key: params[key] for key in rest.parameter_keys}, {"f": f})["y"]
    np.testing.assert_array_equal(f, wanted["f"])
    np.testing.assert_array_equal(y, wanted["y"])


def test_layers_of_the_library_are_opened_where_they_are_edited() -> None:
    layer = ml.TransformerBlock(2, dimension=8)
    net = ml.Model()
    net |= layer(input="x", output="y")
    net.set_shapes(x=[2, 5, 8])
    path = net.find(ml.Linear)[0].path
    before = net.input_keys
    edited = net.edit().insert_after(path, ml.Buffer())
    assert edited.input_keys == before
    x = np.random.default_rng(0).normal(size=(2, 5, 8)).astype(np.float32)
    results = []
    for model in (net, edited):
        compiled = ml.compile(model, ml.CpuBackend())
        results.append(compiled.evaluate(compiled.randomize_params(seed=1), {"x": x})["y"])
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_models_of_the_examples_are_equal_when_they_are_made_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "models"))
    module = import_module(name)
    model = getattr(module, name)(module.Config())
    edited = model.edit()
    assert edited == model
    path = model.find(ml.Linear)[0].path
    edited.insert_after(path, ml.Buffer(name="same")).remove("same")
    assert edited == model


def test_a_path_of_a_part_is_an_item() -> None:
    net = network()
    assert net["model.fc1"].class_name == "Linear"
    assert net["model.fc1.output"].name == "model.h"
    with pytest.raises(ml.NameError, match=r"model\.fc1"):
        net["model.fc2"]


def test_edits_that_do_not_fit_change_nothing() -> None:
    net = network()
    net.set_shapes(y=[5, 3])
    edited = net.edit()
    with pytest.raises(ml.ShapeError, match=r"replace\('head', Linear\)"):
        edited.replace("head", ml.Linear(6))
    with pytest.raises(ml.ConnectionError, match=r"E0102"):
        edited.insert_after("model.fc1", ml.Add()(right="act.output"))
    with pytest.raises(ml.NameError, match=r"head"):
        edited.remove("haed")
    with pytest.raises(ml.ConnectionError, match=r"E0124"):
        edited.extract(inputs="y", outputs="model.fc1")
    with pytest.raises(ZeroDivisionError):
        edited.wrap(ml.Linear, lambda part: 1 // 0)
    assert edited == net


def two_levels() -> ml.Model:
    inner = ml.Model()
    inner |= ml.Linear(8, name="l1")(input="x", output="h")
    inner |= ml.Tanh(name="ad")(input="h", output="t")
    inner.expose_keys("t")
    net = ml.Model()
    net |= inner(x="x", t="t")
    net |= ml.Linear(3, name="head")(input="t", output="y")
    net.set_shapes(x=[5, 4])
    return net


def test_a_part_after_an_inner_value_is_read() -> None:
    edited = two_levels().edit().insert_after("model.h", ml.Multiply(right=-1.0))
    wanted = two_levels().edit().insert_after("model.l1", ml.Multiply(right=-1.0))
    assert_same(edited, wanted)
    assert "multiply" in edited.parts["model"].parts
    edited = two_levels().edit()
    for path in ("model.x", "model.l1.input"):
        with pytest.raises(ml.ConnectionError, match=rf"E0124(.|\n)*{path}"):
            edited.insert_after(path, ml.Relu())
    with pytest.raises(ml.ConnectionError, match="is an output"):
        edited.insert_before("model.l1.output", ml.Relu())
    assert edited == two_levels()


def test_the_named_one_of_two_ports_that_read_a_value_gets_the_part() -> None:
    net = ml.Model()
    net |= ml.Add(name="sum")(left="x", right="x", output="y")
    edited = net.edit().insert_before("sum.right", ml.Multiply(right=3.0))
    compiled = ml.compile(edited, ml.CpuBackend(), shapes={"x": [2]})
    outputs = compiled.evaluate({}, {"x": np.ones(2, np.float32)})
    np.testing.assert_array_equal(outputs["y"], [4.0, 4.0])
    assert edited["sum.left"].name == "x"


def test_a_misspelled_path_in_a_binding_is_refused() -> None:
    edited = network().edit()
    with pytest.raises(ml.NameError, match=r"E0606(.|\n)*act\.output"):
        edited.insert_after("model.fc1", ml.Add()(right="act.outptu"))
    assert edited == network()
    edited.insert_after("head", ml.Add()(right="head.bias"))
    assert edited.input_keys == network().input_keys


def test_an_inner_value_is_bound_by_its_path() -> None:
    edited, wanted = (network(classes=8).edit() for _ in range(2))
    edited.insert_after("head", ml.Add()(right="model.fc1.output"))
    assert_same(edited, wanted.insert_after("head", ml.Add()(right="model.h")))
    with pytest.raises(ml.NameError, match="E0606"):
        network().edit().insert_after("head", ml.Add()(right="model.fc2.output"))
    assert edited.input_keys == network().input_keys


def test_extract_gives_what_was_asked_or_refuses() -> None:
    net = ml.Model()
    net |= ml.Split(2, axis=-1, name="split")(input="x", output=["u", "v"])
    net |= ml.Add()(left="u", right="v", output="y")
    edited = net.edit()
    with pytest.raises(ml.ConnectionError, match=r"E0124\]: v(.|\n)*another value"):
        edited.extract(inputs=["v"], outputs=["y"])
    with pytest.raises(ml.ConnectionError, match=r"E0124\]: x"):
        edited.extract(inputs=["x"], outputs=["x", "y"])


def test_an_op_alone_is_extracted() -> None:
    edited = ml.Multiply().edit().extract(inputs=["left", "right"], outputs={"y": "output"})
    assert (edited.input_keys, edited.output_keys) == (["left", "right"], ["y"])
    compiled = ml.compile(edited, ml.CpuBackend(), shapes={"left": [2], "right": [2]})
    data = {"left": np.ones(2, np.float32), "right": np.full(2, 3.0, np.float32)}
    assert compiled.data_keys == ["left"]
    outputs = compiled.evaluate({"right": data.pop("right")}, data)
    np.testing.assert_array_equal(outputs["y"], [3.0, 3.0])
    sized = ml.Relu()
    sized.set_shapes(input=[5, 4])
    edited = sized.edit().extract(inputs={"x": "input"}, outputs=["output"])
    assert edited.get_shapes()["x"] == [5, 4]


def test_inputs_are_not_exposed_and_names_are_free() -> None:
    edited = network().edit()
    for name in (None, "given"):
        with pytest.raises(ml.ConnectionError, match=r"E0124(.|\n)*'x'"):
            edited.expose("x", name)
    with pytest.raises(ml.NameError, match="E0607"):
        edited.expose("model.fc1", "x")
    with pytest.raises(ml.NameError, match="E0607"):
        edited.rename("model.fc1.weight", "head.weight")
    for path in ("head", "r"):
        with pytest.raises(ml.NameError, match="needs a name"):
            edited.rename(path, "")
    assert edited == network()


def test_an_op_whose_output_leaves_its_model_is_edited() -> None:
    edited = network(activation=ml.Relu).edit()
    edited.replace("model.act", ml.Tanh()).insert_after("model.act", ml.Sigmoid())
    edited.remove("model.sigmoid")
    assert_same(edited, network())
    edited.replace("head", ml.Linear(10)).remove("model.act")
    assert outputs_of(edited)["y"].shape == (5, 10)


def test_copies_of_an_edited_model_are_models() -> None:
    edited = network().edit().replace("head", ml.Linear(6))
    made = (edited.copy(), copy.copy(edited), copy.deepcopy(edited))
    for model in (*made, pickle.loads(pickle.dumps(edited))):
        assert type(model) is ml.Model
        assert_same(model, network(classes=6))
        assert model.edit().rename("head", "last") != edited
    twice = ml.Model()
    twice |= edited(x="a", y="b", r="c")
    twice |= edited.shared()(x="d", y="e", r="f")
    twice.set_shapes(d=[5, 4])
    assert twice.count_parameters() == network(classes=6).count_parameters()
    with pytest.raises(ml.TypeError, match="E0397"):
        ml.EditableModel()


def test_a_part_without_a_connected_port_is_refused() -> None:
    net = ml.Model()
    net |= ml.Linear(3, name="fc")(input="x", weight="w", output="y")
    with pytest.raises(ml.ConnectionError) as raised:
        net.edit().replace("fc", ml.Relu())
    assert str(raised.value).startswith(
        "mithril.ConnectionError[E0124]: fc: Relu has no port 'weight', which is connected\n"
    )


def test_a_part_that_is_used_in_two_places_is_not_edited() -> None:
    net = ml.Model()
    layer = ml.Linear(4, name="first")
    net |= layer(input="x", output="h")
    net |= layer.shared()(input="h", output="y")
    edited = net.edit()
    for path in ("first", "first_1"):
        with pytest.raises(ml.ConnectionError, match=r"E0123(.|\n)*first(.|\n)*first_1"):
            edited.replace(path, ml.Linear(4))
    assert edited == net
    with pytest.raises(ml.ConnectionError) as raised:
        edited.replace("first", ml.Linear(4))
    assert str(raised.value).startswith(
        "mithril.ConnectionError[E0123]: first: the part is used in two places: both read "
        "'first.weight'\n"
    )


def test_parameters_are_transferred_with_a_report() -> None:
    net = network()
    edited = net.edit().replace("head", ml.Linear(6)).insert_after("model.fc1", ml.LayerNorm())
    edited.rename("model.fc1", "first")
    old, new = (ml.compile(model, ml.CpuBackend()) for model in (net, edited))
    params = old.randomize_params(seed=3)
    made, report = ml.transfer(params, old, new, seed=4)
    assert report.reshaped == ["head.weight", "head.bias"]
    assert report.dropped == ["model.fc1.weight", "model.fc1.bias"]
    assert report.added[:2] == ["model.first.weight", "model.first.bias"]
    assert set(made) == set(new.parameter_keys)
    same, report = ml.transfer(params, old, old)
    assert report == ml.TransferReport()
    assert all(same[key] is params[key] for key in params)
    with pytest.raises(ml.NameError, match=r"head\.bias"):
        ml.transfer({key: params[key] for key in params if key != "head.bias"}, old, new)


def test_parameters_and_costs_are_counted() -> None:
    net = network()
    assert net.count_parameters() == 4 * 8 + 8 + 8 * 3 + 3
    cost = net.cost()
    assert cost["parts"]["head"]["operations"] == 2 * 5 * 8 * 3
    assert cost["parts"]["head"]["bytes"] == 4 * (5 * 8 + 8 * 3 + 3 + 5 * 3)
    inner = cost["parts"]["model.fc1"]["operations"] + cost["parts"]["model.act"]["operations"]
    assert cost["parts"]["model"]["operations"] == inner == 2 * 5 * 4 * 8 + 5 * 8
    convolution = ml.Model()
    convolution |= ml.Conv2d(3, filters=6, use_bias=False)(input="x", output="y")
    cost = convolution.cost({"x": [2, 4, 8, 8]})
    assert cost["operations"] == 2 * (2 * 6 * 6 * 6) * (4 * 3 * 3)
    open_sizes = network().edit()
    with pytest.raises(ml.ShapeError, match="E0209"):
        convolution.cost()
    with pytest.raises(ml.ShapeError, match="E0209"):
        convolution.count_parameters()
    assert convolution.count_parameters({"x": [2, 4, 8, 8]}) == 6 * 4 * 3 * 3
    assert open_sizes.count_parameters() > 0


def test_what_is_not_counted_is_listed() -> None:
    attention = ml.ScaledDotProduct(is_causal=False)
    sizes = {"query": [2, 5, 4], "key": [2, 7, 4], "value": [2, 7, 4]}
    assert attention.cost(sizes)["operations"] >= 4 * 2 * 5 * 7 * 4
    up = ml.Model()
    up |= ml.ConvTranspose2d(6, kernel_size=3, use_bias=False)(input="x", output="y")
    assert up.cost({"x": [2, 4, 8, 8]})["operations"] >= 2 * (2 * 4 * 8 * 8) * (6 * 3 * 3)
    mapped = ml.Model()
    mapped |= ml.vmap(ml.Linear(3), {"input": 0})(input="x", output="y")
    (path,) = mapped.cost({"x": [5, 2, 4]})["uncounted"]
    assert path in mapped.parts
    assert network().cost()["uncounted"] == []


def test_frozen_parts_leave_nothing_in_the_backward_pass() -> None:
    net = network()
    net |= ml.Mean()(input="y", output="loss")
    options: dict[str, Any] = {"frozen": ["model.*"]}
    frozen = ml.compile(net, ml.CpuBackend(), **options)
    x = np.ones((5, 4), np.float32)
    gradients = frozen.evaluate(frozen.randomize_params(), {"x": x}, output_gradients={"loss": 1.0})
    assert set(gradients[1]) == {"head.weight", "head.bias"}


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "editing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7 and all(block.count("\n") <= 40 for block in blocks)
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/editing.md, block {number + 1}", "exec"), names)


def test_the_cost_of_an_op_whose_last_input_is_an_array():
    net = ml.Model()
    net |= ml.Add()(left="x", right=np.ones((2, 3), np.float32), output="y")
    assert net.cost({"x": [2, 3]})["operations"] == 6


def test_a_part_with_several_outputs_needs_a_port() -> None:
    model = ml.Model()
    model |= ml.Split(split_size=2, axis=0)(input="x")
    for edit, help in {
        "insert_after": "name the port in the path, such as 'split.output_0'",
        "remove": "remove takes a part with one input and one output: replace this one, or remove "
        "what reads it first",
    }.items():
        arguments = () if edit == "remove" else (ml.Relu(),)
        with pytest.raises(ml.ConnectionError) as raised:
            getattr(model.edit(), edit)("split", *arguments)
        assert str(raised.value) == (
            "mithril.ConnectionError[E0124]: split: Split has no single output for this edit\n"
            "  inputs  : input [...]\n"
            "  outputs : output_0 [...], output_1 [...]\n"
            f"  help: {help}"
        )
    edited = model.edit().insert_after("split.output_0", ml.Relu())
    assert [part.class_name for part in edited.parts.values()] == ["Split", "Relu"]
