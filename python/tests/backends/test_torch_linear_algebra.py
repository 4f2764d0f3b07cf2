"""Gradients of linear algebra on both backends equal those of torch's autograd."""

from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

RANDOM = np.random.default_rng(3)
ROOT = np.tril(RANDOM.normal(size=(4, 4))) + 3 * np.eye(4)
DEFINITE = ROOT @ ROOT.T
RIGHT = RANDOM.normal(size=(4, 2))
TALL = RANDOM.normal(size=(2, 4, 3))
WIDE = RANDOM.normal(size=(3, 4))
SINGULAR = np.outer(ROOT[0], ROOT[1]) + np.outer(ROOT[2], ROOT[3])


def solved(matrix: Any, right: Any, upper: bool = False) -> Any:
    return torch.linalg.solve_triangular(matrix, right, upper=upper)


def least_squares(matrix: Any, right: Any) -> Any:
    return torch.linalg.lstsq(matrix, right).solution


CASES: dict[str, Any] = {
    "cholesky": (ml.Cholesky, torch.linalg.cholesky, {"input": DEFINITE}),
    "eigenvalues": (ml.Eigenvalues, torch.linalg.eigvalsh, {"input": DEFINITE}),
    "svdvals of tall matrices": (ml.Svdvals, torch.linalg.svdvals, {"input": TALL}),
    "svdvals of a wide matrix": (ml.Svdvals, torch.linalg.svdvals, {"input": WIDE}),
    "matrix_exp": (ml.MatrixExp, torch.linalg.matrix_exp, {"input": ROOT}),
    "pinv of tall matrices": (ml.Pinv, torch.linalg.pinv, {"input": TALL}),
    "pinv of a wide matrix": (ml.Pinv, torch.linalg.pinv, {"input": WIDE}),
    "pinv of a singular matrix": (ml.Pinv, torch.linalg.pinv, {"input": SINGULAR}),
    "pinv with a threshold": (
        lambda: ml.Pinv(rtol=0.5),
        lambda input: torch.linalg.pinv(input, rtol=0.5),
        {"input": DEFINITE},
    ),
    "lstsq of a square matrix": (ml.Lstsq, least_squares, {"matrix": ROOT, "right": RIGHT}),
    "lstsq of a tall matrix": (ml.Lstsq, least_squares, {"matrix": TALL[0], "right": RIGHT}),
    "lstsq of a wide matrix": (ml.Lstsq, least_squares, {"matrix": WIDE, "right": RIGHT[:3]}),
    "solve_triangular": (
        ml.SolveTriangular,
        solved,
        {"matrix": ROOT, "right": RIGHT},
    ),
    "gpr_alpha": (
        ml.GPRAlpha,
        lambda label_mu_diff, L, K_term: solved(L.T, solved(L, label_mu_diff), True),  # noqa: N803
        {"label_mu_diff": RIGHT[:, :1], "L": ROOT},
    ),
}


@pytest.mark.parametrize("backend", ["CpuBackend", "TorchBackend"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_torch(name: str, backend: str) -> None:
    if not hasattr(ml, backend):
        pytest.skip("torch is not built")
    make, function, given = CASES[name]
    data = {"K_term": DEFINITE} if name == "gpr_alpha" else {}
    compiled = ml.compile(
        make(),
        getattr(ml, backend)(dtype=ml.float64),
        trainable_keys=set(given),
        data_keys=set(data),
    )
    tensors = {key: torch.tensor(value, requires_grad=True) for key, value in given.items()}
    expected = function(*tensors.values(), *map(torch.tensor, data.values()))
    incoming = RANDOM.normal(size=expected.shape)
    expected.backward(torch.tensor(incoming))
    data = {key: data[key] for key in data if key in compiled.input_keys}
    outputs, gradients = compiled.evaluate(given, data, output_gradients={"output": incoming})
    np.testing.assert_allclose(outputs["output"], expected.detach(), rtol=0, atol=1e-10)
    for key, tensor in tensors.items():
        np.testing.assert_allclose(gradients[key], tensor.grad, rtol=0, atol=1e-10, err_msg=key)
