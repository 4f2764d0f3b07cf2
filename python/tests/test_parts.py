"""The parts of models: names, classes, options, shapes, and how models print."""

import mithril as ml


def network() -> ml.Model:
    encoder = ml.Model()
    encoder |= ml.Linear(8, name="fc1")(input="x", output="h")
    encoder |= ml.Relu()(input="h", output="r")
    net = ml.Model()
    net |= encoder(x="x", r="r")
    net |= ml.Linear(3, name="head")(input="r", output="y")
    net |= ml.Concat(axis=1)(input=["y", "r"], output="z")
    return net


def test_a_model_prints_the_tree_of_its_parts() -> None:
    assert str(network()) == (
        "Model(\n"
        "  (model): Model(\n"
        "    (fc1): Linear(dimension=8)\n"
        "    (relu): Relu()\n"
        "  )\n"
        "  (head): Linear(dimension=3)\n"
        "  (concat): Concat(axis=1)\n"
        ")"
    )
    assert str(ml.Linear(3)) == "Linear(dimension=3)"
    assert str(ml.Model()) == "Model()"
    assert repr(network()) == "<Model>"


def test_parts_are_found_by_name_class_and_path() -> None:
    net = network()
    assert list(net.parts) == ["model", "head", "concat"]
    assert net.parts["model"].parts["fc1"].path == "model.fc1"
    paths = [part.path for part in net.walk()]
    assert paths[:3] == ["model", "model.fc1", "model.fc1.primitivelinear"]
    assert [part.path for part in net.find(ml.Linear)] == ["model.fc1", "head"]
    assert [part.name for part in net.find("model.?elu")] == ["relu"]
    assert net.find("decoder.*") == []


def test_a_part_has_its_options_ports_and_shapes() -> None:
    net = network()
    net.set_shapes(x=[5, 4])
    part = net.parts["head"]
    assert (part.class_name, part.options) == ("Linear", {"dimension": 3})
    assert (part.inputs, part.outputs) == (["input", "weight", "bias"], ["output"])
    assert part.shapes == {"input": [5, 8], "weight": [3, 8], "bias": [3], "output": [5, 3]}
    assert net.parts["concat"].inputs == ["input_0", "input_1", "axis"]
    copy = net.parts["model"].model.copy()
    assert copy.get_shapes()["r"] == [5, 8]


def test_parts_keep_their_model() -> None:
    part = network().parts["model"].parts["fc1"]
    assert part.shapes["bias"] == [8]
    assert str(part) == "Linear(dimension=8)"
