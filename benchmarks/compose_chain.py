"""The overhead of Python: importing, composing a chain of n x (Linear, Relu), evaluating one op.

Prints JSON. Usage: python benchmarks/compose_chain.py [N], in a process of its own. Beside it,
`compose_chain N` prints what the same chain costs in C++.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np

import mithril as ml

# Twice, since the first process may have to read the files from the disk.
_IMPORT = (
    "import numpy, time; t = time.perf_counter(); import mithril; print(time.perf_counter() - t)"
)


def import_seconds() -> float:
    """The time of `import mithril` if NumPy is already imported."""
    times = [
        float(
            subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, check=True).stdout
        )
        for _ in range(3)
    ]
    return min(times)


def compose(n: int) -> dict[str, float]:
    """Measures the microseconds per layer."""
    start = time.perf_counter()
    net = ml.Model()
    net |= ml.Linear(dimension=64)(input="x")
    net += ml.Relu()
    for _ in range(n - 1):
        net += ml.Linear(dimension=64)
        net += ml.Relu()
    composed = time.perf_counter()
    net.set_shapes({"x": ["N", 64]})
    x = ml.IOKey("x")
    middle = time.perf_counter()
    for _ in range(n):
        x = ml.Relu()(ml.Linear(dimension=64)(x))
    ml.Model.create(output=x)
    end = time.perf_counter()
    return {
        "chained_us": (composed - start) / n * 1e6,
        "expression_us": (end - middle) / n * 1e6,
    }


def evaluate() -> float:
    """Measures the microseconds that a model of one op takes on an array of one number."""
    model = ml.Model()
    model |= ml.Relu()(input="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [1]}, data_keys={"x"})
    data = {"x": np.ones(1, dtype=np.float32)}
    compiled.evaluate({}, data)
    repeats, times = 2000, []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(repeats):
            compiled.evaluate({}, data)
        times.append((time.perf_counter() - start) / repeats * 1e6)
    return statistics.median(times)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    figures = {"import_ms": import_seconds() * 1e3, **compose(n), "evaluate_us": evaluate()}
    print(json.dumps({"layers": n, **{name: round(value, 2) for name, value in figures.items()}}))


if __name__ == "__main__":
    main()
