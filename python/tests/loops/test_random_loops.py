"""Loops with random bodies, against the same steps composed one by one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import mithril as ml

SHAPE = (3, 4)
BACKEND = ml.CpuBackend(ml.float64)
UNARY = [ml.Tanh, ml.Sine, ml.Sigmoid, ml.Gelu, ml.Softplus, ml.Cosine]
Values = dict[str, ml.Connection]


@dataclass(frozen=True)
class RandomLoop:
    """What a loop is: its carries, sequences, kept inputs and outputs have the names of `names`."""

    seed: int
    carries: int
    sequences: int
    kept: int
    outputs: int
    axis: int
    reverse: bool
    length: int

    @classmethod
    def of(cls, seed: int) -> "RandomLoop":
        random = np.random.default_rng(seed)
        carries, sequences, outputs = (int(random.integers(3)) for _ in range(3))
        kept = int(random.integers(3)) if carries + sequences else 1
        return cls(
            seed,
            carries,
            sequences,
            kept,
            outputs if carries else max(outputs, 1),
            int(random.integers(-3, 3)),
            bool(random.integers(2)),
            int(random.choice([1, 2, 5])),
        )

    def inputs(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs of the loop."""
        stacked = list(SHAPE)
        stacked.insert(self.axis % 3, self.length)
        return (
            {f"c{i}": SHAPE for i in range(self.carries)}
            | {f"x{i}": tuple(stacked) for i in range(self.sequences)}
            | {f"k{i}": SHAPE for i in range(self.kept)}
        )

    def step(self, values: Values) -> Values:
        """The values that a step makes: next_0, ... and y_0, ..."""
        random = np.random.default_rng(self.seed + 1)
        made = list(values.values())

        def some() -> ml.Connection:
            return made[random.integers(len(made))]

        def constant(*shape: int) -> np.ndarray:
            return random.normal(size=shape) / 2

        rules: list[Callable[[], ml.Connection]] = [
            lambda: UNARY[random.integers(len(UNARY))]()(some()),
            lambda: some() + some(),
            lambda: some() * some() * 0.5,
            lambda: some() / (some() * some() + 1.0),
            lambda: some() @ constant(4, 4),
            lambda: some() * some().mean(axis=int(random.integers(2)), keepdim=True),
            lambda: ml.Softmax(axis=int(random.integers(2)))(some()),
            lambda: (some() @ some().transpose((1, 0))) @ constant(3, 4),
            lambda: some().reshape((2, 6)).transpose((1, 0)).reshape(SHAPE),
            lambda: some() * some()[0:1, :],
            lambda: ml.LayerNorm(use_scale=False, use_bias=False)(some()),
            lambda: ml.Where()(some() > some(), some(), some()),
        ]
        for _ in range(int(random.integers(2, 8))):
            made.append(rules[random.integers(len(rules))]())
        names = [f"n{i}" for i in range(self.carries)] + [f"y{i}" for i in range(self.outputs)]
        # An output may be an input of the step, and two outputs may be one value.
        return {name: some() for name in names}

    def loop(self) -> ml.Model:
        step = ml.Model()
        keys = list(self.inputs())
        values = {key: step.add_input(key) for key in keys}
        step.set_shapes(dict.fromkeys(keys, SHAPE))
        for name, value in self.step(values).items():
            step |= ml.Buffer()(input=value, output=name)
        return ml.Scan(
            step,
            carry={f"c{i}": f"n{i}" for i in range(self.carries)},
            sequences=[f"x{i}" for i in range(self.sequences)],
            outputs=[f"y{i}" for i in range(self.outputs)],
            axis=self.axis,
            reverse=self.reverse,
            length=None if self.sequences else self.length,
        )

    def unrolled(self) -> ml.Model:
        values = {key: ml.IOKey(key, shape=shape) for key, shape in self.inputs().items()}
        stacks: dict[str, list[ml.Connection]] = {}
        for t in reversed(range(self.length)) if self.reverse else range(self.length):
            at = [slice(None)] * 3
            at[self.axis % 3] = t
            items = {f"x{i}": values[f"x{i}"][tuple(at)] for i in range(self.sequences)}
            made = self.step(values | items)
            for i in range(self.carries):
                values[f"c{i}"] = made[f"n{i}"]
            for i in range(self.outputs):
                stacks.setdefault(f"y{i}", []).append(made[f"y{i}"])
        at = [slice(None)] * 3
        at[self.axis % 3] = None
        outputs = {f"c{i}_last": ml.Buffer()(values[f"c{i}"]) for i in range(self.carries)}
        for name, steps in stacks.items():
            in_order = steps[::-1] if self.reverse else steps
            outputs[name] = ml.Concat(axis=self.axis)(input=[v[tuple(at)] for v in in_order])
        return ml.Model.create(**outputs)


