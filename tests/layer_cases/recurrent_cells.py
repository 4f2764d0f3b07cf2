from collections.abc import Iterator
from typing import Any

from layer_cases.case import Example, Input, Reference, examples, points, reference

CELL: dict[str, Input] = {"input": (2, 1, 3), "prev_hidden": (4, 1, 5), "output": (2, 1, 2)}
LSTM: dict[str, Input] = CELL | {"prev_cell": (4, 1, 5)}

EXAMPLES: dict[str, list[Example]] = {
    "GRUCell": examples(CELL | {"w_ih": (15, 3)}),
    "LSTMCell": examples(LSTM),
    "LSTMCellBody": examples(
        {"input": (2, 1, 3), "prev_hidden": (2, 1, 5), "prev_cell": (2, 1, 5)}
    ),
    "RNNCell": examples(CELL),
}

GATES = "ifco"  # PyTorch's order


def references(torch: Any) -> Iterator[Reference]:
    """A step of PyTorch's cell, and a linear layer on the new hidden state."""
    F = torch.nn.functional

    def gru(input: Any, prev_hidden: Any, w_out: Any, bias_out: Any, **p: Any) -> Any:
        hidden = torch.gru_cell(
            input[:, 0], prev_hidden[:, 0], p["w_ih"], p["w_hh"], p["bias_ih"], p["bias_hh"]
        )
        return F.linear(hidden[:, None], w_out, bias_out)

    def rnn(
        input: Any, prev_hidden: Any, w_ih: Any, w_hh: Any, bias_h: Any, w_ho: Any, bias_o: Any
    ) -> Any:
        hidden = torch.tanh(F.linear(input, w_ih, bias_h) + F.linear(prev_hidden, w_hh))
        return F.linear(hidden, w_ho, bias_o)

    def lstm(
        input: Any, prev_hidden: Any, prev_cell: Any, w_out: Any, bias_out: Any, **p: Any
    ) -> Any:
        weight = torch.cat([p["w_" + gate] for gate in GATES])
        bias = torch.cat([p["bias_" + gate] for gate in GATES])
        size = input.shape[-1]
        hidden, _ = torch.lstm_cell(
            input[:, 0],
            (prev_hidden[:, 0], prev_cell[:, 0]),
            weight[:, :size],
            weight[:, size:],
            bias,
            torch.zeros_like(bias),
        )
        return F.linear(hidden[:, None], w_out, bias_out)

    n, i, h, o = 3, 2, 4, 5
    state = {"prev_hidden": points(n, 1, h) - 0.5}
    out: dict[str, Input] = {"w_out": (o, h), "bias_out": (o,)}
    yield reference(
        "a step",
        "GRUCell",
        {},
        gru,
        {
            "input": (n, 1, i),
            "w_ih": (3 * h, i),
            "w_hh": (3 * h, h),
            "bias_ih": (3 * h,),
            "bias_hh": (3 * h,),
        }
        | out,
        state,
    )
    yield reference(
        "a step",
        "RNNCell",
        {},
        rnn,
        {
            "input": (n, 1, i),
            "w_ih": (h, i),
            "w_hh": (h, h),
            "bias_h": (h,),
            "w_ho": (o, h),
            "bias_o": (o,),
        },
        state,
    )
    gates: dict[str, Input] = {"w_" + gate: (h, i + h) for gate in GATES}
    gates |= {"bias_" + gate: (h,) for gate in GATES}
    yield reference(
        "a step",
        "LSTMCell",
        {},
        lstm,
        {"input": (n, 1, i)} | gates | out,
        state | {"prev_cell": points(n, 1, h) - 0.3},
    )
