"""Edits with a part whose inputs nothing gives: they are no inputs that a model gets silently."""

from typing import Any

import numpy as np
import pytest

import mithril as ml


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(8, name="fc")(input="x", output="h")
    net |= ml.Relu(name="act")(input="h", output="r")
    net |= ml.Linear(8, name="head")(input="r", output="y")
    net.set_shapes(x=[5, 4])
    return net


def masked() -> ml.Model:
    """A model of a user with two inputs of data."""
    model = ml.Model()
    model |= ml.Relu()(input="input", output="a")
    model |= ml.Tanh()(input="mask", output="b")
    model |= ml.Multiply()(left="a", right="b", output="output")
    model.expose_keys("output")
    return model


def refusal(edit: Any) -> str:
    edited = network().edit()
    with pytest.raises(ml.ConnectionError) as raised:
        edit(edited)
    assert raised.value.code == "E0124"
    assert edited == network()
    return str(raised.value)


@pytest.mark.parametrize(
    ("part", "ports"),
    [
        (ml.Add, "'right'"),
        (ml.MatrixMultiply, "'right'"),
        (ml.Where, "'cond', 'input2'"),
        (ml.Reshape, "'shape'"),
        (ml.SquaredError, "'target'"),
        (ml.HuberLoss, "'target'"),
        (ml.CosineSimilarity, "'right'"),
        (ml.ScaledDotProduct, "'key', 'value'"),
        (ml.Indexer, "'index'"),
        (masked, "'mask'"),
    ],
)
def test_an_input_that_nothing_gives_is_refused(part: Any, ports: str) -> None:
    expected = f"nothing gives {ports} of {part().class_name}"
    assert expected in refusal(lambda net: net.replace("act", part()))
    assert expected in refusal(lambda net: net.wrap("act", lambda old: part()))
    if part is masked:  # two canonical inputs
        expected = "Model has no single free input"
    assert expected in refusal(lambda net: net.insert_after("act", part()))
    assert expected in refusal(lambda net: net.insert_before("act", part()))


def test_the_error_names_ports_and_shapes_and_what_to_do() -> None:
    assert refusal(lambda net: net.replace("act", ml.Add())) == (
        "mithril.ConnectionError[E0124]: act: nothing gives 'right' of Add\n"
        "  edit   : replace('act', Add)\n"
        "  inputs : input [5, 8]   of act\n"
        "  inputs : left, right    of Add\n"
        "  help: bind each in the call to a key or the path of a port, or to a new name, which "
        "becomes an input of the model"
    )


def test_wrap_names_itself_and_takes_the_advice() -> None:
    text = refusal(lambda net: net.wrap("a*", lambda old: ml.Add()))
    assert "edit   : wrap('act', Add)\n" in text
    assert "bind each in the call" in text
    edited = network().edit().wrap(ml.Relu, lambda old: ml.Add()(right="h"))
    assert edited.input_keys == network().input_keys
    edited = network().edit().wrap("act", lambda old: ml.Add()(right="offset"))
    assert set(edited.input_keys) == {*network().input_keys, "offset"}


def test_the_error_of_a_port_lists_the_inputs_of_its_part() -> None:
    text = refusal(lambda net: net.insert_before("head.weight", ml.Add()))
    assert "head.weight: nothing gives 'right' of Add\n" in text
    assert "inputs : input [5, 8], weight [8, 8], bias [8] of head inputs" in " ".join(text.split())


def composed(part: Any, **ports: Any) -> ml.Model:
    model = ml.Model()
    model |= part(**ports, output="output")
    model.expose_keys("output")
    return model


def doubled() -> ml.Model:
    return ml.Model.create(y=ml.IOKey("h") * 2.0)


@pytest.mark.parametrize(
    ("part", "port"),
    [
        (lambda: ml.Cond("is", doubled(), ml.Model.create(y=ml.IOKey("h") * 0.5)), "is"),
        (
            lambda: ml.Scan(
                ml.Model.create(h_next=ml.IOKey("h") * 0.5),
                carry={"h": "h_next"},
                length=ml.IOKey("n"),
            ),
            "n",
        ),
        (lambda: composed(ml.Where(), cond="mask", input1="input", input2="other"), "mask"),
        (lambda: composed(ml.Reshape(), input="input", shape="sizes"), "sizes"),
        (lambda: composed(ml.Gather(), input="input", index="idx", axis=0), "idx"),
        (
            lambda: composed(
                ml.Multiply(), left="input", right=ml.IOKey("by", differentiable=False)
            ),
            "by",
        ),
    ],
)
def test_a_composed_part_needs_the_inputs_that_are_no_parameters(part: Any, port: str) -> None:
    made = part()
    text = refusal(lambda net: net.replace("act", made))
    assert f"nothing gives '{port}' of {made.class_name}" in text
    edited = network().edit().replace("act", made(**{port: "given"}))
    assert "given" in edited.input_keys


def test_layers_of_a_composed_part_may_be_frozen_or_random() -> None:
    part = ml.Model()
    part |= ml.Linear(8, name="fixed")(
        input="input", weight=ml.IOKey("w", differentiable=False), output="h"
    )
    part |= ml.Dropout(0.5)(input="h", output="output")
    part.expose_keys("output")
    edited = network().edit().replace("act", part)
    assert set(edited.input_keys) == {*network().input_keys, "act.w", "act.fixed.bias"}


def test_a_binding_connects_it_or_makes_an_input() -> None:
    edited = network().edit().replace("act", ml.Add()(right="h"))
    assert edited.input_keys == network().input_keys
    edited = network().edit().replace("act", ml.Add()(right="fc.bias"))
    assert edited.input_keys == network().input_keys
    edited = network().edit().replace("act", ml.Add(right=2.0))
    assert edited.input_keys == network().input_keys
    edited = network().edit().replace("act", ml.Add()(right="offset"))
    assert set(edited.input_keys) == {*network().input_keys, "offset"}
    edited = network().edit().insert_after("act", masked()(mask="scale"))
    assert set(edited.input_keys) == {*network().input_keys, "scale"}


def test_an_input_of_the_old_part_stays() -> None:
    net = ml.Model()
    net |= ml.Add(name="sum")(left="x", output="y")
    assert net.edit().replace("sum", ml.Multiply()).input_keys == ["x", "sum.right"]


def test_parameters_of_layers_need_no_value() -> None:
    edited = network().edit().replace("act", ml.PReLU()).insert_after("fc", ml.BatchNorm1D())
    edited.replace("head", ml.Linear(3)).insert_before("head", ml.RMSNorm())
    assert {"act.weight", "batchnorm1d.weight", "rmsnorm.weight"} <= set(edited.input_keys)
    compiled = ml.compile(edited, ml.CpuBackend())
    x = np.ones((5, 4), np.float32)
    state = compiled.initial_state_dict
    assert compiled.evaluate(compiled.get_parameters(), {"x": x}, state=state)


def test_a_part_of_a_user_may_have_keys_for_parameters() -> None:
    scaled = ml.Model()
    scaled |= ml.Multiply()(left="input", right="scale", output="output")
    scaled.expose_keys("output")
    edited = network().edit().replace("act", scaled)
    assert set(edited.input_keys) == {*network().input_keys, "act.scale"}
