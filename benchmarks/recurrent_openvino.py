"""The recurrent layers of benchmarks/recurrent.py in OpenVINO."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import openvino
import torch
from recurrent_onnx import onnx_model


def inference(layer: torch.nn.RNNBase, x: torch.Tensor, threads: int) -> Callable[[], np.ndarray]:
    options = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": "f32",
    }
    core = openvino.Core()
    model = core.compile_model(core.read_model(onnx_model(layer), b""), "CPU", options)
    request, data = model.create_infer_request(), x.numpy()
    return lambda: request.infer({0: data})[model.output(0)]
