"""Pages of profiles: of a model with times, and of the steps themselves."""

import json
import re

import numpy as np
import pytest

import mithril as ml

X = np.linspace(-1, 1, 96, dtype=np.float32).reshape(8, 12)


def test_the_page_of_the_model_has_the_time_and_the_bytes_of_its_parts():
    net = ml.Model()
    net |= ml.Linear(4, name="fc1")(input="x")
    net += ml.Linear(2, name="fc2")(output="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3, 8]})
    data = {"x": np.ones((3, 8), np.float32), "target": np.ones((3, 2), np.float32)}
    with ml.profile() as p:
        with pytest.raises(ml.StateError):
            p.view(net)
        compiled.evaluate(compiled.get_parameters(), data)
    rows = {row["name"]: row for row in p.rows(by="layer")}
    assert {"fc1", "fc2"} < set(rows)  # and those of the loss, which the network lacks
    page = net.view(
        measured={
            "time": {name: rows[name]["seconds"] for name in ("fc1", "fc2")},
            "bytes": {name: rows[name]["bytes"] for name in ("fc1", "fc2")},
        }
    ).page
    assert p.view(net).page == page


def test_the_page_of_the_steps_needs_no_model():
    net = ml.Model()
    net |= ml.Linear(16, name="fc1")(input="x")
    net += ml.Relu()
    net += ml.Linear(4, name="fc2")(output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": [8, 12]})
    params = compiled.get_parameters()
    with ml.profile() as p:
        with pytest.raises(ml.StateError):
            p.html()
        compiled.evaluate(params, {"x": X})
        compiled.evaluate(params, {"x": X})
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', p.html(), re.S)
    data = json.loads(found[1])
    (graph,) = data["graphs"]
    assert {group["name"] for group in graph["groups"]} >= {"fc1", "fc2"}
    steps = p.rows(by="path")
    nodes = [node for node in graph["nodes"] if node.get("kind", "op") == "op"]
    assert len(nodes) == len(steps)
    assert [node["name"] for node in graph["nodes"] if node.get("kind") == "input"] == ["x"]
    parameters = {key for node in nodes for _, key, _ in node.get("parameters", [])}
    assert parameters == set(params)
    made = {graph["values"][value][0] for node in nodes for _, value in node["outputs"]}
    assert made == {row["name"] for row in steps} == set(data["measured"]["time"])
    assert data["measured"]["time"] == pytest.approx(
        {row["name"]: row["seconds"] for row in steps}, rel=1e-5
    )


def test_the_page_has_the_parts_whose_results_have_keys():
    net = ml.Model()
    net |= ml.Linear(4, name="fc")(input="x", output="h")
    net |= ml.Relu(name="act")(input="h", output="a")
    net |= ml.Conv1d(3, filters=4, name="conv")(input="signal", output="z")
    shapes = {"x": [3, 8], "signal": [2, 4, 9]}
    compiled = ml.compile(net, ml.CpuBackend(), shapes=shapes, data_keys=["x", "signal"])
    data = {key: np.ones(sizes, np.float32) for key, sizes in shapes.items()}
    with ml.profile() as p:
        compiled.evaluate(compiled.get_parameters(), data)
    rows = {row["name"]: row for row in p.rows(by="layer")}
    assert set(rows) == {"fc", "a", "conv"}  # the key of act, which has no parameters
    measured = {
        "time": {name: row["seconds"] for name, row in rows.items()},
        "bytes": {name: row["bytes"] for name, row in rows.items()},
    }
    assert p.view(net).page == net.view(measured=measured).page
