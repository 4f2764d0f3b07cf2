"""The check of a user's own op: ml.check_op."""

import numpy as np
import pytest
from test_user_ops import Arrays, fresh, scaled_tanh, sorted_rows, squash

import mithril as ml

SQUASH_ROWS: list[Arrays] = [
    {"x": (3, 4)},
    {"x": np.array([1.0, -3.0]), "output": np.array([0.5, -0.75])},
]


def test_check_op_accepts_correct_formulas_and_functions() -> None:
    ml.check_op(squash(), SQUASH_ROWS, away_from=[0.0])
    ml.check_op(scaled_tanh(), [{"x": [2, 3], "scale": []}])
    ml.check_op(sorted_rows(), [{"x": np.array([[3.0, 1.0, 2.0], [0.5, 9.0, 4.0]])}])


@pytest.mark.parametrize(
    ("gradient", "told"),
    [("{grad}", "the gradient says"), ("0 * {grad}", "gradient of x")],
)
def test_check_op_finds_a_wrong_gradient(gradient: str, told: str) -> None:
    op = ml.add_op(
        fresh("wrong"),
        inputs={"x": "*s"},
        formula="{x} / (1 + abs({x}))",
        gradient={"x": gradient},
    )
    with pytest.raises(ml.ValueError, match="E0440") as caught:
        ml.check_op(op, SQUASH_ROWS, away_from=[0.0])
    assert told in str(caught.value)
    assert ", row 1: gradient of x" in str(caught.value)
    ml.check_op(op, SQUASH_ROWS, away_from=[0.0], hold=["x"])


def test_check_op_finds_a_gradient_that_a_function_forgets() -> None:
    op = ml.add_op(
        fresh("product"),
        inputs={"x": "*s", "y": "*s"},
        function=lambda x, y: x * y,
        gradient=lambda x, y, grad: (grad * y, 0 * grad),
    )
    with pytest.raises(ml.ValueError, match=r"(?s)E0440.*row 1: gradient of y"):
        ml.check_op(op, [{"x": (2, 3), "y": (2, 3)}])


def test_check_op_finds_another_result_than_expected() -> None:
    rows = [{"x": np.array([1.0, -3.0]), "output": np.array([0.5, -0.7])}]
    with pytest.raises(ml.ValueError, match=r"expected output: element \[1\] is -0.75"):
        ml.check_op(squash(), rows)
    ml.check_op(squash(), rows, tolerance=0.1)


def test_check_op_refuses_values_that_are_no_row() -> None:
    op = squash()
    for call, told in (
        (lambda: ml.check_op(ml.Relu, SQUASH_ROWS), "a class that ml.add_op returned"),
        (lambda: ml.check_op(op, {"x": (3,)}), "a list of dicts"),
        (lambda: ml.check_op(op, [{"z": (3,)}]), " has no port "),
        (lambda: ml.check_op(op, [{}]), "'x' in each row"),
        (lambda: ml.check_op(op, [{"x": (0.5,)}]), "sizes, or an array for 'x'"),
        (lambda: ml.check_op(op, [{"x": (3,), "output": (3,)}]), "an array for 'output'"),
        (lambda: ml.check_op(op, []), "E0442"),
        (lambda: ml.check_op(op, SQUASH_ROWS, hold=["output"]), " has no input "),
    ):
        with pytest.raises(ml.Error) as caught:
            call()
        assert told in str(caught.value)
