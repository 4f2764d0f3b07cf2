"""Compares products of float32 by torch's BLAS with those by its oneDNN kernels.

Prints a line of JSON for each size: the least microseconds of many runs of a linear map (BLAS,
oneDNN, oneDNN with the weight packed) and of the gradients of its input and its weight.
backends/torch/rewrite/onednn.cpp chooses between both by these figures.
Usage: python benchmarks/torch_products.py [THREADS]
"""

import json
import sys
import time
from collections.abc import Callable

import torch

SIZES = [  # rows, inputs, outputs
    (1, 16, 16),
    (32, 64, 64),
    (4, 512, 10),
    (1, 256, 256),
    (1, 768, 3072),
    (64, 256, 10),
    (64, 256, 256),
    (64, 512, 256),
    (64, 784, 512),
    (128, 768, 768),
    (128, 768, 3072),
    (128, 3072, 768),
]


def timed(run: Callable[[], object], seconds: float = 0.3) -> float:
    run()
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        least = min(least, time.perf_counter() - begin)
    return round(least * 1e6, 1)


def onednn(left: torch.Tensor, right: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return torch.ops.mkldnn._linear_pointwise(left, right, bias, "none", [], None)


def runs_of(rows: int, inputs: int, outputs: int) -> dict[str, Callable[[], object]]:
    x, w = torch.randn(rows, inputs), torch.randn(outputs, inputs)
    b, grad = torch.randn(outputs), torch.randn(rows, outputs)
    packed = torch.ops.mkldnn._reorder_linear_weight(w, None)
    return {
        "linear": lambda: torch.nn.functional.linear(x, w, b),
        "linear, oneDNN": lambda: onednn(x, w, b),
        "linear, packed": lambda: onednn(x, packed, b),
        "input gradient": lambda: grad @ w,
        "input gradient, oneDNN": lambda: onednn(grad, w.t(), None),
        "weight gradient": lambda: grad.t() @ x,
        "weight gradient, oneDNN": lambda: onednn(grad.t(), x.t(), None),
    }


def main() -> None:
    torch.set_num_threads(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    with torch.inference_mode():
        for size in SIZES:
            rows, inputs, outputs = size
            times = {name: timed(run) for name, run in runs_of(*size).items()}
            operations = 2 * rows * inputs * outputs
            print(json.dumps({"size": size, "operations": operations, **times}), flush=True)


if __name__ == "__main__":
    main()
