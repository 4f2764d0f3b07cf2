"""Memory of a bound package of the size of BERT-base, with random weights.

    python benchmarks/package_memory.py [cpu|torch|mapped]

Each measurement is a fresh process: load_package, compile and one evaluation of 16 tokens. It
prints the growth of the peak of the resident memory (VmHWM) since the libraries were loaded, and
its factor to the bytes of the weights. "mapped": the CPU backend with bind=False.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from mithril.architectures import bert

import mithril as ml

KINDS = ["cpu", "mapped", "torch"]
TOKENS = np.arange(16).reshape(1, 16)
DATA = {"input_ids": TOKENS, "token_type_ids": TOKENS * 0, "attention_mask": TOKENS >= 0}


def megabytes(field: str) -> int:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split(f"{field}:")[1].split()[0]) // 1024


def write(path: Path) -> None:
    model = bert.bert(bert.Config())
    params = ml.compile(model, ml.CpuBackend(), inference=True).get_parameters(seed=0)
    ml.save_package(path, model, params)


def measure(kind: str, path: Path) -> None:
    backend = ml.TorchBackend() if kind == "torch" else ml.CpuBackend()
    small = ml.compile(ml.Linear(4), backend, shapes={"input": [1, 4]})
    small.evaluate(small.get_parameters(), {"input": backend.zeros(1, 4)})  # loads the libraries
    before = megabytes("VmRSS")
    package = ml.load_package(path)
    compiled = package.compile(backend, bind=kind != "mapped")
    compiled.evaluate(package.params if kind == "mapped" else {}, DATA)
    grown = megabytes("VmHWM") - before
    weights = package.info.sizes["parameter_bytes"] / 2**20
    print(
        f"{kind}: {grown} MiB of {weights:.0f} MiB of weights, {grown / weights:.2f} times; "
        f"at the end {megabytes('VmRSS') - before} MiB"
    )


def main() -> None:
    if len(sys.argv) == 3:
        measure(sys.argv[1], Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory(prefix="mithril_") as folder:
        path = Path(folder, "bert")
        write(path)
        for kind in sys.argv[1:] or KINDS:
            subprocess.run([sys.executable, __file__, kind, path], check=True)


if __name__ == "__main__":
    main()
