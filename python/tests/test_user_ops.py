"""Ops that a user adds: ml.add_op."""

import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import environment

import mithril as ml

Arrays = dict[str, Any]
BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
DOUBLES: Arrays = {"dtype": ml.float64}
_numbers = itertools.count()


def fresh(name: str) -> str:
    """A name for an op of one test: ops live as long as the process."""
    return f"{name}_{next(_numbers)}"


def squash() -> type[ml.Model]:
    return ml.add_op(
        fresh("squash"),
        inputs={"x": "*s"},
        formula="{x} / (1 + abs({x}))",
        gradient={"x": "{grad} / ((1 + abs({x})) * (1 + abs({x})))"},
    )


def scaled_tanh() -> type[ml.Model]:
    """Adds an op of a tensor and a scalar."""
    return ml.add_op(
        fresh("scaled_tanh"),
        inputs={"x": "*s", "scale": ""},
        formula="{scale} * tanh({x})",
        gradient={
            "x": "{grad} * {scale} * (1 - tanh({x}) * tanh({x}))",
            "scale": "{grad} * tanh({x})",
        },
    )


def sorted_rows() -> type[ml.Model]:
    """Adds an op that sorts rows with functions of NumPy and of torch."""

    def function(x: Any) -> Any:
        return np.sort(x, 1) if isinstance(x, np.ndarray) else x.sort(1).values

    def gradient(x: Any, grad: Any) -> Any:
        if not isinstance(x, np.ndarray):
            return grad.new_empty(grad.shape).scatter_(1, x.argsort(1), grad)
        made = np.empty_like(x)
        np.put_along_axis(made, x.argsort(1), grad, 1)
        return made

    return ml.add_op(
        fresh("sorted_rows"),
        inputs={"x": "N D"},
        outputs={"output": "N D"},
        function=function,
        gradient=gradient,
    )


def total(op: type[ml.Model], **ports: str) -> ml.Model:
    """The mean of the op and of a layer before it."""
    model = ml.Model()
    model |= ml.Linear(3)(input="data", output="h")
    model |= op()(x="h", output="y", **ports)
    model |= ml.Multiply()(left="y", right="weights", output="weighted")
    model |= ml.Mean()(input="weighted", output="loss")
    return model


def gradients_agree(backend: Any, op: type[ml.Model], **ports: str) -> None:
    compiled = ml.compile(
        total(op, **ports),
        backend,
        shapes={"data": [4, 2], "weights": [4, 3]},
        data_keys={"data", "weights"},
    )
    random = np.random.default_rng(0)
    data = {"data": random.normal(size=(4, 2)), "weights": random.normal(size=(4, 3))}
    params = compiled.get_parameters(seed=3)
    params = {key: np.asarray(np.asarray(value) + 0.5) for key, value in params.items()}
    _, gradients = compiled.evaluate(params, data, output_gradients={"loss": 1.0})
    for key, value in params.items():
        for index in np.ndindex(value.shape):
            costs = []
            for step in (1e-5, -1e-5):
                moved = {**params, key: value.copy()}
                moved[key][index] += step
                costs.append(float(compiled.evaluate(moved, data)["loss"]))
            difference = (costs[0] - costs[1]) / 2e-5
            assert float(np.asarray(gradients[key])[index]) == pytest.approx(difference, abs=1e-7)


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_formula_has_values_and_gradients(kind: str) -> None:
    op = squash()
    x = np.array([[-3.0, 0.0, 0.5]], np.float32)
    model = ml.Model()
    model |= op()(x="x", output="y")
    compiled = ml.compile(model, BACKENDS[kind](), shapes={"x": [None, 3]}, data_keys={"x"})
    np.testing.assert_allclose(
        np.asarray(compiled.evaluate({}, {"x": x})["y"]), x / (1 + abs(x)), rtol=1e-6
    )
    gradients_agree(BACKENDS[kind](**DOUBLES), op)


@pytest.mark.parametrize("level", ["none", "standard", "max"])
def test_a_formula_accepts_a_scalar(level: Any) -> None:
    op = scaled_tanh()
    gradients_agree(ml.CpuBackend(**DOUBLES), op, scale="scale")
    model = ml.Model()
    model |= op()(x="x", scale="scale", output="h")
    model |= ml.Relu()(input="h", output="y")
    compiled = ml.compile(
        model,
        ml.CpuBackend(**DOUBLES),
        shapes={"x": [5, 7]},
        data_keys={"x", "scale"},
        optimization_level=level,
    )
    x = np.random.default_rng(0).normal(size=(5, 7))
    y = compiled.evaluate({}, {"x": x, "scale": np.float64(1.5)})["y"]
    np.testing.assert_allclose(y, np.maximum(1.5 * np.tanh(x), 0), rtol=1e-12)


