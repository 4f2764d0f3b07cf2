"""Hooks and debug output in the bodies of loops and in branches."""

from typing import Any

import numpy as np
import pytest
from loop_models import BODIES, data_of, elman, parameters_of

import mithril as ml

BACKENDS: dict[str, Any] = {
    "cpu": lambda: ml.CpuBackend(dtype=ml.float64),
    "reference": lambda: ml.CpuBackend(dtype=ml.float64, reference=True),
    "torch": lambda: ml.TorchBackend(dtype=ml.float64),
}
SHAPES = {"x": [None, 3, 2], "h": [3, 4]}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
    return BACKENDS[request.param]()


class Calls:
    """Notes each call of a hook."""

    def __init__(self, replace: Any = None) -> None:
        self.steps: list[tuple[int, ...]] = []
        self.values: list[np.ndarray] = []
        self.replace = replace

    def __call__(self, value: Any) -> Any:
        self.steps.append(ml.loop_steps())
        self.values.append(np.array(value))
        return None if self.replace is None else self.replace(value)


def recurrent(backend: Any, reverse: bool = False, **options: Any) -> ml.CompiledModel:
    body, carry = elman(), BODIES["elman"][1]
    loop = ml.Scan(body, carry=carry, sequences=["x"], outputs=["y", "h_next"], reverse=reverse)
    return ml.compile(loop, backend, shapes=SHAPES, **options)


def data(steps: int = 4) -> Any:
    return data_of(steps, BODIES["elman"][1], elman)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_hook_sees_a_value_of_each_step(backend: Any, reverse: bool) -> None:
    compiled = recurrent(backend, reverse)
    params = parameters_of(compiled)
    expected = compiled.evaluate(params, data())
    seen, early, outside = Calls(), Calls(), Calls()
    handle = compiled.register_hook("model.tanh.output", seen)
    compiled.register_hook("model.linear.output", early)
    compiled.register_hook("x", outside)
    got = compiled.evaluate(params, data())
    order = [3, 2, 1, 0] if reverse else [0, 1, 2, 3]
    assert seen.steps == early.steps == [(t,) for t in order]
    assert outside.steps == [()]
    np.testing.assert_array_equal(np.stack(seen.values), np.asarray(got["h_next"])[order])
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=1e-12)
    assert ml.loop_steps() == ()
    compiled.evaluate(params, data(0))
    assert len(seen.steps) == 4
    handle.remove()
    compiled.evaluate(params, data(2))
    assert len(seen.steps) == 4
    assert len(early.steps) == 6


def test_a_hook_replaces_values_of_steps(backend: Any) -> None:
    compiled = recurrent(backend)
    params = parameters_of(compiled)
    compiled.register_hook("model.tanh.output", Calls(lambda value: np.asarray(value) * 0 + 0.5))
    got = compiled.evaluate(params, data())
    np.testing.assert_array_equal(got["h_next"], np.full((4, 3, 4), 0.5))
    np.testing.assert_array_equal(got["h_last"], np.full((3, 4), 0.5))
    np.testing.assert_array_equal(got["y"], np.full((4, 3), 2.0))


def test_a_hook_on_a_carry_sees_what_each_step_reads(backend: Any) -> None:
    compiled = recurrent(backend)
    params, given = parameters_of(compiled), data()
    path = "scancarry.output"
    seen = Calls()
    compiled.register_hook(path, seen)
    got = compiled.evaluate(params, given)
    expected = np.concatenate([given["h"][None], np.asarray(got["h_next"])[:-1]])
    np.testing.assert_array_equal(np.stack(seen.values), expected)
    assert seen.steps == [(0,), (1,), (2,), (3,)]


