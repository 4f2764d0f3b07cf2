"""Model.view: a page that shows a model."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import printed_by
from viewer_models import gpt2, perceptron

import mithril as ml


def data_of(view: ml.View) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', view.page, re.S)
    assert found
    return json.loads(found[1])


def test_a_view_has_the_parts_of_a_model() -> None:
    data = data_of(perceptron().view(title="net"))
    assert data["title"] == "net"
    (graph,) = data["graphs"]
    assert [(group["name"], group["class"]) for group in graph["groups"]] == [
        ("block", "Model"),
        ("head", "Linear"),
        ("fc1", "Linear"),
    ]
    kinds = {node["name"]: node.get("kind", "op") for node in graph["nodes"]}
    assert kinds == {
        "x": "input",
        "primitivelinear": "op",
        "gelu": "op",
        "y": "output",
    }


def test_a_view_shows_parameters_as_histograms() -> None:
    net = perceptron()
    params = ml.compile(net, ml.CpuBackend()).get_parameters()
    found = data_of(net.view(params))["histograms"]
    assert set(found) == set(params)
    for key, value in params.items():
        histogram = found[key]
        counts, _ = np.histogram(value, bins=24)
        np.testing.assert_array_equal(histogram["bins"], counts)
        assert histogram["mean"] == pytest.approx(float(value.mean()), rel=1e-4)
        assert histogram["deviation"] == pytest.approx(float(value.std()), rel=1e-4)


def test_inputs_that_are_among_the_parameters_have_no_boxes() -> None:
    net = ml.Model.create(y=ml.IOKey("x", shape=["N", 3]) * ml.IOKey("scale", shape=[3]))

    def inputs(view: ml.View) -> list[str]:
        nodes = data_of(view)["graphs"][0]["nodes"]
        return [node["name"] for node in nodes if node.get("kind") == "input"]

    assert inputs(net.view()) == ["x", "scale"]
    assert inputs(net.view({"scale": np.ones(3, np.float32)})) == ["x"]


def test_a_view_has_gradients_and_passes_on_request() -> None:
    net = perceptron()
    assert [graph["id"] for graph in data_of(net.view())["graphs"]] == ["model"]
    graphs = data_of(net.view(gradients=True, shapes={"x": [2, 5]}))["graphs"]
    assert [graph["id"] for graph in graphs] == ["model", "gradient"]
    names = {node["name"] for node in graphs[1]["nodes"]}
    assert {"y.grad", "block.fc1.weight.grad", "head.bias.grad"} <= names
    assert net.get_shapes()["x"] == ["N", 5]
    assert len(data_of(net.view(gradients=True, passes=True))["graphs"]) == 11


def test_a_training_model_shows_its_cost_and_its_gradients() -> None:
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    layers += ml.BatchNorm1D()
    layers += ml.Dropout(p=0.2)
    layers += ml.Linear(1)(output="y")
    train = ml.TrainModel(layers)
    train.add_loss(ml.SquaredError(), input="y", target="t")
    train.set_shapes(x=["N", 4])
    for graph in data_of(train.view(gradients=True, passes=True))["graphs"]:
        kinds = {node["name"]: node.get("kind") for node in graph["nodes"]}
        assert kinds["final_cost"] == "output"
        assert "state" in kinds.values()
        # Of all outputs, the gradient of the cost alone comes in.
        incoming = [name for name, kind in kinds.items() if kind == "input" and ".grad" in name]
        assert incoming == (["final_cost.grad"] if "gradient" in graph["id"] else [])


def test_a_part_can_be_viewed() -> None:
    net = perceptron()
    part = net.parts["block"].model
    assert [group["name"] for group in data_of(part.view())["graphs"][0]["groups"]] == ["fc1"]
    with pytest.raises(ml.ConnectionError, match="E0108"):
        perceptron().parts["block"].model.view()


def line_text(number: int) -> str:
    """A line of this file as pages show it."""
    here, folder = Path(__file__), Path.cwd()
    return f"{here.relative_to(folder) if here.is_relative_to(folder) else here.name}:{number}"


def sources_of(view: ml.View, graph: int = 0) -> dict[str, str | None]:
    found = data_of(view)["graphs"][graph]
    return {each["name"]: each.get("source") for each in [*found["groups"], *found["nodes"]]}


def test_a_view_has_the_lines_that_added_parts() -> None:
    first = sys._getframe().f_lineno + 1
    block = ml.Model(name="block")
    block |= ml.Linear(4, name="fc1")(input="x", output="h")
    block += ml.Gelu(name="gelu")(output="r")
    net = ml.Model()
    net |= block(x="x", r="r")
    net |= ml.Tanh(name="tanh")(
        input="r",
        output="y",
    )
    net.expose_keys("y")
    lines = {"block": 4, "fc1": 1, "gelu": 2, "tanh": 5}
    expected = {name: line_text(first + line) for name, line in lines.items()}
    for view in (net.view(), net.view(shapes={"x": [2, 5]}), net.copy().view()):
        found = sources_of(view)
        assert {name: found[name] for name in lines} == expected
        assert found["primitivelinear"] is None and found["x"] is None
    assert sources_of(net.view(gradients=True), 1)["tanh"] == expected["tanh"]
    loaded = sources_of(ml.Model.from_json(net.to_json()).view())
    assert set(loaded.values()) == {None}


def test_a_view_has_the_lines_of_calls() -> None:
    x = ml.IOKey("x")
    first = sys._getframe().f_lineno + 1
    h = ml.Linear(4, name="fc1")(x)
    y = ml.Tanh(name="tanh")(h) * 2
    for model in (ml.Model.create(y=y), ml.Model.create(y=ml.Model.create(h=y)(x=x))):
        found = sources_of(model.view())
        assert (found["fc1"], found["tanh"]) == (line_text(first), line_text(first + 1))


def test_a_view_has_no_lines_of_the_library() -> None:
    program = """
