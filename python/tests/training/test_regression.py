"""Kernels and regressions, compared with formulas in NumPy."""

import numpy as np
import pytest

import mithril as ml

RANDOM = np.random.default_rng(5)
LEFT, RIGHT = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(5, 3))


def outputs_of(model: ml.Model, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=set(inputs))
    return compiled.evaluate({}, inputs)


def rbf(scale: float, sigma: float) -> np.ndarray:
    squares = ((LEFT[:, None] - RIGHT) ** 2).sum(2)
    return scale**2 * np.exp(-squares / (2 * sigma**2))


def test_the_rbf_kernel_is_a_bell_over_distances() -> None:
    made = outputs_of(
        ml.RBFKernel(), input1=LEFT, input2=RIGHT, l_scale=np.array([2.0]), sigma=np.array([0.5])
    )
    np.testing.assert_allclose(made["output"], rbf(2, 0.5), rtol=1e-12)


def test_a_kernelized_svm_is_linear_over_its_kernel() -> None:
    weight, bias = RANDOM.normal(size=(1, 5)), RANDOM.normal(size=1)
    model = ml.KernelizedSVM(kernel="RBFKernel")
    one = np.array([1.0])
    made = outputs_of(
        model, input1=LEFT, input2=RIGHT, l_scale=one, sigma=one, weight=weight, bias=bias
    )
    np.testing.assert_allclose(made["kernel"], rbf(1, 1), rtol=1e-12)
    np.testing.assert_allclose(made["output"], rbf(1, 1) @ weight.T + bias, rtol=1e-12)


def test_a_model_that_is_no_kernel_is_refused() -> None:
    with pytest.raises(ml.ValueError, match="KernelizedSVM: argument 'kernel' is out of range"):
        ml.KernelizedSVM(kernel="Relu")


def test_a_linear_svm_classifies_by_sign() -> None:
    weight, bias = np.array([[1.0, -1.0, 2.0]]), np.array([0.25])
    made = outputs_of(ml.LinearSVM(), input=LEFT, weight=weight, bias=bias)
    np.testing.assert_allclose(made["output"], LEFT @ weight.T + bias, rtol=1e-12)
    np.testing.assert_array_equal(made["decision_output"], np.sign(LEFT @ weight.T + bias))


def test_a_polynomial_regression_needs_a_degree_of_one_or_more() -> None:
    with pytest.raises(ml.ValueError, match="argument 'degree' is out of range"):
        ml.PolynomialRegression(degree=0)


def test_distances_follow_the_norm() -> None:
    model = ml.EncoderDistanceMatrix()
    made = outputs_of(model, input1=LEFT, input2=RIGHT, norm=np.array(3.0))
    apart = np.abs(LEFT[:, None] - RIGHT)
    np.testing.assert_allclose(made["output"], (apart**3).sum(2) ** (1 / 3), rtol=1e-12)


def test_points_at_the_wanted_distances_have_no_stress() -> None:
    apart = np.sqrt(((LEFT[:, None] - LEFT) ** 2).sum(2))
    given = {"distances": apart, "pred_distances": apart**2, "norm": np.array(2.0)}
    assert outputs_of(ml.MDSCore(), **given)["output"] == pytest.approx(0, abs=1e-7)