def test_the_gradient_of_the_user_is_used() -> None:
    """The gradient may differ from the derivative: a straight-through estimator."""
    op = ml.add_op(
        fresh("round_through"),
        inputs={"x": "*s"},
        formula="rint({x})",
        gradient={"x": "{grad}"},
    )
    model = ml.Model()
    model |= op()(x="x", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3]}, trainable_keys={"x"})
    params = {"x": np.array([0.2, 0.7, -1.6], np.float32)}
    grad = np.array([1, 2, 3], np.float32)
    outputs, gradients = compiled.evaluate(params, {}, output_gradients={"y": grad})
    np.testing.assert_array_equal(outputs["y"], [0, 1, -2])
    np.testing.assert_array_equal(gradients["x"], grad)


def test_the_name_of_an_op_is_no_class_of_the_library() -> None:
    ml.add_op("doubling", inputs={"x": "*s"}, formula="{x} * 2")
    with pytest.raises(AttributeError) as caught:
        ml.IOKey("x").doubling  # noqa: B018
    assert "ml." not in str(caught.value)


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no C++ compiler")
def test_generated_code_has_the_formula(tmp_path: Path) -> None:
    compiled = ml.compile(
        total(squash()),
        ml.CpuBackend(),
        shapes={"data": [4, 2], "weights": [4, 3]},
        data_keys={"data", "weights"},
    )
    path = tmp_path / "model.cpp"
    ml.codegen(compiled, path)
    assert "std::abs" in path.read_text(encoding="utf-8")
    command = ["g++", "-std=c++17", "-fsyntax-only", str(path)]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("kind", BACKENDS)
def test_functions_have_values_and_gradients(kind: str) -> None:
    gradients_agree(BACKENDS[kind](**DOUBLES), sorted_rows())


def test_functions_have_several_inputs_and_outputs() -> None:
    calls: list[tuple[Any, ...]] = []

    def gradient(x: Any, index: Any, low_grad: Any, high_grad: Any) -> Any:
        calls.append((x, index))
        made = np.zeros_like(x)
        rows = np.arange(len(x))
        np.add.at(made, (rows, index), low_grad)
        return made + high_grad[:, None]

    op = ml.add_op(
        fresh("pick_and_add"),
        inputs={"x": "N D", "index": "N: int"},
        outputs={"low": "N", "high": "N"},
        function=lambda x, index: (x[np.arange(len(x)), index], x.sum(1)),
        gradient=gradient,
    )
    model = ml.Model()
    model |= op()(x="x", index="index", low="low", high="high")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 2]}, trainable_keys={"x"})
    assert compiled.shapes["low"] == ["N"]
    x = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    index = np.array([1, 0, 1])
    grads = {"low": np.array([1, 2, 3], np.float32), "high": np.array([10, 20, 30], np.float32)}
    outputs, gradients = compiled.evaluate({"x": x}, {"index": index}, output_gradients=grads)
    np.testing.assert_array_equal(outputs["low"], [2, 3, 6])
    np.testing.assert_array_equal(outputs["high"], [3, 7, 11])
    np.testing.assert_array_equal(gradients["x"], [[10, 11], [22, 20], [30, 33]])
    kept, _ = calls[0]
    kept[:] = 0  # the function owns its arguments
    np.testing.assert_array_equal(x[0], [1, 2])


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_function_of_the_user_is_trained(kind: str) -> None:
    model = ml.Model()
    model |= ml.Linear(3)(input="data", output="h")
    model |= sorted_rows()()(x="h", output="y")
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="t")
    compiled = ml.compile(train, BACKENDS[kind](), shapes={"data": [None, 2]})
    step = ml.TrainingStep(compiled, ml.Adam(1e-2))
    params = compiled.get_parameters()
    inputs = np.random.default_rng(0).normal(size=(16, 2))
    data = {"data": inputs, "t": np.tile([-1.0, 0.0, 1.0], (16, 1))}
    costs = [float(step(params, data)["final_cost"]) for _ in range(30)]
    assert costs[-1] < costs[0]


