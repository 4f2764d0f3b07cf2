"""A bool is no number and a number no bool: an argument of the other kind is refused."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mithril as ml

BOOL, INT, NUMBER = "True or False", "an int", "a number"
WRONG: dict[str, list[Any]] = {
    BOOL: [1, 0, 1.0, None, "yes", np.int64(1)],
    INT: [True, False, np.True_, 1.0, np.float32(1.7), "1"],
    NUMBER: [True, np.False_, "1"],
}


def step() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="a")
    model |= ml.Add()(left="a", right="h", output="h_next")
    return model


def scan(**options: Any) -> ml.Model:
    return ml.Scan(step(), carry={"h": "h_next"}, sequences=["x"], **options)


def loop(**options: Any) -> ml.Model:
    x = ml.IOKey("x")
    condition, body = ml.Model.create(go=x.sum() > 0), ml.Model.create(y=x * 2)
    return ml.While(condition, body, carry={"x": "y"}, **options)


def compiled() -> ml.CompiledModel:
    return ml.compile(ml.Relu(), ml.CpuBackend())


def training_step(**options: Any) -> ml.TrainingStep:
    gradients = {"output": np.ones(2, np.float32)}
    return ml.TrainingStep(compiled(), ml.Adam(), output_gradients=gradients, **options)


CALLS: list[tuple[Callable[..., Any], str, str]] = [
    (scan, "axis", INT),
    (scan, "reverse", BOOL),
    (loop, "max_steps", f"{INT} or None"),
    (lambda size: ml.vmap(ml.Linear(3), params="*", size=size), "size", f"{INT} or None"),
    (lambda **options: ml.compile(ml.Relu(), ml.CpuBackend(), **options), "inference", BOOL),
    (lambda **options: ml.compile(ml.Relu(), ml.CpuBackend(), **options), "jit", BOOL),
    (lambda **options: compiled().get_parameters(**options), "seed", INT),
    (lambda **options: ml.Relu().summary(**options), "depth", INT),
    (lambda **options: ml.IOKey("x").var(**options), "correction", NUMBER),
    (lambda **options: ml.IOKey("x").sum(**options), "keepdim", BOOL),
    (ml.IOKey, "differentiable", f"{BOOL} or None"),
    (ml.CpuBackend, "threads", INT),
    (ml.CpuBackend, "winograd", BOOL),
    (ml.CosineSchedule, "steps", INT),
    (lambda **options: ml.ParameterGroup("*", **options), "frozen", BOOL),
    (ml.SGD, "nesterov", BOOL),
    (ml.EMA, "decay", NUMBER),
    (training_step, "accumulate", INT),
    (training_step, "max_norm", f"{NUMBER} or None"),
]


@pytest.mark.parametrize(("call", "argument", "expected"), CALLS)
def test_a_value_of_the_other_kind_is_refused(
    call: Callable[..., Any], argument: str, expected: str
) -> None:
    for value in WRONG[expected.removesuffix(" or None")]:
        if value is None and expected.endswith("or None"):
            continue
        with pytest.raises(ml.TypeError) as caught:
            call(**{argument: value})
        text = str(caught.value)
        assert "[E0395]" in text
        assert f": argument '{argument}' has the wrong kind\n  expected : {expected}\n" in text


def test_a_rate_is_no_bool() -> None:
    with pytest.raises(ml.TypeError, match="argument 'lr' has the wrong kind") as caught:
        ml.Adam(True)
    assert "got      : True   bool" in str(caught.value)


def test_a_bool_is_no_number_of_a_dtype() -> None:
    with pytest.raises(ml.TypeError, match="True   bool"):
        ml.dtype(True)


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields the functions and the classes that may be called without arguments."""
    for name in ml.__all__:
        member = getattr(ml, name)
        if not callable(member) or name in ml.models.__all__:
            continue
        try:
            parameters = inspect.signature(member).parameters.values()
        except ValueError:
            continue
        variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        if all(one.default is not one.empty or one.kind in variadic for one in parameters):
            yield name, member


@pytest.mark.parametrize("name", [name for name, _ in functions()])
def test_a_default_says_what_an_option_is(name: str) -> None:
    function = getattr(ml, name)
    for argument in inspect.signature(function).parameters.values():
        if isinstance(argument.default, (bool, int, float)):
            wrong = 1 if isinstance(argument.default, bool) else True
            with pytest.raises(ml.TypeError, match=f"'{argument.name}'"):
                function(**{argument.name: wrong})


def test_ints_and_bools_of_other_libraries_fit() -> None:
    assert scan(axis=np.int64(1), reverse=np.True_).input_keys == scan(axis=1).input_keys
    assert ml.SGD(lr=np.float32(0.5), momentum=1, nesterov=np.bool_(True)) is not None
    assert compiled().get_parameters(seed=2**64 - 1) == {}
    assert ml.CpuBackend(threads=np.array(1)) is not None
