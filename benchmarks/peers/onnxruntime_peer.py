"""ONNX Runtime, from the exported file, with inputs and result in memory that stays."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime

from benchmarks.peers.variants import Loaded, Variant

VERSION = onnxruntime.__version__


def load(name: str, variant: Variant, threads: int, folder: Path) -> Callable[[], Loaded]:
    inputs = dict(np.load(folder / "inputs.npz"))
    shape = np.load(folder / "ref.npz")["out"].shape

    def loaded() -> Loaded:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        out = np.empty(shape, np.float32)
        binding = session.io_binding()
        for key, array in inputs.items():
            binding.bind_cpu_input(key, array)
        binding.bind_output("out", "cpu", 0, np.float32, out.shape, out.ctypes.data)
        return Loaded(lambda: session.run_with_iobinding(binding), lambda _: out, held=inputs)

    return loaded
