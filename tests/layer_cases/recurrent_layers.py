from collections.abc import Iterator
from typing import Any

import numpy as np

from layer_cases.case import Example, Input, Reference, points, reference

STEPS, SAMPLES, INPUTS, HIDDEN = 3, 2, 4, 5
SEQUENCE: dict[str, Input] = {"input": (STEPS, SAMPLES, INPUTS)}
OPTIONS: list[tuple[dict[str, Any], dict[str, Input]]] = [
    ({}, {}),
    ({"num_layers": 2, "use_bias": False, "bidirectional": True}, {}),
    ({"num_layers": 2, "dropout": 0.25}, {}),
    ({"batch_first": True, "use_lengths": True}, {"lengths": np.array([2, 1, 4])}),
    ({"use_initial_state": True}, {"h_0": (1, SAMPLES, HIDDEN), "c_0": (1, SAMPLES, HIDDEN)}),
]


def of_layer(*more: dict[str, Any]) -> list[Example]:
    named = [*OPTIONS, *((options, {}) for options in more)]
    return [Example({"hidden_size": HIDDEN} | own, SEQUENCE | inputs) for own, inputs in named]


EXAMPLES: dict[str, list[Example]] = {
    "GRU": of_layer(),
    "LSTM": of_layer({"proj_size": 2, "bidirectional": True}),
    "RNN": of_layer({"nonlinearity": "relu"}),
}
GATES = {"GRU": 3, "LSTM": 4, "RNN": 1}


def weights(layer: str, width: int = HIDDEN, has_bias: bool = True) -> dict[str, Input]:
    """The shapes of the parameters of one layer in two directions."""
    rows = GATES[layer] * HIDDEN
    shapes: dict[str, Input] = {"weight_ih_l0": (rows, INPUTS), "weight_hh_l0": (rows, width)}
    if has_bias:
        shapes |= {"bias_ih_l0": (rows,), "bias_hh_l0": (rows,)}
    if width < HIDDEN:
        shapes["weight_hr_l0"] = (width, HIDDEN)
    return shapes | {key + "_reverse": shape for key, shape in shapes.items()}


def references(torch: Any) -> Iterator[Reference]:
    """PyTorch's layers in two directions."""

    def run(layer: str, input: Any, h_0: Any, c_0: Any, **params: Any) -> Any:
        made = getattr(torch.nn, layer)(
            INPUTS,
            HIDDEN,
            bias="bias_ih_l0" in params,
            bidirectional=True,
            **({"proj_size": h_0.shape[-1]} if h_0.shape[-1] < HIDDEN else {}),
        ).double()
        state = (h_0, c_0) if layer == "LSTM" else h_0
        return torch.func.functional_call(made, params, (input, state))[0]

    for layer in GATES:
        widths = [HIDDEN, 2] if layer == "LSTM" else [HIDDEN]
        for width in widths:
            for has_bias in (True, False):
                data = {"h_0": points(2, SAMPLES, width) - 0.5}
                if layer == "LSTM":
                    data["c_0"] = points(2, SAMPLES, HIDDEN) - 0.3
                arguments: dict[str, Any] = {
                    "hidden_size": HIDDEN,
                    "bidirectional": True,
                    "use_initial_state": True,
                    "use_bias": has_bias,
                }
                if width < HIDDEN:
                    arguments["proj_size"] = width
                yield reference(
                    ("projected, " if width < HIDDEN else "")
                    + ("with biases" if has_bias else "without biases"),
                    layer,
                    arguments,
                    lambda input, h_0, c_0=None, layer=layer, **params: run(
                        layer, input, h_0, c_0, **params
                    ),
                    SEQUENCE | weights(layer, width, has_bias),
                    data,
                )
