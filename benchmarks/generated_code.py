"""Compares generated C++ with the CPU backend, both on one thread.

Writes each workload with ml.codegen, compiles it with each compiler that is here, and calls the
backend and the libraries in turn. Prints a Markdown table: the least time of a call in
milliseconds, and each compiler's as a multiple of the backend's. The backend is called from Python,
which takes about 10 microseconds. Results that differ from the backend's by more than 1e-4 of the
largest element are an error.
Usage: python benchmarks/generated_code.py [--rounds N] [--flags "-O2"] [WORKLOAD ...]
"""

import argparse
import ctypes
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

import mithril as ml

EXAMPLES = Path(__file__).parents[1] / "examples" / "python"
WIDTH, HEADS, TOKENS, VOCABULARY, LAYERS = 128, 4, 64, 96, 4
TURN = 0.02  # seconds per measurement; contenders alternate


def attention(x: ml.Connection, mask: ml.Connection | None) -> ml.Connection:
    together = ml.Linear(3 * WIDTH)(input=x)
    query, key, value = (
        together[..., first : first + WIDTH]
        .reshape((x.shape[0], x.shape[1], HEADS, WIDTH // HEADS))
        .transpose((0, 2, 1, 3))
        for first in (0, WIDTH, 2 * WIDTH)
    )
    ports = {"query": query, "key": key, "value": value}
    if mask is None:
        mixed = ml.ScaledDotProduct(is_causal=True)(**ports)
    else:
        mixed = ml.ScaledDotProduct(use_attn_mask=True)(**ports, attn_mask=mask)
    joined = mixed.transpose((0, 2, 1, 3)).reshape((x.shape[0], x.shape[1], WIDTH))
    output: ml.Connection = ml.Linear(WIDTH)(input=joined)
    return output


def gpt(masked: bool = False, approximate: bool = True) -> ml.Model:
    tokens = ml.IOKey("tokens", type=ml.Tensor[int], shape=["N", TOKENS])
    mask = ml.IOKey("mask", shape=[TOKENS, TOKENS]) if masked else None
    x = ml.Embedding(VOCABULARY, dim=WIDTH)(input=tokens)
    x = x + ml.Embedding(TOKENS, dim=WIDTH)(input=ml.Arange()(stop=tokens.shape[1]))
    for _ in range(LAYERS):
        x = x + attention(ml.LayerNorm()(input=x), mask)
        wide = ml.Linear(4 * WIDTH)(input=ml.LayerNorm()(input=x))
        x = x + ml.Linear(WIDTH)(input=ml.Gelu(approximate=approximate)(input=wide))
    x = ml.LayerNorm()(input=x)
    return ml.Model.create(logits=ml.Linear(VOCABULARY, use_bias=False)(input=x))


def mlp() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(512)(input="image")
    net += ml.Relu()
    net += ml.Linear(256)
    net += ml.Relu()
    net += ml.Linear(10)(output="logits")
    return net


def cnn() -> ml.Model:
    """The network of examples/python/train_digits.py."""
    sys.path.insert(0, str(EXAMPLES))
    net: ml.Model = import_module("train_digits").network()
    return net


def residual() -> ml.Model:
    """Two blocks of a ResNet, whose batch norms are folded into the convolutions."""
    x = ml.IOKey("image", shape=["N", 64, 56, 56])
    for _ in range(2):
        y = ml.Relu()(input=ml.Conv2d(filters=64, kernel_size=3, padding=1)(input=x))
        x = ml.Relu()(input=ml.Conv2d(filters=64, kernel_size=3, padding=1)(input=y) + x)
    return ml.Model.create(logits=x)


@dataclass(frozen=True)
class Workload:
    build: Callable[[], ml.Model]
    shapes: dict[str, list[int]]
    gradient: bool = False

    def data(self) -> dict[str, np.ndarray]:
        # With seed 1 an input of a Relu is 2e-7: its gradient depends on rounding.
        random = np.random.default_rng(3)
        made: dict[str, np.ndarray] = {}
        for key, shape in self.shapes.items():
            if key == "tokens":
                made[key] = random.integers(0, VOCABULARY, shape)
            elif key == "mask":
                made[key] = np.where(np.tri(TOKENS), 0.0, -np.inf).astype(np.float32)
            else:
                made[key] = random.standard_normal(shape, dtype=np.float32)
        return made


def text(batch: int) -> dict[str, list[int]]:
    return {"tokens": [batch, TOKENS]}


WORKLOADS = {
    "GPT, batch 16": Workload(gpt, text(16)),
    "GPT, batch 1": Workload(gpt, text(1)),
    "GPT, batch 16, gradient": Workload(gpt, text(16), gradient=True),
    "MLP, batch 1": Workload(mlp, {"image": [1, 784]}),
    "MLP, batch 64": Workload(mlp, {"image": [64, 784]}),
    "MLP, batch 64, gradient": Workload(mlp, {"image": [64, 784]}, gradient=True),
    "digits CNN, batch 1": Workload(cnn, {"image": [1, 1, 8, 8]}),
    "digits CNN, batch 32": Workload(cnn, {"image": [32, 1, 8, 8]}),
    "digits CNN, batch 32, gradient": Workload(cnn, {"image": [32, 1, 8, 8]}, gradient=True),
    "ResNet blocks": Workload(residual, {"image": [1, 64, 56, 56]}),
    "ResNet blocks, gradient": Workload(residual, {"image": [1, 64, 56, 56]}, gradient=True),
    "GPT, batch 16, mask as an input": Workload(
        lambda: gpt(masked=True), text(16) | {"mask": [TOKENS, TOKENS]}
    ),
    "GPT, batch 16, exact gelu": Workload(lambda: gpt(approximate=False), text(16)),
}


class Library:
    """A compiled generated file."""

    def __init__(self, source: Path, compiler: str, flags: str) -> None:
        self._text = source.read_text()
        self._name = source.stem
        library = source.with_suffix(f".{compiler}.so")
        command = [compiler, *flags.split(), "-std=c++17", "-shared", "-fPIC"]
        subprocess.run([*command, str(source), "-o", str(library)], check=True)
        self._loaded = ctypes.CDLL(str(library))

    def _members(self, struct: str) -> list[tuple[str, list[int]]]:
        """The key and the dims of each member, in order."""
        found = re.search(rf"typedef struct {self._name}_{struct} {{\n(.*?)\n}}", self._text, re.S)
        assert found, struct
        members = []
        for line in found[1].splitlines():
            note = re.search(r"// (?:.* )?(\S+) \[(.*)\]$", line)
            assert note, line
            dims = [int(dim.split("=")[-1]) for dim in note[2].split(", ") if dim]
            members.append((note[1], dims))
        return members

    def caller(
        self,
        given: dict[str, np.ndarray],
        output_gradients: dict[str, np.ndarray] | None,
    ) -> tuple[Callable[[], None], dict[str, np.ndarray]]:
        """Returns a function that calls it, and the arrays of its results."""
        results: dict[str, np.ndarray] = {}

        def filled(struct: str, arrays: dict[str, np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
            made = [
                arrays[key].ctypes.data if key in arrays else 0 for key, _ in self._members(struct)
            ]
            return (ctypes.c_void_p * len(made))(*made)

        def fresh(struct: str, prefix: str = "") -> ctypes.Array[ctypes.c_void_p]:
            arrays = {key: np.empty(dims, np.float32) for key, dims in self._members(struct)}
            results.update({prefix + key: array for key, array in arrays.items()})
            return filled(struct, arrays)

        inputs, outputs = filled("inputs", given), fresh("outputs")
        name, structs = f"{self._name}_evaluate", [inputs, outputs]
        if output_gradients is not None:
            name += "_gradients"
            changes = filled("output_gradients", output_gradients)
            structs = [inputs, changes, outputs, fresh("gradients", "gradient of ")]
        size = getattr(self._loaded, name.replace("_evaluate", "") + "_workspace_bytes")
        size.restype = ctypes.c_size_t
        workspace = np.empty(size() + 64, np.uint8)
        aligned = ctypes.c_void_p(workspace.ctypes.data + -workspace.ctypes.data % 64)
        function = getattr(self._loaded, name)
        function.restype = ctypes.c_char_p
        kept_alive = (given, output_gradients, results, workspace)

        def call() -> None:
            problem = function(*structs, aligned)
            if problem:
                raise RuntimeError(problem.decode())
            assert kept_alive

        return call, results


def check(got: dict[str, np.ndarray], expected: dict[str, np.ndarray], what: str) -> None:
    for key, value in expected.items():
        apart = float(np.max(np.abs(got[key] - value), initial=0.0))
        largest = float(np.max(np.abs(value), initial=0.0))
        if not apart <= 1e-4 * largest:
            sys.exit(f"{what}: {key} differs by {apart} where the largest element is {largest}")


def turn(call: Callable[[], object]) -> float:
    """The minimum time of one call, in milliseconds."""
    least, end = float("inf"), time.perf_counter() + TURN
    while True:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        least = min(least, now - start)
        if now > end:
            return least * 1e3


@dataclass
class Contest:
    """A workload on the backend and as generated code."""

    name: str
    workload: Workload

    def __post_init__(self) -> None:
        self._data = self.workload.data()
        self._compiled = ml.compile(
            self.workload.build(),
            ml.CpuBackend(threads=1),
            shapes=self.workload.shapes,
            data_keys=set(self._data),
            inference=not self.workload.gradient,
        )
        initial = self._compiled.get_parameters()
        self._params = {key: np.asarray(value) for key, value in initial.items()}
        self._output_gradients: dict[str, np.ndarray] | None = None
        if self.workload.gradient:
            logits = np.asarray(self._compiled.evaluate(self._params, self._data)["logits"])
            random = np.random.default_rng(2)
            change = random.standard_normal(logits.shape, dtype=np.float32)
            self._output_gradients = {"logits": change}

    def backend(self) -> dict[str, np.ndarray]:
        if self._output_gradients is None:
            outputs = self._compiled.evaluate(self._params, self._data)
            return {"logits": np.asarray(outputs["logits"])}
        outputs, gradients = self._compiled.evaluate(
            self._params, self._data, output_gradients=self._output_gradients
        )
        results = {"logits": np.asarray(outputs["logits"])}
        return results | {f"gradient of {key}": np.asarray(g) for key, g in gradients.items()}

    def generated(self, compilers: list[str], flags: str, folder: Path) -> list[Callable[[], None]]:
        """The calls of each compiler's code; their results were compared with the backend."""
        source = folder / f"{re.sub('[^a-zA-Z0-9]+', '_', self.name)}.cpp"
        ml.codegen(self._compiled, source)
        expected, calls = self.backend(), []
        for compiler in compilers:
            library = Library(source, compiler, flags)
            call, results = library.caller(self._params | self._data, self._output_gradients)
            call()
            check(results, expected, f"{self.name}, {compiler}")
            calls.append(call)
        return calls

    def measure(self, compilers: list[str], flags: str, rounds: int) -> list[float]:
        """The minimum times of the backend and of the code of each compiler."""
        with tempfile.TemporaryDirectory() as folder:
            calls = [self.backend, *self.generated(compilers, flags, Path(folder))]
            turns = [[turn(call) for call in calls] for _ in range(rounds)]
        return [min(times) for times in zip(*turns, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", help="names, or parts of them")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--flags", default="-O3 -march=native")
    options = parser.parse_args()
    compilers = [name for name in ("g++", "clang++") if shutil.which(name)]
    heads = ["workload", "backend", *(f"{name} {options.flags}" for name in compilers), *compilers]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for name, workload in WORKLOADS.items():
        if options.workloads and not any(part in name for part in options.workloads):
            continue
        least = Contest(name, workload).measure(compilers, options.flags, options.rounds)
        cells = [f"{time:.3g}" for time in least] + [f"{time / least[0]:.2f}" for time in least[1:]]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
