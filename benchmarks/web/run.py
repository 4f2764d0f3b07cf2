"""Compares generated JavaScript and WebAssembly with native code on one thread.

Native is the CPU backend with portable kernels, whose vectors have 16 bytes. Prints a Markdown
table: the least time of a call in milliseconds.
Usage: python benchmarks/web/run.py [--rounds N] [--chromium] [WORKLOAD ...]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mithril as ml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "python" / "tests"))
TURN = 0.3  # seconds per measurement


def mlp(*, training: bool = False) -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(256)(input="x")
    model += ml.Relu()
    model += ml.Linear(10)(output="y")
    if training:
        model |= ml.CrossEntropy()(input="y", target="label", output="losses")
        model |= ml.Mean()(input="losses", output="loss")
    return model


def lenet() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=6, kernel_size=5, padding=2)(input="x")
    for part in (
        [ml.Relu(), ml.MaxPool2D(2), ml.Conv2d(filters=16, kernel_size=5), ml.Relu()],
        [ml.MaxPool2D(2), ml.Flatten(start_dim=1), ml.Linear(120), ml.Relu()],
        [ml.Linear(84), ml.Relu()],
    ):
        for number in part:
            model += number
    model += ml.Linear(10)(output="y")
    return model


def product() -> ml.Model:
    model = ml.Model()
    model |= ml.MatrixMultiply()(left="x", right="w", output="y")
    return model


WORKLOADS: dict[str, tuple[Callable[[], ml.Model], dict[str, list[int]]]] = {
    "MLP 64-256-10, batch 32": (mlp, {"x": [32, 64]}),
    "LeNet, batch 1": (lenet, {"x": [1, 1, 28, 28]}),
    "product 512 x 512 x 512": (product, {"x": [512, 512], "w": [512, 512]}),
    "training step of the MLP": (lambda: mlp(training=True), {"x": [32, 64], "label": [32]}),
}


def data_of(shapes: dict[str, list[int]]) -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {
        key: random.integers(0, 10, shape)
        if key == "label"
        else random.standard_normal(shape).astype(np.float32)
        for key, shape in shapes.items()
    }


def least_time(call: Callable[[], Any], rounds: int) -> float:
    """Returns the least time of a call in milliseconds."""
    call()
    best = float("inf")
    for _ in range(rounds):
        end = time.perf_counter() + TURN
        while (began := time.perf_counter()) < end:
            call()
            best = min(best, time.perf_counter() - began)
    return best * 1e3


def compiled_for(name: str) -> ml.CompiledModel:
    make, shapes = WORKLOADS[name]
    return ml.compile(make(), ml.CpuBackend(threads=1), shapes=shapes, data_keys={*shapes})


def native(name: str, rounds: int) -> float:
    compiled, data = compiled_for(name), data_of(WORKLOADS[name][1])
    params = compiled.randomize_params(0)
    if "label" not in data:
        return least_time(lambda: compiled.evaluate(params, data), rounds)
    step = ml.TrainingStep(compiled, ml.Adam(lr=1e-3), output_gradients={"loss": 1.0})
    return least_time(lambda: step(params, data), rounds)


def web_times(name: str, target: str, rounds: int, folder: Path, chromium: bool) -> float:
    compiled, (_, shapes) = compiled_for(name), WORKLOADS[name]
    (ml.to_wasm if target == "wasm" else ml.to_javascript)(compiled, folder)
    ml.save(folder / "weights.safetensors", compiled.randomize_params(0))
    arguments = json.dumps({"shapes": shapes, "rounds": rounds, "turn": TURN * 1e3})
    (folder / "time.mjs").write_text((HERE / "time.mjs").read_text(), encoding="utf-8")
    if chromium:
        from test_web_chromium import POST, visit  # noqa: PLC0415

        (folder / "index.html").write_text(
            '<script type="module">import { measure } from "./time.mjs";'
            f'{POST} const file = await fetch("weights.safetensors").then((r) => r.arrayBuffer());'
            f'await post(await measure(await import("./model.mjs"), file, {arguments}));</script>',
            encoding="utf-8",
        )
        found: float = visit(folder, "index.html", folder / "page.png")
        return found
    script = (
        'import { readFile } from "node:fs/promises"; import { measure } from "./time.mjs";'
        'const module = await import("./model.mjs");'
        'const file = await readFile("weights.safetensors");'
        f"console.log(await measure(module, file, {arguments}));"
    )
    command = ["node", "--input-type=module", "-e", script]
    made = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return float(made.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chromium", action="store_true")
    given = parser.parse_args()
    os.environ["MITHRIL_INSTRUCTIONS"] = "portable"
    heads = ["CPU backend, portable", "WebAssembly in Node", "JavaScript in Node"]
    heads += ["WebAssembly in Chromium", "JavaScript in Chromium"] if given.chromium else []
    print("| milliseconds |", " | ".join(heads), "|")
    print("|---" * (len(heads) + 1) + "|")
    for name in given.workloads or WORKLOADS:
        times = [native(name, given.rounds)]
        for chromium in [False, True][: 1 + given.chromium]:
            for target in ("wasm", "javascript"):
                with tempfile.TemporaryDirectory() as folder:
                    made = Path(folder, "model")
                    made.mkdir()
                    times.append(web_times(name, target, given.rounds, made, chromium))
        print(f"| {name} |", " | ".join(f"{time:.3f}" for time in times), "|", flush=True)


if __name__ == "__main__":
    main()
