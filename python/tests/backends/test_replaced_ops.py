"""ml.add_op called twice with one name, as by a cell of a notebook that runs again."""

import itertools
from typing import Any

import numpy as np
import pytest

import mithril as ml

BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
_numbers = itertools.count()


def fresh(name: str) -> str:
    """A name for an op of one test: ops live as long as the process."""
    return f"replaced_{name}_{next(_numbers)}"


def value_of(op: type[ml.Model], x: list[float]) -> list[float]:
    compiled = ml.compile(op(), ml.CpuBackend(), data_keys={"x"}, shapes={"x": [len(x)]})
    return np.asarray(compiled.evaluate({}, {"x": np.array(x, np.float32)})["output"]).tolist()


def doubled(name: str, factor: float = 2.0, **options: Any) -> type[ml.Model]:
    """Adds an op as a cell of a notebook does: each run makes new functions."""

    def function(x: Any) -> Any:
        return x * np.float32(2.0)

    if factor != 2.0:
        return ml.add_op(name, inputs={"x": "*s"}, function=lambda x: x * factor, **options)
    return ml.add_op(name, inputs={"x": "*s"}, function=function, **options)


def test_an_op_that_is_added_again_is_the_same() -> None:
    name, other = fresh("formula"), fresh("function")
    made = ml.add_op(name, inputs={"x": "*s"}, formula="{x} * 2", gradient={"x": "{grad} * 2"})
    again = ml.add_op(name, inputs={"x": "*s"}, formula="{x} * 2", gradient={"x": "{grad} * 2"})
    assert again is made
    assert doubled(other) is doubled(other)


def test_another_op_of_the_name_is_refused_unless_it_replaces() -> None:
    name = fresh("replaced")
    first = doubled(name)
    with pytest.raises(ml.NameError) as caught:
        doubled(name, 3.0)
    assert str(caught.value) == (
        f"mithril.NameError[E0603]: an op named '{name}' exists already\n"
        "  help: pass replace=True to replace it in new models"
    )
    model = ml.Model()
    model |= first()(x="x", output="y")
    second = doubled(name, 3.0, replace=True)
    assert value_of(second, [1.0, 2.0]) == [3.0, 6.0]
    compiled = ml.compile(model, ml.CpuBackend(), data_keys={"x"}, shapes={"x": [1]})
    old = compiled.evaluate({}, {"x": np.ones(1, np.float32)})["y"]
    assert np.asarray(old).tolist() == [2.0], "a model that has the replaced op keeps it"
    with pytest.raises(ml.NameError, match="an op named 'relu' exists already"):
        ml.add_op("relu", inputs={"x": "*s"}, formula="{x}", replace=True)


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def apply(self, x: Any) -> Any:
        return x * np.float32(self.factor)


def test_methods_of_two_objects_are_two_functions() -> None:
    name, two, three = fresh("method"), Scale(2.0), Scale(3.0)
    made = ml.add_op(name, inputs={"x": "*s"}, function=two.apply)
    assert ml.add_op(name, inputs={"x": "*s"}, function=two.apply) is made
    with pytest.raises(ml.NameError, match="E0603"):
        ml.add_op(name, inputs={"x": "*s"}, function=three.apply)


def test_functions_with_other_arrays_as_defaults_are_two_functions() -> None:
    def scaled(factors: Any) -> Any:
        def function(x: Any, factors: Any = factors) -> Any:
            return x * factors[0]

        return function

    name, ones = fresh("defaults"), np.ones(2000, np.float32)
    ml.add_op(name, inputs={"x": "*s"}, function=scaled(ones))
    twos = ones.copy()
    twos[1000] = 2
    with pytest.raises(ml.NameError, match="E0603"):
        ml.add_op(name, inputs={"x": "*s"}, function=scaled(twos))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_replaced_op_and_its_gradient_keep_their_meaning(backend: str) -> None:
    if backend == "torch":
        pytest.importorskip("mithril._torch", reason="torch is not built")
    name = fresh("powered")

    def power(n: int) -> type[ml.Model]:
        return ml.add_op(
            name,
            inputs={"x": "*s"},
            function=lambda x: x**n,
            gradient=lambda x, grad: n * x ** (n - 1) * grad,
            replace=True,
        )

    squared = ml.Model.create(y=power(2)()(ml.IOKey("x", shape=[1])).sum())
    cubed = ml.Model.create(y=power(3)()(ml.IOKey("x", shape=[1])).sum())
    for model, value, slope in ((squared, 4.0, 4.0), (cubed, 8.0, 12.0)):
        made = BACKENDS[backend]()
        compiled = ml.compile(model, made, trainable_keys={"x"})
        outputs, gradients = compiled.evaluate({"x": made.array([2.0])}, {}, output_gradients=True)
        assert float(outputs["y"]) == value
        assert float(gradients["x"][0]) == slope
