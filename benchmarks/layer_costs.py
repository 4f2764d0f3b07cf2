"""Times to compile every layer of the library as one size grows, for each target.

    python benchmarks/layer_costs.py [--targets cpu jax] [--layers Conv2d GRU]

Takes the first example of each layer in tests/layer_cases, and multiplies one size of its inputs,
or one whole number of its arguments, by 8 and by 32. Prints the sizes whose time to compile grows
faster than the size, and whose time to compile is above a second. A size that the layer refuses is
left out; the last line counts them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from compile_costs import TARGETS, as_source, seconds

import mithril as ml

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from layer_cases import LIBRARY
from layer_cases.case import Example, Input

SMALL, LARGE = 8, 32
LIMIT = 2**18  # elements of an input: larger ones take time to allocate
SLOW = 1.0  # seconds
STEEP = 1.3  # the power of the size


@dataclass(frozen=True)
class Growth:
    """Names what grows: a size of the inputs, or an argument of the layer."""

    size: int | None = None
    argument: str | None = None

    def __str__(self) -> str:
        return f"axes of {self.size}" if self.argument is None else self.argument

    def apply(self, example: Example, factor: int) -> Example:
        if self.argument is not None:
            value = example.arguments[self.argument] * factor
            return replace(example, arguments=example.arguments | {self.argument: value})
        return replace(
            example,
            inputs={key: self.grown(value, factor) for key, value in example.inputs.items()},
        )

    def grown(self, value: Input, factor: int) -> Input:
        if not isinstance(value, np.ndarray):
            return tuple(dim * factor if dim == self.size else dim for dim in value)
        tiles = [factor if dim == self.size else 1 for dim in value.shape]
        return np.tile(value, tiles)


def dims_of(value: Input) -> tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else value


def growths(example: Example) -> Iterator[Growth]:
    for size in sorted({dim for value in example.inputs.values() for dim in dims_of(value)}):
        yield Growth(size=size)
    for name, value in example.arguments.items():
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            yield Growth(argument=name)


def arrays(example: Example) -> dict[str, np.ndarray]:
    def array(value: Input) -> np.ndarray:
        if not isinstance(value, np.ndarray):
            return np.ones(value, np.float32)
        return value.astype(np.float32) if value.dtype.kind == "f" else value

    made = {key: array(value) for key, value in example.inputs.items()}
    if any(value.size > LIMIT for value in made.values()):
        raise MemoryError
    return made


def exporting(name: str, example: Example, ending: str) -> float:
    """The seconds of compiling and of writing the source."""
    data = arrays(example)
    model, shapes = example.make(name), {key: list(value.shape) for key, value in data.items()}
    return seconds(lambda: as_source(ending)(model, shapes))[0]


def compiling(name: str, example: Example, backend: Callable[[], Any], gradients: bool) -> float:
    """The seconds of compiling and of the first evaluation, without those of an evaluation."""
    data = arrays(example)
    model = example.make(name)

    def compiled() -> Callable[[], Any]:
        made = ml.compile(
            model,
            backend(),
            shapes={key: list(value.shape) for key, value in data.items()},
            data_keys=list(data),
        )
        params, state = made.get_parameters(), made.initial_state_dict
        if not gradients:
            return lambda: made.infer(params, data, state)
        outputs, _ = made.evaluate(params, data, state=state)
        ones = {
            key: np.ones(np.shape(value), np.float32)
            for key, value in outputs.items()
            if np.asarray(value).dtype.kind == "f"
        }
        return lambda: made.evaluate(params, data, output_gradients=ones, state=state)

    making, run = seconds(compiled)
    first, _ = seconds(run)
    second, _ = seconds(run)
    return making + max(0.0, first - second)


def on(backend: Callable[[], Any], gradients: bool = False) -> Callable[[str, Example], float]:
    return lambda name, example: compiling(name, example, backend, gradients)


def source(ending: str) -> Callable[[str, Example], float]:
    return lambda name, example: exporting(name, example, ending)


COSTS: dict[str, Callable[[str, Example], float]] = {
    "cpu": on(ml.CpuBackend),
    "cpu gradients": on(ml.CpuBackend, gradients=True),
    "c++": source(".cpp"),
    "javascript": source(".mjs"),
}
if "jax" in TARGETS:
    COSTS |= {"jax": on(ml.JaxBackend), "jax gradients": on(ml.JaxBackend, gradients=True)}
if "torch" in TARGETS:
    COSTS["torch"] = on(ml.TorchBackend)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", nargs="*", choices=COSTS, default=list(COSTS))
    parser.add_argument("--layers", nargs="*", choices=LIBRARY, default=list(LIBRARY))
    chosen = parser.parse_args()
    measured = refused = 0
    print(f"{'layer':24} {'grows':20} {'target':14} {'x8':>8} {'x32':>8} {'power':>6}")
    for name in chosen.layers:
        for growth in growths(LIBRARY[name][0]):
            for target in chosen.targets:
                try:
                    small, large = (
                        COSTS[target](name, growth.apply(LIBRARY[name][0], by))
                        for by in (SMALL, LARGE)
                    )
                except (ml.Error, MemoryError):
                    refused += 1
                    continue
                measured += 1
                power = math.log(large / small, LARGE / SMALL)
                if large > SLOW or (power > STEEP and large > SLOW / 4):
                    row = f"{small:8.2f} {large:8.2f} {power:6.2f}"
                    print(f"{name:24} {growth!s:20} {target:14} {row}", flush=True)
    print(f"{measured} sizes measured, {refused} refused or above {LIMIT} elements")


if __name__ == "__main__":
    main()
