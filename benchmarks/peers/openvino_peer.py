"""OpenVINO, from the exported file: one stream, and float32 unless it may decide itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino

from benchmarks.peers.variants import Loaded, Variant

VERSION = openvino.__version__.split("-")[0]


def load(name: str, variant: Variant, threads: int, folder: Path) -> Callable[[], Loaded]:
    inputs = dict(np.load(folder / "inputs.npz"))
    options: dict[str, object] = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
    }
    if not variant.has("bfloat16"):
        options["INFERENCE_PRECISION_HINT"] = "f32"

    def loaded() -> Loaded:
        model = openvino.Core().compile_model(str(folder / "model.onnx"), "CPU", options)
        request = model.create_infer_request()
        for key, array in inputs.items():
            request.set_tensor(key, openvino.Tensor(array, shared_memory=True))
        # The binding itself: no copy of the outputs into a dict with every call.
        plain: Any = super(type(request), request)
        return Loaded(
            lambda: plain.infer({}, True, False),
            lambda _: request.get_output_tensor(0).data.copy(),
            held=(model, inputs),
        )

    return loaded
