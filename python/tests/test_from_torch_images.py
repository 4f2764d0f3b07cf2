"""Images that converted models resize; skipped where torch is missing."""

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

import torch.nn.functional as F  # noqa: E402, N812 - as everyone writes it
from from_torch_agreement import assert_same  # noqa: E402
from from_torch_cases import Case, Of, normal  # noqa: E402

PLANE = normal(2, 3, 7, 8)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("size", [(3, 5), (13, 16), (3, 17), (1, 1), (2, 8)])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiased_sizes_are_the_same(mode: str, size: tuple, aligned: bool) -> None:
    options = {"mode": mode, "align_corners": aligned, "antialias": True}
    assert_same(Case(lambda: Of(lambda x: F.interpolate(x, size, **options)), (PLANE,)))


@pytest.mark.parametrize("recompute", [False, True])
@pytest.mark.parametrize("factor", [0.4, 1.7, (0.3, 2.0)])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiased_factors_are_the_same(mode: str, factor: float, recompute: bool) -> None:
    options = {"mode": mode, "antialias": True, "recompute_scale_factor": recompute}
    function = lambda x: F.interpolate(x, scale_factor=factor, **options)  # noqa: E731
    assert_same(Case(lambda: Of(function), (PLANE,)))


def test_images_of_bytes_are_refused() -> None:
    function = lambda x: F.interpolate(x, (3, 5), mode="bilinear", antialias=True)  # noqa: E731
    with pytest.raises(ml.ValueError, match="of ints"):
        ml.from_torch(Of(function), torch.zeros(2, 3, 7, 8, dtype=torch.uint8))