def test_hooks_on_gradients_see_each_step(backend: Any) -> None:
    compiled = recurrent(backend)
    params = parameters_of(compiled)
    upstream = {"y": np.ones((4, 3))}
    _, expected = compiled.evaluate(params, data(), output_gradients=upstream)
    forward, back = Calls(), Calls()
    compiled.register_hook("model.sum.output", forward)
    compiled.register_hook("y", Calls())
    compiled.register_hook("model.add.output", back, gradient=True)
    _, got = compiled.evaluate(params, data(), output_gradients=upstream)
    assert forward.steps == [(0,), (1,), (2,), (3,)]
    assert back.steps == [(3,), (2,), (1,), (0,)]
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=1e-12)
    bias = next(key for key in got if key.endswith("bias"))
    np.testing.assert_allclose(sum(back.values).sum(0), np.ravel(got[bias]), rtol=1e-12)
    compiled.register_hook("model.add.output", lambda value: np.asarray(value) * 0, gradient=True)
    _, cut = compiled.evaluate(params, data(), output_gradients=upstream)
    assert not np.asarray(cut[bias]).any()


def test_a_hook_in_a_loop_in_a_loop_has_two_steps(backend: Any) -> None:
    inner = ml.Model()
    inner |= ml.Sine()(input="x", output="s")
    inner |= ml.Add()(left="s", right="h", output="h_next")
    rows = ml.Scan(inner, carry={"h": "h_next"}, sequences=["x"], outputs=["s"])
    outer = ml.Model()
    outer |= rows(x="x", h="h", h_last="h_after", s="all")
    loop = ml.Scan(outer, carry={"h": "h_after"}, sequences=["x"], outputs=["all"])
    compiled = ml.compile(loop, backend, shapes={"x": [2, 3, 4], "h": [4]})
    seen, whole = Calls(), Calls()
    compiled.register_hook("model.scan.model.sine.output", seen)
    compiled.register_hook("model.scan.h_last", whole)
    data = {"x": np.random.default_rng(0).normal(size=(2, 3, 4)), "h": np.zeros(4)}
    compiled.evaluate({}, data)
    assert seen.steps == [(i, j) for i in range(2) for j in range(3)]
    np.testing.assert_allclose(np.stack(seen.values).reshape(2, 3, 4), np.sin(data["x"]))
    assert whole.steps == [(0,), (1,)]


@pytest.mark.parametrize("in_vmap", [True, False])
def test_a_hook_in_a_vmap_sees_all_indices_of_a_step(backend: Any, in_vmap: bool) -> None:
    """A vmap of a loop, and a loop whose steps are a vmap."""
    body = ml.Model.create(h_next=ml.IOKey("h", shape=[2]) * 0.5 + ml.IOKey("x", shape=[2]).sin())
    if in_vmap:
        loop = ml.vmap(
            ml.Scan(body, carry={"h": "h_next"}, sequences=["x"]), in_axes={"x": 1, "h": 0}
        )
    else:
        step = ml.vmap(body, in_axes={"x": 0, "h": 0})
        loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    shapes = {"x": [4, 3, 2], "h": [3, 2]}
    compiled = ml.compile(loop, backend, shapes=shapes, data_keys=["x", "h"])
    path = "scan.model.sine.output" if in_vmap else "vmap.model.sine.output"
    seen = Calls()
    compiled.register_hook(path, seen)
    x = np.random.default_rng(0).normal(size=(4, 3, 2))
    compiled.evaluate({}, {"x": x, "h": np.zeros((3, 2))})
    assert seen.steps == [(0,), (1,), (2,), (3,)]
    np.testing.assert_allclose(np.stack(seen.values), np.sin(x), rtol=1e-12)


def chosen(backend: Any, **options: Any) -> ml.CompiledModel:
    one, other = ml.Model(), ml.Model()
    one |= ml.Sine()(input="x", output="y")
    other |= ml.Cosine()(input="x", output="y")
    choice = ml.Cond("c", one, other)
    return ml.compile(choice, backend, shapes={"x": [3]}, data_keys=["x", "c"], **options)


