"""Loading a safetensors file: time and peak memory, beside reading the file once.

Each measurement is a process of its own; the file is in the cache of the system. `mithril` loads
the file and reads an element of each page, so that no page is left on the disk. `read` reads the
file into a buffer of 1 MiB, again and again. `package` is safetensors.numpy.load_file.

    PYTHONPATH=build/release/python .venv/bin/python benchmarks/load_safetensors.py [MEGABYTES]
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import safetensors.numpy

import mithril as ml

ROUNDS = 7
PAGE = 4096


def peak():
    """Returns the peak memory of the process in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def read_once(path):
    buffer = bytearray(1 << 20)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def touch(arrays):
    return sum(int(array.reshape(-1).view(np.uint8)[::PAGE].sum()) for array in arrays.values())


def measure(way, path):
    """Returns the seconds and bytes that one way of reading takes in this process."""
    ways = {
        "read": lambda: read_once(path),
        "mithril": lambda: touch(ml.load_safetensors(path)),
        "package": lambda: touch(safetensors.numpy.load_file(path)),
    }
    read_once(path)
    before = peak()
    start = time.perf_counter()
    ways[way]()
    return time.perf_counter() - start, peak() - before


def write(path, megabytes):
    side = 1250  # 6.25 MB each
    arrays = {
        f"layers.{i}.weight": np.full((side, side), i, np.float32)
        for i in range(round(megabytes * 1e6 / (4 * side * side)))
    }
    ml.save_safetensors(path, arrays)


def main():
    if sys.argv[1] == "--measure":
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        write(path, float(sys.argv[1]))
        size = path.stat().st_size
        found = {}
        for _ in range(ROUNDS):
            for way in ("read", "mithril", "package"):
                command = [sys.executable, __file__, "--measure", way, str(path)]
                run = subprocess.run(command, check=True, capture_output=True, text=True)
                found.setdefault(way, []).append(json.loads(run.stdout))
        for way, results in found.items():
            seconds = statistics.median(result[0] for result in results)
            memory = statistics.median(result[1] for result in results)
            line = {"way": way, "milliseconds": round(1000 * seconds, 1)}
            print(json.dumps({**line, "peak_of_file_size": round(memory / size, 3)}))


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[1:] or ["500"]
    main()
