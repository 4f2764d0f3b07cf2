"""Conversion of LSTMs for `ml.from_torch`, step by step. Torch's decomposition returns states of
another shape; it serves for the other recurrent layers."""

from __future__ import annotations

from typing import Any

from . import models as ml
from ._core import Connection
from .from_torch_layers import dropout
from .from_torch_shapes import swap
from .from_torch_table import Site, Table, refuse_if, table


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
    at: Site,
) -> Any:
    """The outputs of the last layer, and the last states [layers * directions, N, size]."""
    x = swap(input, 0, 1) if batch_first else input
    directions = 2 if bidirectional else 1
    each = len(params) // (num_layers * directions)
    hidden, cells = [], []
    for layer in range(num_layers):
        outputs = []
        for i in range(layer * directions, (layer + 1) * directions):
            weights = params[i * each : (i + 1) * each]
            backwards = i % directions == 1
            start = (hx[0][i], hx[1][i])
            output, h, c = one_direction(x, start, weights, has_biases, backwards)
            outputs.append(output)
            hidden.append(h)
            cells.append(c)
        x = ml.Concat(axis=-1)(outputs) if bidirectional else outputs[0]
        if layer < num_layers - 1:
            x = dropout(x, dropout_p, train, at=at)
    return swap(x, 0, 1) if batch_first else x, stacked(hidden), stacked(cells)


def one_direction(x: Any, start: Any, weights: Any, has_biases: bool, backwards: bool) -> Any:
    """Outputs [L, N, size], and the last states [N, size]."""
    length = (x.dims or [None])[0]
    refuse_if(length is None, "of an open length")
    to_gates, from_hidden, *rest = weights
    biases = rest[:2] if has_biases else []
    projection = rest[2 * has_biases :]  # of proj_size
    gates = x @ to_gates.T
    for bias in biases:
        gates = gates + bias
    h, c = start
    outputs = []
    order = range(length or 0)
    for i in reversed(order) if backwards else order:
        parts = gates[i] + h @ from_hidden.T
        enter, keep, new, leave = ml.PrimitiveSplit(sizes=(parts.dims[-1] // 4,) * 4, axis=-1)(
            parts
        )
        c = ml.Sigmoid()(keep) * c + ml.Sigmoid()(enter) * ml.Tanh()(new)
        h = ml.Sigmoid()(leave) * ml.Tanh()(c)
        h = h @ projection[0].T if projection else h
        outputs.append(h)
    return stacked(outputs[::-1] if backwards else outputs), h, c


def stacked(steps: list[Any]) -> Any:
    rows = [ml.ExpandDims(axis=0)(each) for each in steps]
    return ml.Concat(axis=0)(rows) if len(rows) > 1 else rows[0]


TABLE: Table = table((lstm, "lstm.input"))