def with_derivatives(part: ml.Model, loop: RandomLoop) -> ml.Model:
    """The outputs of a part, with the gradient and a Hessian product of a function of them."""
    random = np.random.default_rng(loop.seed + 2)
    model = ml.Model()
    model |= part(**{key: key for key in part.input_keys}, **{key: key for key in part.output_keys})
    stacked = list(SHAPE)
    stacked.insert(loop.axis % 3, loop.length)
    weights = {f"y{i}": random.normal(size=stacked) for i in range(loop.outputs)}
    weights |= {f"c{i}_last": random.normal(size=SHAPE) for i in range(loop.carries)}
    total = sum((model[key] * weight).sum() for key, weight in weights.items())
    inputs = {key: model[key] for key in loop.inputs() if key in part.input_keys}
    gradients = dict(zip(inputs, ml.gradient(total, list(inputs.values())), strict=True))
    vectors = {key: random.normal(size=shape) for key, shape in loop.inputs().items()}
    slope = sum((gradients[key] * vectors[key]).sum() for key in inputs)
    curved = dict(zip(inputs, ml.gradient(slope, list(inputs.values())), strict=True))
    for key in inputs:
        model |= ml.Buffer()(input=gradients[key], output=f"{key}_gradient")
        model |= ml.Buffer()(input=curved[key], output=f"{key}_curved")
    return model


def evaluated(model: ml.Model, loop: RandomLoop, backend: ml.CpuBackend) -> dict[str, np.ndarray]:
    random = np.random.default_rng(loop.seed + 3)
    data = {key: random.normal(size=shape) for key, shape in loop.inputs().items()}
    keys = set(model.input_keys)
    compiled = ml.compile(
        model,
        backend,
        inference=True,
        data_keys=keys,
        shapes={key: list(value.shape) for key, value in data.items() if key in keys},
    )
    found = compiled.infer({}, {key: value for key, value in data.items() if key in keys})
    return {key: np.asarray(value) for key, value in found.items()}


def check(loop: RandomLoop, backend: ml.CpuBackend) -> None:
    expected = evaluated(with_derivatives(loop.unrolled(), loop), loop, BACKEND)
    got = evaluated(with_derivatives(loop.loop(), loop), loop, backend)
    for key, value in got.items():
        # The unrolled model lacks inputs that no step reads.
        reference = expected.get(key, np.zeros_like(value))
        scale = max(1.0, float(np.abs(reference).max()))
        np.testing.assert_allclose(
            value, reference, rtol=0, atol=1e-10 * scale, err_msg=f"{key} of {loop}"
        )
    assert expected.keys() <= got.keys(), loop


@pytest.mark.parametrize("seed", range(12))
def test_random_loops_equal_their_steps(seed: int) -> None:
    check(RandomLoop.of(seed), BACKEND)


@pytest.mark.parametrize("name", ["TorchBackend", "JaxBackend"])
def test_random_loops_equal_their_steps_elsewhere(name: str) -> None:
    pytest.importorskip("torch" if name == "TorchBackend" else "jax")
    for seed in range(12, 16):
        check(RandomLoop.of(seed), getattr(ml, name)(dtype=ml.float64))


@pytest.mark.slow
def test_many_random_loops_equal_their_steps() -> None:
    for seed in range(12, 400):
        check(RandomLoop.of(seed), BACKEND)