def failing() -> Iterator[tuple[str, Any, str]]:
    shape = {"x": "*s"}

    def op(**options: Any) -> Any:
        return lambda: ml.add_op("faulty", **{"inputs": shape, **options})

    yield "E0446", op(), "mithril.ValueError[E0446]: add_op needs either a formula or a function"
    yield (
        "E0604",
        op(formula="{y}"),
        "mithril.NameError[E0604]: the formula has no port 'y'\n  known : x",
    )
    yield (
        "E0604",
        op(formula="{x}", gradient={"y": "{grad}"}),
        "mithril.NameError[E0604]: the op has no port 'y'\n  known : x",
    )
    yield (
        "E0443",
        op(formula="sinc({x})"),
        "mithril.ValueError[E0443]: add_op: formulas of floats do not have 'sinc' with 1 arguments",
    )
    yield (
        "E0445",
        op(formula="{x}", inputs={"x": "N D"}),
        "mithril.ValueError[E0445]: add_op: a formula has one output, and float inputs of its "
        "shape '*s'\n  x : N D float\n  help: ports of other shapes and types need function=",
    )
    named_like = {"x": "*s", "like": "*s"}
    refusal = (
        "mithril.ValueError[E0475]: the record of op 'faulty' is faulty: it has an input named "
        "'like', a name for inputs of Mithril's own ops that are read for their shapes only; give "
        "the input another name"
    )
    yield "E0475", op(inputs=named_like, formula="{x} * {like}"), refusal
    yield "E0475", op(inputs=named_like, function=lambda x, like: x * like), refusal


@pytest.mark.parametrize(("code", "make", "message"), list(failing()))
def test_a_faulty_op_is_refused(code: str, make: Any, message: str) -> None:
    with pytest.raises(ml.Error) as caught:
        make()
    assert caught.value.code == code
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "options",
    [
        {"name": 3},
        {"name": "not a name"},
        {"inputs": 3},
        {"inputs": {}},
        {"inputs": {"x": 3}},
        {"inputs": {"x y": "*s"}},
        {"inputs": {"x": "*s: complex"}},
        {"inputs": {"x": "*s ("}},
        {"outputs": {}},
        {"outputs": {"x": "*s"}},
        {"formula": 3},
        {"formula": "{x} +"},
        {"gradient": 3},
        {"gradient": {"x": 3}},
        {"formula": None, "function": 3},
        {"formula": None, "function": len, "gradient": {"x": "{grad}"}},
        {"function": len},
        {"doc": 3},
        {"name": "relu"},
    ],
)
def test_a_wrong_argument_is_an_error_of_mithril(options: Arrays) -> None:
    given: Arrays = {"name": "faulty", "inputs": {"x": "*s"}, "formula": "{x}", **options}
    with pytest.raises(ml.Error):
        ml.add_op(given.pop("name"), **given)


def evaluated(function: Any, backend: Any = None) -> Any:
    op = ml.add_op(fresh("of_function"), inputs={"x": "*s"}, function=function)
    model = ml.Model()
    model |= op()(x="x", output="y")
    backend = backend or ml.CpuBackend()
    compiled = ml.compile(model, backend, shapes={"x": [2, 3]}, data_keys={"x"})
    return compiled.evaluate({}, {"x": np.ones((2, 3), np.float32)})["y"]


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_wrong_result_is_refused(kind: str) -> None:
    backend = BACKENDS[kind]()
    with pytest.raises(ml.ValueError) as caught:
        evaluated(lambda x: x[0], backend)
    assert re.sub(r"of_function_\d+", "of_function", str(caught.value)) == (
        "mithril.ValueError[E0444]: y: of_function: the function returned dims [3], expected [2, 3]"
    )
    with pytest.raises(ml.ValueError, match="the function returned 2 arrays, expected 1"):
        evaluated(lambda x: (x, x), backend)
    with pytest.raises(ml.TypeError):
        evaluated(lambda x: None, backend)
    with pytest.raises(ZeroDivisionError):
        evaluated(lambda x: 1 // 0, backend)


def test_an_op_without_a_gradient_is_not_differentiable() -> None:
    op = ml.add_op(fresh("plain"), inputs={"x": "*s"}, formula="{x} * 2")
    compiled = ml.compile(
        total(op),
        ml.CpuBackend(),
        shapes={"data": [4, 2], "weights": [4, 3]},
        data_keys={"data", "weights"},
    )
    data = {"data": np.ones((4, 2)), "weights": np.ones((4, 3))}
    with pytest.raises(ml.GradientError, match="it was added without a gradient"):
        compiled.evaluate(compiled.get_parameters(), data, output_gradients={"loss": 1.0})


def test_code_of_a_function_is_refused(tmp_path: Path) -> None:
    compiled = ml.compile(
        total(sorted_rows()),
        ml.CpuBackend(),
        shapes={"data": [4, 2], "weights": [4, 3]},
        data_keys={"data", "weights"},
    )
    with pytest.raises(ml.Error, match="sorted_rows"):
        ml.codegen(compiled, tmp_path / "model.cpp")


def test_a_model_with_the_op_is_read_where_it_was_added() -> None:
    model = total(squash())
    text = model.to_json()
    assert ml.Model.from_json(text) == model
    program = f"import mithril as ml\nml.Model.from_json({text!r})"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "mithril.NameError" in run.stderr