import mithril as ml
model = ml.Model()
exec(compile("model |= ml.Relu()(input='x', output='y')", ml.__file__, "exec"))
assert '"source"' not in model.view().page
"""
    assert printed_by(program) == ""


def test_a_view_is_saved_and_shown_in_notebooks(tmp_path: Path) -> None:
    view = perceptron().view()
    view.save(tmp_path / "net.html")
    assert (tmp_path / "net.html").read_text(encoding="utf-8") == view.page
    frame = view._repr_html_()
    assert frame.startswith("<iframe ") and frame.endswith("</iframe>")
    assert frame.count('"') == 6  # title, style, srcdoc
    with pytest.raises(ml.InputError, match="E0831"):
        view.save(tmp_path / "none" / "net.html")


def test_a_page_of_12_layers_has_at_most_a_megabyte() -> None:
    assert len(gpt2().view().page.encode()) < 1_000_000


def test_a_view_refuses_what_the_model_lacks() -> None:
    net = perceptron()
    with pytest.raises(ml.InputError) as caught:
        net.view({"head.wieght": np.zeros(2, np.float32)})
    assert str(caught.value) == (
        "mithril.InputError[E1352]: there is no parameter 'head.wieght'\n"
        "  known : block.fc1.weight, block.fc1.bias, head.weight, head.bias\n"
        "  help: did you mean 'head.weight'?"
    )
    with pytest.raises(ml.InputError) as caught:
        net.view(measured={"time": {"haed": 1.0}})
    assert str(caught.value) == (
        "mithril.InputError[E1353]: there is no part or value 'haed'\n"
        "  known : block, block.fc1, block.fc1.primitivelinear, block.gelu, head, "
        "head.primitivelinear, x, block.h, r, y\n"
        "  help: did you mean 'head'?"
    )
    with pytest.raises(ml.TypeError) as wrong:
        net.view(measured={"time": {"head": "long"}})
    assert str(wrong.value) == (
        "mithril.TypeError[E0395]: view: argument 'measured' has the wrong kind\n"
        "  expected : a number\n"
        "  got      : 'long'   str"
    )
    with pytest.raises(ml.TypeError, match=r"E0395.*view: argument 'params'") as wrong:
        net.view(3)
    assert "a dict of parameters" in str(wrong.value)
