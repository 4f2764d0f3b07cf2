"""Random choices and loops, nested in each other, in generated code: equal to the CPU backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generated_cases import TARGETS, Case, check_case, drawn

import mithril as ml

SHAPE = (2, 3)
KEYS = ("a", "b", "w")
UNARY = [ml.Tanh, ml.Sine, ml.Sigmoid, ml.Softplus]


@dataclass
class RandomBranches:
    """Makes models of the inputs a, b and w, and the outputs y0 and y1."""

    seed: int
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def one_of(self, options: Any) -> Any:
        return options[self.random.integers(len(options))]

    def formulas(self) -> ml.Model:
        model = ml.Model()
        made = [model.add_input(key) for key in KEYS]
        model.set_shapes(dict.fromkeys(KEYS, SHAPE))

        def some() -> ml.Connection:
            return self.one_of(made)

        rules: list[Callable[[], ml.Connection]] = [
            lambda: self.one_of(UNARY)()(some()),
            lambda: some() * 0.5 + some(),
            lambda: ml.Tanh()(some() * some()),
            lambda: some() * some().mean(axis=int(self.random.integers(2)), keepdim=True),
            lambda: ml.Softmax(axis=-1)(some()),
            lambda: some().reshape((3, 2)).transpose((1, 0)),
            lambda: ml.Buffer()(self.random.normal(size=SHAPE)),
        ]
        for _ in range(int(self.random.integers(4))):
            made.append(self.one_of(rules)())
        for output in ("y0", "y1"):  # may be an input
            model |= ml.Buffer()(input=some(), output=output)
        model.expose_keys("y0", "y1")
        return model

    def condition(self) -> ml.Model:
        one, other = (ml.IOKey(key, shape=SHAPE) for key in self.random.permutation(KEYS)[:2])
        # One may be a permutation of the other, so equal sums are not compared.
        return ml.Model.create(holds=(one * one).sum() > (other * other).sum() * 0.7)

    def choice(self, depth: int) -> ml.Model:
        condition = self.one_of(["p", "q", self.condition()])
        return ml.Cond(condition, self.model(depth - 1), self.model(depth - 1))

    def loop(self, depth: int) -> ml.Model:
        body, carry = self.model(depth - 1), {"a": "y0", "b": "y1"}
        if self.random.integers(2):
            loop = ml.While(self.condition(), body, carry=carry, max_steps=3)
        else:
            loop = ml.Scan(body, carry=carry, length=int(self.random.integers(1, 4)))
        model = ml.Model()
        keys = {key: key for key in loop.input_keys}
        model |= loop(**keys, a_last="y0", b_last="y1")
        model.expose_keys("y0", "y1")
        return model

    def model(self, depth: int) -> ml.Model:
        if depth == 0:
            return self.formulas()
        return self.one_of([self.choice, self.choice, self.loop])(depth)

    def case(self) -> Case:
        """Two models, one after the other."""
        whole = ml.Model()
        for depth, (a, b), (y0, y1) in ((2, "ab", "cd"), (3, "cd", ("y0", "y1"))):
            model = self.model(depth)
            others = {key: key for key in model.input_keys if key not in ("a", "b")}
            whole |= model(a=a, b=b, **others, y0=y0, y1=y1)
        whole.expose_keys("y0", "y1")
        flags = {key: np.array(bool(self.random.integers(2))) for key in "pq"}
        flags = {key: value for key, value in flags.items() if key in whole.input_keys}
        return Case(whole, drawn(a=SHAPE, b=SHAPE, w=SHAPE) | flags, KEYS)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(8))
def test_random_branches(seed: int, target: str, tmp_path: Path) -> None:
    check_case(RandomBranches(seed).case(), target, tmp_path)


@pytest.mark.slow
def test_many_random_branches(tmp_path: Path) -> None:
    for seed in range(8, 60):
        check_case(RandomBranches(seed).case(), "javascript", tmp_path / str(seed))
