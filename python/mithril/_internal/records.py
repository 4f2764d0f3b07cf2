"""The records of the classes of the library, and the examples in their docstrings."""

from typing import Any

from .. import _core

# For the examples in docstrings: bindings of ports, and arguments without defaults.
EXAMPLE_KEYS = {
    "input": "x",
    "left": "x",
    "query": "x",
    "pred": "p",
    "target": "t",
    "label": "t",
    "output": "y",
}
EXAMPLE_ARGUMENTS: dict[str, Any] = {
    "activation": "Relu",
    "activations": ["Relu", "Tanh"],
    "axis": 0,
    "base_model": "MDSCore",
    "cell_type": "LSTMCell",
    "degree": 2,
    "dimension": 64,
    "dimensions": [64, 10],
    "downscale_factor": 2,
    "filters": 8,
    "hidden_size": 32,
    "kernel": "RBFKernel",
    "kernel_size": 3,
    "max_input_sequence_length": 5,
    "max_sequence_length": 5,
    "max_target_sequence_length": 5,
    "n_classes": 10,
    "num_classes": 10,
    "num_heads": 4,
    "out_channels": 8,
    "output_size": 7,
    "prediction_dim": 2,
    "split_size": 2,
    "upscale_factor": 2,
}
# Arguments of examples that could be left out: sizes that are inferred then.
SHOWN_ARGUMENTS = {"filters", "kernel_size", "out_channels"}
EXAMPLE_LISTS: dict[str, Any] = {"input": ["x1", "x2"], "index": [0], "output": ["y1", "y2"]}


def public_records() -> list[dict[str, Any]]:
    """The records of the classes. An internal op is made by gradients and passes only."""
    return [record for record in _core.library() if not record.get("internal")]


def port_text(port: dict[str, str]) -> str:
    """Returns a port of an op as its record states it, such as "input: [N *s] T=number"."""
    shape = f"[{port['shape']}] " if port["shape"] else ""
    return f"{port['name']}: {shape}{port['type']}"