def test_the_hooks_of_a_branch_are_called_if_it_runs(backend: Any) -> None:
    compiled = chosen(backend)
    sine, cosine = Calls(), Calls(lambda value: -np.asarray(value))
    compiled.register_hook("model.sine.output", sine)
    compiled.register_hook("model_1.cosine.output", cosine)
    x = np.arange(3.0)
    compiled.evaluate({}, {"x": x, "c": np.array(True)})
    assert (sine.steps, cosine.steps) == ([()], [])
    got = compiled.evaluate({}, {"x": x, "c": np.array(False)})
    assert (len(sine.steps), cosine.steps) == (1, [()])
    np.testing.assert_allclose(got["y"], -np.cos(x), rtol=1e-12)


@pytest.mark.parametrize("max_steps", [None, 10])
def test_a_hook_in_a_loop_with_a_condition_counts_the_steps(backend: Any, max_steps: Any) -> None:
    x = ml.IOKey("x")
    body = ml.Model()
    body |= ml.Multiply(name="half")(left="x", right=0.5, output="x_next")
    loop = ml.While(
        ml.Model.create(goes_on=x.abs().max() > 1.0),
        body,
        carry={"x": "x_next"},
        max_steps=max_steps,
    )
    compiled = ml.compile(loop, backend, shapes={"x": [2]}, data_keys=["x"])
    path = "model_1.x_next" if max_steps is None else "cond.step.x_next"
    seen = Calls()
    compiled.register_hook(path, seen)
    compiled.evaluate({}, {"x": np.array([3.0, 8.0])})
    assert seen.steps == [(0,), (1,), (2,)]
    np.testing.assert_array_equal(np.stack(seen.values), [[1.5, 4], [0.75, 2], [0.375, 1]])


def lines_of(capfd: pytest.CaptureFixture[str], text: str) -> list[str]:
    return [line for line in capfd.readouterr().err.splitlines() if text in line]


def test_debug_prints_each_step(backend: Any, capfd: pytest.CaptureFixture[str]) -> None:
    compiled = recurrent(backend, debug=True)
    compiled.evaluate(parameters_of(compiled), data(2))
    lines = lines_of(capfd, "h_next step")
    assert [line.split()[:4] for line in lines] == [
        ["model.h_next", "step", str(t), "tanh"] for t in range(2)
    ]


def test_debug_prints_the_branch_that_runs(backend: Any, capfd: pytest.CaptureFixture[str]) -> None:
    compiled = chosen(backend, debug=True)
    compiled.evaluate({}, {"x": np.ones(3), "c": np.array(True)})
    lines = capfd.readouterr().err
    assert " sin " in lines
    assert " cos " not in lines


def test_debug_names_the_step_that_is_not_finite(
    backend: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    body = ml.Model()
    body |= ml.Log()(input="x", output="y")
    loop = ml.Scan(body, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, backend, shapes={"x": [3]}, debug=True, quiet=True)
    with pytest.raises(ml.ValueError) as caught:
        compiled.evaluate({}, {"x": np.array([1.0, 2.0, -1.0])})
    assert "log made 1 NaN, 0 infinite of 1 elements" in str(caught.value)
    assert "  step : 2\n" in str(caught.value)
    assert len(lines_of(capfd, "step 2")) == 1


def test_hooks_elsewhere_leave_loops_as_they_are(backend: Any) -> None:
    compiled = recurrent(backend)
    params = parameters_of(compiled)
    expected = compiled.evaluate(params, data())
    seen = Calls()
    compiled.register_hook("y", seen)
    got = compiled.evaluate(params, data())
    assert seen.steps == [()]
    for key, value in expected.items():
        np.testing.assert_array_equal(got[key], value)


def test_an_error_of_a_hook_ends_the_loop(backend: Any) -> None:
    compiled = recurrent(backend)

    def fail(value: Any) -> None:
        if ml.loop_steps() == (2,):
            raise RuntimeError("enough")

    compiled.register_hook("model.tanh.output", fail)
    with pytest.raises(RuntimeError, match="enough"):
        compiled.evaluate(parameters_of(compiled), data())
    assert ml.loop_steps() == ()
