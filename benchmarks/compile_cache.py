"""Measures the savings of compile(..., cache=True): a transformer of 24 blocks, a chain of layers.

Prints JSON. Usage: python benchmarks/compile_cache.py [LAYERS]. Each figure is the median of five
processes, in milliseconds of processor time, on which other processes have little effect. One
figure is the time of `compile`. The other is the time by which the first evaluation with gradients
exceeds the second: it makes the graph of the gradient and its plan. The models run on the CPU, with
sizes so small that the computation hardly counts.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import mithril as ml

BLOCKS, HEADS, TOKENS, WIDTH = 24, 2, 2, 4
PROCESSES = 5


def block(x: ml.Connection) -> ml.Connection:
    def split(part: ml.Connection) -> ml.Connection:
        return part.reshape((-1, TOKENS, HEADS, WIDTH // HEADS)).transpose((0, 2, 1, 3))

    normed = ml.LayerNorm()(x)
    q, k, v = (split(ml.Linear(WIDTH)(normed)) for _ in range(3))
    scores = ml.Softmax()((q @ k.transpose((0, 1, 3, 2))) / (WIDTH // HEADS) ** 0.5)
    x = x + ml.Linear(WIDTH)((scores @ v).transpose((0, 2, 1, 3)).reshape((-1, TOKENS, WIDTH)))
    return x + ml.Linear(WIDTH)(ml.Gelu()(ml.Linear(4 * WIDTH)(ml.LayerNorm()(x))))


def transformer() -> ml.Model:
    y = ml.IOKey("x")
    for _ in range(BLOCKS):
        y = block(y)
    return ml.Model.create(y=y)


def chain(layers: int) -> ml.Model:
    y = ml.IOKey("x")
    for _ in range(layers):
        y = ml.Relu()(ml.Linear(1)(y))
    return ml.Model.create(y=y)


def measure(layers: int, cache: bool) -> None:
    """Measures a chain, or the transformer if `layers` is 0."""
    model = chain(layers) if layers else transformer()
    shape = [None, 1] if layers else [None, TOKENS, WIDTH]
    start = time.process_time()
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": shape}, cache=cache)
    took = [time.process_time() - start]
    params = compiled.get_parameters()
    x = np.ones([1, *shape[1:]], np.float32)
    for _ in range(2):
        start = time.process_time()
        compiled.evaluate(params, {"x": x}, {"y": x})
        took.append(time.process_time() - start)
    print(json.dumps([took[0] * 1e3, (took[1] - took[2]) * 1e3]))


def in_a_process(layers: int, cache: bool, folder: str) -> list[float]:
    command = [sys.executable, __file__, str(layers), str(cache)]
    environment = {**os.environ, "MITHRIL_CACHE_DIR": folder}
    run = subprocess.run(command, env=environment, capture_output=True, check=True)
    return list(json.loads(run.stdout))


def report(layers: int) -> dict[str, dict[str, float]]:
    without, first, later = [], [], []
    for _ in range(PROCESSES):
        with tempfile.TemporaryDirectory() as folder:
            without.append(in_a_process(layers, False, folder))
            first.append(in_a_process(layers, True, folder))
            later.append(in_a_process(layers, True, folder))
    return {
        name: {
            "compile_ms": round(statistics.median(run[0] for run in runs), 1),
            "first_gradient_ms": round(statistics.median(run[1] for run in runs), 1),
        }
        for name, runs in (("without", without), ("first", first), ("later", later))
    }


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(int(sys.argv[1]), sys.argv[2] == "True")
    else:
        layers = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
        print(
            json.dumps({"transformer": report(0), f"chain of {layers}": report(layers)}, indent=2)
        )
