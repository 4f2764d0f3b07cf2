"""Recurrent layers with lengths, against packed sequences of torch; skipped where it is missing."""

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

SEQUENCES, STEPS, INPUTS, STATES, OUTPUTS = 3, 4, 2, 5, 3
LENGTHS = np.array([2, 4, 1])


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + sum(shape)).normal(size=shape)


X = draw(SEQUENCES, STEPS, INPUTS)
FIRST = draw(SEQUENCES, 1, STATES)


def packed(layer: "torch.nn.Module", reverse: bool, *first: "torch.Tensor") -> tuple:
    """Outputs [N, T, H] and the last hidden states [N, H] of torch. The other direction has no
    weights of its own here."""
    sequences = pack_padded_sequence(
        torch.tensor(X), torch.tensor(LENGTHS), batch_first=True, enforce_sorted=False
    )
    states = tuple(value.transpose(0, 1).repeat(2 if reverse else 1, 1, 1) for value in first)
    output, last = layer(sequences, states if len(states) > 1 else states[0])
    hidden = last[0] if isinstance(last, tuple) else last
    output = pad_packed_sequence(output, batch_first=True)[0]
    return output[..., -STATES:].detach().numpy(), hidden[-1].detach().numpy()


def fill(layer: "torch.nn.Module", reverse: bool, weights: dict[str, np.ndarray]) -> None:
    for name, value in weights.items():
        parameter = getattr(layer, name + ("_reverse" if reverse else ""))
        parameter.data = torch.tensor(value)


def compare(
    cell: ml.Model,
    params: dict[str, np.ndarray],
    reverse: bool,
    output: np.ndarray,
    hidden: np.ndarray,
    **states: np.ndarray,
) -> None:
    model = ml.ManyToOne(cell, max_sequence_length=STEPS, use_lengths=True, reverse=reverse)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), trainable_keys=list(params))
    data = {f"input{i}": X[:, i : i + 1] for i in range(STEPS)} | states | {"lengths": LENGTHS}
    results = compiled.evaluate(params, data)
    for i in range(STEPS):
        np.testing.assert_allclose(results[f"output{i}"][:, 0], output[:, i], atol=1e-12)
    np.testing.assert_allclose(results["hidden_concat"][:, 0], hidden, atol=1e-12)


@pytest.mark.parametrize("reverse", [False, True])
def test_gru_is_as_packed(reverse: bool) -> None:
    layer = torch.nn.GRU(INPUTS, STATES, batch_first=True, bidirectional=reverse).double()
    params = {
        "w_ih": draw(3 * STATES, INPUTS),
        "w_hh": draw(3 * STATES, STATES),
        "bias_ih": draw(3 * STATES),
        "bias_hh": draw(3 * STATES),
    }
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    fill(layer, reverse, dict(zip(names, params.values(), strict=True)))
    output, hidden = packed(layer, reverse, torch.tensor(FIRST))
    # An output beyond the length is 0, with the bias of the output, too.
    out = {"w_out": draw(OUTPUTS, STATES), "bias_out": draw(OUTPUTS)}
    goes_on = np.arange(STEPS) < LENGTHS[:, None]
    output = (output @ out["w_out"].T + out["bias_out"]) * goes_on[:, :, None]
    compare(ml.GRUCell(), params | out, reverse, output, hidden, initial_hidden=FIRST)


@pytest.mark.parametrize("reverse", [False, True])
def test_lstm_is_as_packed(reverse: bool) -> None:
    layer = torch.nn.LSTM(INPUTS, STATES, batch_first=True, bidirectional=reverse).double()
    gates = {f"w_{gate}": draw(STATES, INPUTS + STATES) + i for i, gate in enumerate("ifco")}
    biases = {f"bias_{gate}": draw(STATES) + i for i, gate in enumerate("ifco")}
    whole = np.concatenate(list(gates.values()))
    fill(
        layer,
        reverse,
        {
            "weight_ih_l0": whole[:, :INPUTS],
            "weight_hh_l0": whole[:, INPUTS:],
            "bias_ih_l0": np.concatenate(list(biases.values())),
            "bias_hh_l0": np.zeros(4 * STATES),
        },
    )
    cell = FIRST * 2 - 1
    output, hidden = packed(layer, reverse, torch.tensor(FIRST), torch.tensor(cell))
    out = {"w_out": np.eye(STATES), "bias_out": np.zeros(STATES)}
    compare(
        ml.LSTMCell(),
        gates | biases | out,
        reverse,
        output,
        hidden,
        initial_hidden=FIRST,
        initial_cell=cell,
    )


def test_reverse_needs_lengths() -> None:
    with pytest.raises(ml.ValueError, match="reverse"):
        ml.ManyToOne("RNNCell", max_sequence_length=2, reverse=True)
