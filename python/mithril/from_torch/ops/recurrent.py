"""Conversion of recurrent layers for `ml.from_torch`: as loops if the length of the sequences is
open, otherwise step by step. Step by step are LSTMs, of which torch's decomposition returns states
of another shape, and layers that read packed sequences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import NodeContext, Table, size, table
from ..packed import ALL_STEPS
from .layers import dropout
from .shapes import swap


@dataclass
class Cell:
    """A step of a layer: of the gates that the input gives, the states, and the gates that the
    hidden state gives, the next states, of which the first is the output."""

    step: Callable[[Any, Any, Any], tuple[Any, ...]]
    gates: int
    loop: Callable[..., Any]  # the class of the layer, with its options
    joins_biases: bool = True  # the gates of input and state are only added


def lstm_step(of_input: Any, states: Any, of_state: Any) -> tuple[Any, ...]:
    enter, keep, new, leave = split(of_input + of_state, 4)
    c = ml.Sigmoid()(keep) * states[1] + ml.Sigmoid()(enter) * ml.Tanh()(new)
    return ml.Sigmoid()(leave) * ml.Tanh()(c), c


def gru_step(of_input: Any, states: Any, of_state: Any) -> tuple[Any, ...]:
    reset, update, new = split(of_input, 3)
    own_reset, own_update, own_new = split(of_state, 3)
    new = ml.Tanh()(new + ml.Sigmoid()(reset + own_reset) * own_new)
    update = ml.Sigmoid()(update + own_update)
    return ((1.0 - update) * new + update * states[0],)


def plain_step(activation: Any) -> Callable[[Any, Any, Any], tuple[Any, ...]]:
    return lambda of_input, states, of_state: (activation()(of_input + of_state),)


CELLS = {
    "lstm": Cell(lstm_step, 4, ml.LSTM),
    "gru": Cell(gru_step, 3, ml.GRU, joins_biases=False),
    "rnn_tanh": Cell(plain_step(ml.Tanh), 1, ml.RNN),
    "rnn_relu": Cell(plain_step(ml.Relu), 1, partial(ml.RNN, nonlinearity="relu")),
}


def split(gates: Any, count: int) -> Any:
    return ml.PrimitiveSplit(sizes=(gates.dims[-1] // count,) * count, axis=-1)(gates)


def lstm(
    input: Connection,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    *,
    at: NodeContext,
) -> Any:
    """The outputs of the last layer, and the last states [layers * directions, N, size]."""
    args = (hx, params, has_biases, num_layers, dropout_p, train, bidirectional, batch_first)
    return open_recurrent(input, "lstm", *args, at=at)


def open_recurrent(
    self: Connection,
    kind: str,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    *,
    at: NodeContext,
) -> Any:
    """A recurrent layer on sequences, whose length may be open."""
    x = swap(self, 0, 1) if batch_first else self
    args = (hx, params, has_biases, num_layers, dropout_p, train, bidirectional)
    x, states = all_layers(x, CELLS[kind], *args, at=at)
    return swap(x, 0, 1) if batch_first else x, *states, *(None,) * (2 - len(states))


def recurrent(
    self: Connection,
    lengths: Connection,
    kind: str,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    *,
    at: NodeContext,
) -> Any:
    """A recurrent layer on a packed sequence, whose data is padded: [T N, I]."""
    x = self.reshape((-1, size(lengths, 0), size(self, 1)))
    args = (hx, params, has_biases, num_layers, dropout_p, train, bidirectional)
    x, states = all_layers(x, CELLS[kind], *args, lengths=lengths, at=at)
    return x.reshape((-1, x.dims[-1])), *states, *(None,) * (2 - len(states))


def all_layers(
    x: Any,
    cell: Cell,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout_p: float,
    train: bool,
    bidirectional: bool,
    lengths: Any = None,
    *,
    at: NodeContext,
) -> Any:
    """The outputs of the last layer [T, N, size], and the last states."""
    directions = 2 if bidirectional else 1
    of_layer = len(params) // num_layers
    is_open = (x.dims or [None])[0] is None
    last: list[Any] = []
    for layer in range(num_layers):
        weights = params[layer * of_layer : (layer + 1) * of_layer]
        start = tuple(state[layer * directions : (layer + 1) * directions] for state in hx)
        convert = loop if is_open else unrolled
        x, states = convert(x, cell, start, weights, has_biases, directions, lengths)
        last.append(states)
        if layer < num_layers - 1:
            x = dropout(x, dropout_p, train, at=at)
    return x, [joined(list(states), 0) for states in zip(*last, strict=True)]


def loop(
    x: Any,
    cell: Cell,
    states: tuple[Any, ...],
    weights: Any,
    has_biases: bool,
    directions: int,
    lengths: Any,
) -> Any:
    """One layer on sequences of any length. Outputs, and the last states of the directions."""
    per_direction = len(weights) // directions
    names = ["weight_ih", "weight_hh"]
    names += ["bias_ih", "bias_hh"] if has_biases else []
    options: dict[str, Any] = {}
    if per_direction > len(names):
        names.append("weight_hr")
        options["proj_size"] = weights[per_direction - 1].dims[0]
    keys = [f"{name}_l0{end}" for end in ("", "_reverse")[:directions] for name in names]
    given = dict(zip(keys, weights, strict=True)) | dict(zip(("h_0", "c_0"), states, strict=False))
    if lengths is not None:
        options["use_lengths"] = True
        given["lengths"] = lengths
    layer = cell.loop(
        weights[0].dims[0] // cell.gates,
        use_bias=has_biases,
        bidirectional=directions == 2,
        use_initial_state=True,
        **options,
    )
    output, *last = layer(input=x, **given)
    return output, last


def unrolled(
    x: Any,
    cell: Cell,
    start: tuple[Any, ...],
    weights: Any,
    has_biases: bool,
    directions: int,
    lengths: Any,
) -> Any:
    """One layer, step by step. Outputs, and the last states of the directions."""
    per_direction = len(weights) // directions
    outputs, last = [], []
    for i in range(directions):
        own = weights[i * per_direction : (i + 1) * per_direction]
        states = tuple(state[i] for state in start)
        output, states = one_direction(x, cell, states, own, has_biases, i == 1, lengths)
        outputs.append(output)
        last.append(states)
    return joined(outputs, -1), [stacked(list(states)) for states in zip(*last, strict=True)]


def one_direction(
    x: Any,
    cell: Cell,
    states: tuple[Any, ...],
    weights: Any,
    has_biases: bool,
    is_backwards: bool,
    lengths: Any,
) -> Any:
    """Outputs [L, N, size], and the last states [N, size]. A sequence that has ended keeps its
    state, and its output is 0."""
    length = x.dims[0]
    to_gates, from_hidden, *rest = weights
    biases = rest[:2] if has_biases else []
    projection = rest[2 * has_biases :]  # of proj_size
    gates = x @ to_gates.T
    for bias in biases[: 2 if cell.joins_biases else 1]:
        gates = gates + bias
    outputs = []
    order = range(length)
    for i in reversed(order) if is_backwards else order:
        of_state = states[0] @ from_hidden.T
        if biases and not cell.joins_biases:
            of_state = of_state + biases[1]
        h, *others = cell.step(gates[i], states, of_state)
        following = (h @ projection[0].T if projection else h, *others)
        output = following[0]
        if lengths is not None:
            goes_on = ml.ExpandDims(axis=-1)(lengths > i)
            following = tuple(
                ml.Where()(goes_on, new, old) for new, old in zip(following, states, strict=True)
            )
            output = ml.Where()(goes_on, output, 0.0)
        states = following
        outputs.append(output)
    return stacked(outputs[::-1] if is_backwards else outputs), states


def stacked(steps: list[Any]) -> Any:
    return joined([ml.ExpandDims(axis=0)(step) for step in steps], 0)


def joined(items: list[Any], axis: int) -> Any:
    return ml.Concat(axis=axis)(items) if len(items) > 1 else items[0]


def pack(self: Connection, lengths: Connection) -> Any:
    return self.reshape((-1, size(self, 2)))


def unpack(self: Connection, lengths: Connection, padding: float, total_length: int | None) -> Any:
    """[T, N, size]. Without `total_length` torch returns the steps of the longest sequence. Ours
    are as many as were packed: another number is an error, a place that one row does not have."""
    x = self.reshape((-1, size(lengths, 0), size(self, 1)))
    steps = size(x, 0)
    if total_length is None:
        missing = (steps - lengths.max()) * 2  # -1 is the last row, too
        x = ml.Gather(axis=0)(ml.ExpandDims(axis=0)(x), missing)
    elif total_length != ALL_STEPS:
        if total_length > steps:
            x = ml.Pad(pad_width=((0, total_length - steps), (0, 0), (0, 0)))(x)
        steps = total_length
    goes_on = ml.Arange()(stop=steps).reshape((-1, 1)) < lengths
    return ml.Where()(ml.ExpandDims(axis=-1)(goes_on), x, padding)


TABLE: Table = table(
    (lstm, "lstm.input"),
    (open_recurrent, "mithril_export::open_recurrent"),
    (recurrent, "mithril_export::recurrent"),
    (pack, "mithril_export::pack"),
    (unpack, "mithril_export::unpack"),
)
