"""Tensor functions in models that are converted; skipped where torch is missing."""

import math

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_agreement import as_double, assert_same  # noqa: E402
from from_torch_cases import Case, Of, OfTwo, normal  # noqa: E402
from from_torch_tensors import FUNCTIONS, REFUSED, TIED, TRICKY, F, X  # noqa: E402


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - REFUSED.keys()))
@pytest.mark.sampled(9)
def test_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(FUNCTIONS[name]), (X,)))


@pytest.mark.parametrize("name", sorted(TRICKY))
@pytest.mark.sampled(7)
def test_functions_of_ties_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(TRICKY[name]), (TIED,)))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_functions_are_refused(name: str) -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Of(FUNCTIONS[name]), X)
    assert REFUSED[name] in str(caught.value)


class Padded(torch.nn.Module):
    def __init__(self, sides: tuple[int, int], mode: str) -> None:
        super().__init__()
        self.sides, self.mode = sides, mode

    def forward(self, x):
        return torch.nn.functional.pad(x, self.sides, self.mode)


@pytest.mark.parametrize("mode", ["circular", "reflect", "replicate"])
@pytest.mark.parametrize("sides", [(-2, 0), (0, -1), (-1, 3), (3, -2), (-2, -1), (2, 3)])
@pytest.mark.sampled(5)
def test_padding_with_negative_sides_is_the_same(sides: tuple[int, int], mode: str) -> None:
    assert_same(Case(lambda: Padded(sides, mode), (normal(1, 2, 7),)))


def test_an_embedding_counts_no_rows_from_the_end() -> None:
    module = torch.nn.Embedding(10, 3)
    model, params = ml.from_torch(module, torch.tensor([1, 2]))
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [2]})
    with pytest.raises(ml.ValueError, match="out of range"):
        compiled.evaluate(params, {"input": np.array([-1, 2])})
    with pytest.raises(IndexError):
        module(torch.tensor([-1, 2]))


LARGE = {
    "asinh": (torch.asinh, [1e20, -1e20, 1e9, 2.0, math.inf]),
    "acosh": (torch.acosh, [1e20, 1e9, 2.0, 1.0, math.inf]),
    "cosh": (torch.cosh, [89.0, -89.0, 1.0, 0.0]),
    "hypot": (lambda x: torch.hypot(x, x.flip(0)), [1e20, math.inf, 3.0, 0.0]),
}


@pytest.mark.parametrize("name", LARGE)
def test_functions_of_large_elements_do_not_overflow_before_their_results(name: str) -> None:
    function, elements = LARGE[name]
    x = torch.tensor(elements)
    model, _ = ml.from_torch(Of(function), x)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [len(elements)]})
    (got,) = compiled.evaluate({}, {"x": x.numpy()}).values()
    np.testing.assert_allclose(got, function(x).numpy(), rtol=2e-6)


FROM_ZERO = {
    "index_select": lambda x, i: x.index_select(1, i[0]),
    "gather": lambda x, i: x.gather(1, i),
    "scatter": lambda x, i: x.scatter(1, i, 2.0),
    "scatter_add": lambda x, i: x.scatter_add(1, i, x[:2, :2]),
    "index_add": lambda x, i: x.index_add(1, i[0], x[:, :2]),
    "index_copy": lambda x, i: x.index_copy(1, i[0], x[:, :2]),
}


@pytest.mark.parametrize("name", FROM_ZERO)
def test_indices_that_torch_refuses_are_errors(name: str) -> None:
    function = FROM_ZERO[name]
    x, good, bad = normal(2, 4), torch.tensor([[0, 3], [2, 1]]), torch.tensor([[0, -1], [2, 1]])
    model, _ = ml.from_torch(OfTwo(function), (x, good))
    shapes = {"x": [2, 4], "y": [2, 2]}
    compiled = ml.compile(
        model, ml.CpuBackend(dtype=ml.float64), shapes=shapes, data_keys=["x", "y"]
    )
    (got,) = compiled.evaluate({}, {"x": x.numpy(), "y": good.numpy()}).values()
    np.testing.assert_allclose(got, function(x, good).numpy())
    with pytest.raises(ml.ValueError, match="out of range"):
        compiled.evaluate({}, {"x": x.numpy(), "y": bad.numpy()})
    with pytest.raises((IndexError, RuntimeError)):
        function(x, bad)


@pytest.mark.parametrize("scale", [1e20, 1e-25])
def test_a_deviation_does_not_square_its_elements(scale: float) -> None:
    x = (normal(4, 5) * scale).float()
    function = lambda x: torch.std(x, 1, correction=1, keepdim=True) + x.std()  # noqa: E731
    model, _ = ml.from_torch(Of(function), x)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [4, 5]})
    (got,) = compiled.evaluate({}, {"x": x.numpy()}).values()
    np.testing.assert_allclose(got, function(x.double()).numpy(), rtol=1e-5)


# Sums, squares and norms, which torch computes of half precision in float32.
WIDE = {
    "asinh": torch.asinh,
    "cdist": lambda x: torch.cdist(x, x.flip(0)),
    "cosine_similarity": lambda x: F.cosine_similarity(x, x.flip(1), dim=1),
    "dot": lambda x: x[0] @ (x[1] / 128),
    "huber_loss": lambda x: F.huber_loss(x, x.flip(1), delta=100.0),
    "hypot": lambda x: torch.hypot(x, x.flip(1)),
    "logsumexp": lambda x: x.logsumexp(1),
    "mse_loss": lambda x: F.mse_loss(x / 100, x.flip(1) / 100),
    "normalize": lambda x: F.normalize(x, dim=1),
    "norm": lambda x: x.norm(dim=1),
    "norm of order 3": lambda x: x.norm(3, 0),
    "pdist": F.pdist,
    "rms_norm": lambda x: F.rms_norm(x, (5,), eps=1e-6),
    "std": lambda x: x.std(1),
    "weight_norm": lambda x: torch._weight_norm(x, x.abs().amax(1, True), 0),
}


@pytest.mark.parametrize("name", sorted(WIDE))
@pytest.mark.parametrize("backend", [ml.CpuBackend, ml.TorchBackend])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.sampled(7)
def test_functions_of_half_precision_round_their_results_only(
    dtype: str, backend: type, name: str
) -> None:
    narrow = getattr(torch, dtype)
    model, _ = ml.from_torch(Of(WIDE[name]), X.float())
    compiled = ml.compile(model, backend(dtype=getattr(ml, dtype)), shapes={"x": list(X.shape)})
    for scale in (300.0, 5e-4):
        x = (torch.sign(X) * (1 + X.abs() % 1) * scale).to(narrow)
        expected = WIDE[name](x.double())
        given = x if backend is ml.TorchBackend else x.float().numpy()
        (made,) = compiled.evaluate({}, {"x": given}).values()
        got = as_double(made)
        rounding = 8 * torch.finfo(narrow).eps
        margin = rounding * expected.abs().max().item() + 8 * torch.finfo(narrow).tiny
        assert (got - expected).abs().max().item() <= margin, (scale, got, expected)
