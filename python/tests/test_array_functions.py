"""Functions of other libraries that are called with connections, and calls of compiled models."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
LEFT = np.array([[5.0, 2.0], [3.0, 4.0]], np.float32)
RIGHT = np.array([[1.0, 2.0], [3.0, 2.0]], np.float32)


def x() -> Any:
    return ml.IOKey("x", shape=[2, 2], type=ml.Tensor[float])


def value_of(expression: Any, given: Any) -> Any:
    compiled = ml.compile(ml.Model.create(y=expression), ml.CpuBackend(), data_keys={"x"})
    return np.asarray(compiled.evaluate({}, {"x": given})["y"])


@pytest.mark.parametrize("sign", SIGNS)
def test_an_operator_with_an_array_composes(sign: str) -> None:
    apply = SIGNS[sign]
    expected = apply(LEFT, RIGHT)
    assert np.allclose(value_of(apply(LEFT, x()), RIGHT), expected)
    assert np.allclose(value_of(apply(x(), RIGHT), LEFT), expected)


@pytest.mark.parametrize("sign", SIGNS)
def test_an_operator_with_a_tensor_of_torch_composes(sign: str) -> None:
    torch = pytest.importorskip("torch")
    apply = SIGNS[sign]
    expected = apply(LEFT, RIGHT)
    assert np.allclose(value_of(apply(torch.tensor(LEFT), x()), RIGHT), expected)


def test_a_number_of_numpy_composes() -> None:
    assert np.allclose(value_of(np.float32(2) * x(), LEFT), 2 * LEFT)


def text_of(call: Callable[[], Any]) -> str:
    with pytest.raises(ml.TypeError) as caught:
        call()
    return str(caught.value)


def test_a_function_of_numpy_names_the_replacement() -> None:
    assert text_of(lambda: np.exp(x())) == (
        "mithril.TypeError[E0376]: np.exp cannot take a connection\n  help: write x.exp()"
    )


@pytest.mark.parametrize(
    ("call", "help"),
    [
        (lambda: np.mean(x()), "write x.mean()"),
        (lambda: np.tanh(x()), "write ml.Tanh()(x)"),
        (lambda: np.abs(x()), "write x.abs()"),
        (lambda: np.concatenate([x(), x()]), "write ml.Concat(axis=...)([x, y])"),
        (lambda: np.where(x(), 1, 2), "write ml.Where()(mask, x, y)"),
        (lambda: np.add.reduce(x()), "compose models of ml.models"),
        (lambda: np.fft.fft(x()), "write ml.Fft()(x)"),
        (lambda: np.fft.fftshift(x()), "compose models of ml.models"),
        (lambda: math.exp(x()), "write x.exp() in place of math.exp(x)"),
        (lambda: float(x()), "compiled.evaluate(params, data) gives values"),
        (lambda: int(x().shape[1]), "x.dims[1] is a size that is known now"),
        (lambda: range(x().shape[1]), "x.dims[1] is a size that is known now"),
    ],
)
def test_functions_of_numbers_and_arrays_name_the_replacement(
    call: Callable[[], Any], help: str
) -> None:
    text = text_of(call)
    assert text.startswith("mithril.TypeError[E0376]: ")
    assert f"help: {help}" in text or f"; {help}" in text


def test_functions_of_torch_name_the_replacement() -> None:
    torch = pytest.importorskip("torch")
    assert "torch.exp cannot take a connection\n  help: write x.exp()" in text_of(
        lambda: torch.exp(x())
    )
    assert "help: write ml.Relu()(x)" in text_of(lambda: torch.nn.functional.relu(x()))
    assert "help: write ml.Concat" in text_of(lambda: torch.cat([x(), x()]))
    assert "help: write ml.Linear" in text_of(lambda: torch.nn.Linear(2, 2)(x()))


def test_a_call_of_a_compiled_model_says_evaluate() -> None:
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": [2]})
    assert text_of(lambda: compiled(np.ones(2))) == (
        "mithril.TypeError[E0306]: a compiled model cannot be called\n"
        '  help: compiled.evaluate(params, {"x": array}) computes the outputs'
    )


def test_a_connection_is_still_no_number_of_an_argument() -> None:
    assert "argument 'lr' has the wrong kind" in text_of(lambda: ml.Adam(lr=x()))
    with pytest.raises(ml.TypeError):
        ml.Model().set_shapes(x=[x()])
