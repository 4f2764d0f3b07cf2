"""The recurrent layers of benchmarks/recurrent.py in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnxruntime
import torch
from recurrent_onnx import onnx_model


def inference(layer: torch.nn.RNNBase, x: torch.Tensor, threads: int) -> Callable[[], np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(
        onnx_model(layer), options, providers=["CPUExecutionProvider"]
    )
    data = {"x": x.numpy()}
    return lambda: session.run(None, data)[0]
