"""The recurrent layers of PyTorch as models of ONNX, for benchmarks/recurrent.py."""

from __future__ import annotations

import numpy as np
import torch
from onnx import TensorProto, helper, numpy_helper

# The gates of PyTorch in the order of ONNX: i f g o to i o f g, and r z n to z r n.
ORDER = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}


def onnx_model(layer: torch.nn.RNNBase) -> bytes:
    """An op of ONNX for each layer. The length of the sequence is open."""
    kind, hidden = layer.mode, layer.hidden_size
    nodes, constants = [], [numpy_helper.from_array(np.array([1]), "direction")]

    def ordered(name: str, k: int) -> np.ndarray:
        gates = getattr(layer, f"{name}_l{k}").detach().numpy()
        return np.concatenate([gates.reshape(-1, hidden, *gates.shape[1:])[i] for i in ORDER[kind]])

    value = "x"
    for k in range(layer.num_layers):
        biases = np.concatenate([ordered("bias_ih", k), ordered("bias_hh", k)])
        weights = {"W": ordered("weight_ih", k), "R": ordered("weight_hh", k), "B": biases}
        constants += [numpy_helper.from_array(w[None], f"{key}{k}") for key, w in weights.items()]
        options = {"linear_before_reset": 1} if kind == "GRU" else {}
        inputs = [value, f"W{k}", f"R{k}", f"B{k}"]
        nodes.append(helper.make_node(kind, inputs, [f"all{k}"], hidden_size=hidden, **options))
        value = f"y{k}"
        nodes.append(helper.make_node("Squeeze", [f"all{k}", "direction"], [value]))
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["T", "N", size])
        for name, size in (("x", layer.input_size), (value, hidden))
    ]
    graph = helper.make_graph(nodes, "recurrent", ports[:1], ports[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    serialized: bytes = model.SerializeToString()
    return serialized
