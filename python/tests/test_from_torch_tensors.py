"""Tensor functions in models that are converted; skipped where torch is missing."""

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_agreement import assert_same  # noqa: E402
from from_torch_cases import Case, Of  # noqa: E402
from from_torch_tensors import FUNCTIONS, REFUSED, TIED, TRICKY, X  # noqa: E402


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - REFUSED.keys()))
def test_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(FUNCTIONS[name]), (X,)))


@pytest.mark.parametrize("name", sorted(TRICKY))
def test_functions_of_ties_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(TRICKY[name]), (TIED,)))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_functions_are_refused(name: str) -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Of(FUNCTIONS[name]), X)
    assert REFUSED[name] in str(caught.value)
