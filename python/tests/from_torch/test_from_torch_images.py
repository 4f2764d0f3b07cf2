"""Images and volumes that converted models resize and sample; skipped where torch is missing."""

import itertools

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
@pytest.mark.sampled(3)
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


class Sampled(torch.nn.Module):
    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options

    def forward(self, x, grid):
        return F.grid_sample(x, grid, **self.options)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(
    ("mode", "padding"),
    itertools.product(["bilinear", "nearest"], ["zeros", "border", "reflection"]),
)
def test_sampled_volumes_are_the_same(mode: str, padding: str, aligned: bool) -> None:
    options = {"mode": mode, "padding_mode": padding, "align_corners": aligned}
    inputs = normal(2, 3, 4, 3, 5), normal(2, 2, 1, 4, 3)
    assert_same(Case(lambda: Sampled(**options), inputs))


class Transformed(torch.nn.Module):
    """A spatial transformer (https://arxiv.org/abs/1506.02025)."""

    def __init__(self, sizes: tuple[int, ...], aligned: bool) -> None:
        super().__init__()
        self.sizes, self.aligned = sizes, aligned
        self.theta = torch.nn.Parameter(normal(2, len(sizes), len(sizes) + 1) / 2)

    def forward(self, x):
        grid = F.affine_grid(self.theta, [*x.shape[:2], *self.sizes], align_corners=self.aligned)
        return F.grid_sample(x, grid, align_corners=self.aligned)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("sizes", [(3, 5), (3, 2, 4)])
@pytest.mark.sampled(3)
def test_affine_grids_are_the_same(sizes: tuple[int, ...], aligned: bool) -> None:
    x = normal(2, 3, *(4, 6, 5)[: len(sizes)])
    assert_same(Case(lambda: Transformed(sizes, aligned), (x,)))
