"""Loading a compressed .npz file, beside NumPy: medians in milliseconds.

`noise` has normal floats, `halves` the same with 16 bits of zeros each, `equal` one value.

    PYTHONPATH=build/release/python .venv/bin/python benchmarks/load_npz.py [MEGABYTES]
"""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import mithril as ml

ROUNDS = 5


def with_numpy(path):
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def milliseconds(load, path):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        loaded = load(path)
        times.append(1000 * (time.perf_counter() - start))
        del loaded
    return round(statistics.median(times), 1)


def main():
    count = round(float((sys.argv[1:] or ["100"])[0]) * 1e6 / 4)
    noise = np.random.default_rng(0).normal(0, 0.02, count).astype(np.float32)
    halves = (noise.view(np.uint32) & 0xFFFF0000).view(np.float32)
    arrays = {"noise": noise, "halves": halves, "equal": np.full(count, 0.5, np.float32)}
    with tempfile.TemporaryDirectory() as folder:
        for name, array in arrays.items():
            path = Path(folder) / "arrays.npz"
            np.savez_compressed(path, w=array)
            figures = {
                "of_size": round(path.stat().st_size / array.nbytes, 2),
                "mithril": milliseconds(lambda path: ml.load(path).params, path),
                "numpy": milliseconds(with_numpy, path),
            }
            print(json.dumps({"arrays": name, **figures}))


if __name__ == "__main__":
    main()
