"""Edits with a part whose input is a list: an edit gives one value."""

from typing import Any

import pytest

import mithril as ml


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(4)(input="x", output="h")
    net |= ml.Relu()(input="h", output="r")
    net |= ml.Linear(3)(input="r", output="y")
    net.set_shapes(x=[5, 4])
    return net


@pytest.mark.parametrize(
    ("edit", "call"),
    [
        (lambda net: net.insert_after("relu", ml.Concat()), "insert_after"),
        (lambda net: net.insert_before("relu", ml.Concat()), "insert_before"),
        (lambda net: net.replace("relu", ml.Concat()), "replace"),
        (lambda net: net.wrap("relu", lambda part: ml.Concat()), "wrap"),
    ],
)
def test_a_list_gets_no_single_value(edit: Any, call: str) -> None:
    edited = network().edit()
    with pytest.raises(ml.ConnectionError) as raised:
        edit(edited)
    assert str(raised.value) == (
        "mithril.ConnectionError[E0124]: relu: port 'input' of Concat takes a list, and the edit "
        "connects one value\n"
        f"  edit    : {call}('relu', Concat)\n"
        "  needed  : one input and one output\n"
        "  inputs  : input, axis   of Concat\n"
        "  outputs : output        of Concat\n"
        "  help: use a model in which one input is an item of the list"
    )
    assert edited == network()


def test_a_part_with_a_list_is_not_removed() -> None:
    net = ml.Model()
    net |= ml.Concat(name="both")(input=["x", "z"], output="y")
    net |= ml.Relu()(input="y", output="r")
    edited = net.edit()
    with pytest.raises(ml.ConnectionError) as raised:
        edited.remove("both")
    assert str(raised.value) == (
        "mithril.ConnectionError[E0124]: both: port 'input' of Concat takes a list, and the edit "
        "connects one value\n"
        "  edit    : remove('both')\n"
        "  needed  : one input and one output\n"
        "  inputs  : input_0 [...], input_1 [...]   of Concat\n"
        "  outputs : output [...]                   of Concat\n"
        "  help: use a model in which one input is an item of the list"
    )
    assert edited == net


def test_a_model_around_the_list_fits() -> None:
    twice = ml.Model()
    twice |= ml.Concat(axis=1)(input=["a", "a"], output="b")
    twice.expose_keys("b")
    edited = network().edit().insert_after("relu", twice)
    assert edited.get_shapes()["y"] == [5, 3]
    assert edited.parts["linear_1"].shapes["input"] == [5, 8]


def test_a_call_may_give_the_list() -> None:
    joined = ml.Concat(axis=1)(input=["h", "x"], output="r")
    edited = network().edit().replace("relu", joined)
    assert edited.parts["linear_1"].shapes["input"] == [5, 8]
