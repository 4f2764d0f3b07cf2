"""Mistakes with recurrent layers that users of PyTorch make."""

from typing import Any

import pytest

import mithril as ml


def text_of(make: Any) -> str:
    with pytest.raises(ml.Error) as caught:
        make()
    return str(caught.value)


def test_all_outputs_of_a_layer_at_a_port_are_an_error() -> None:
    assert text_of(lambda: ml.Linear(2)(ml.LSTM(8)(ml.IOKey("x")))) == (
        "mithril.ConnectionError[E0146]: linear: port 'input' takes one value, and LSTM has "
        "several outputs\n"
        "  outputs : output, h_n, c_n\n"
        "  help: take one of them: lstm(...)[0] is 'output'"
    )
    assert "GRU has several outputs" in text_of(lambda: ml.Relu()(ml.GRU(8)(ml.IOKey("x"))))
    assert ml.Linear(2)(ml.LSTM(8)(ml.IOKey("x"))[0]).name


def test_lists_at_ports_that_take_them_are_allowed() -> None:
    parts = ml.PrimitiveSplit(sizes=(2, 3), axis=-1)(ml.IOKey("x", shape=[4, 5]))
    assert ml.Concat(axis=-1)(parts).dims == [4, 5]


@pytest.mark.parametrize(
    ("port", "option"),
    [("h_0", "use_initial_state"), ("c_0", "use_initial_state"), ("lengths", "use_lengths")],
)
def test_a_port_that_an_option_adds_names_the_option(port: str, option: str) -> None:
    assert text_of(lambda: ml.LSTM(8)(input="x", output="y", **{port: "s"})) == (
        f"mithril.NameError[E0604]: LSTM has the port '{port}' with an option only\n"
        "  ports : input, weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, output, h_n, c_n\n"
        f"  help: make it with the option: LSTM(..., {option}=True)"
    )


def test_a_gru_has_no_cell() -> None:
    text = text_of(lambda: ml.GRU(8)(input="x", output="y", c_0="s"))
    assert "GRU has no port 'c_0'" in text


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_the_size_of_the_input_is_inferred(name: str) -> None:
    assert text_of(lambda: getattr(ml, name)(3, 5)).endswith(
        f"  help: the size of the input, which PyTorch takes first, is inferred: write {name}(5); "
        "options have names"
    )
    assert text_of(lambda: getattr(ml, name)(3, 5, 2)).startswith(
        f"mithril.TypeError[E0396]: {name} takes at most 1 of its arguments by position, not 3\n"
        "  by position : hidden_size\n"
    )
