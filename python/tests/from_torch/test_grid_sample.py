"""Places of `GridSample` and `GridSample3d` outside of all numbers, and at the outer pixels;
PyTorch is the oracle."""

import itertools
import math

import numpy as np
import pytest

import mithril as ml

IMAGE = np.arange(1.0, 13.0, dtype=np.float32).reshape(1, 1, 3, 4)
FAR = [math.nan, math.inf, -math.inf, 1e20]
PLACES = [*itertools.product(FAR, [0.25]), *itertools.product([0.25], FAR), (math.nan, math.inf)]
MODES = ["bilinear", "nearest", "bicubic"]
PADDINGS = ["zeros", "border", "reflection"]


def sampled(
    places: list[tuple[float, ...]],
    mode: str,
    padding: str,
    aligned: bool,
    image: np.ndarray = IMAGE,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the sampled pixels, and the gradient of their sum with respect to the places."""
    axes = image.ndim - 2
    layer = ml.GridSample if axes == 2 else ml.GridSample3d
    model = layer(mode=mode, padding_mode=padding, align_corners=aligned)
    grid = np.array(places, np.float32).reshape(1, -1, *(1,) * (axes - 1), axes)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": image.shape, "grid": grid.shape})
    given = {"input": image, "grid": grid}
    params = {key: given[key] for key in compiled.parameter_keys}
    data = {key: given[key] for key in compiled.data_keys}
    seed = {"output": np.ones(grid.shape[1:-1], np.float32)[None, None]}
    outputs, gradients = compiled.evaluate(params, data, output_gradients=seed)
    return np.asarray(outputs["output"]).ravel(), np.asarray(gradients["grid"]).reshape(-1, axes)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
def test_no_sampling_position_raises_an_error(mode: str, padding: str, aligned: bool) -> None:
    pixels, _ = sampled(PLACES, mode, padding, aligned)
    # NaN has no nearest pixels, and border padding moves it to the first one.
    undefined = np.isnan(pixels)
    if mode == "nearest":
        assert not undefined.any()
    if mode == "bicubic":
        assert undefined[[0, 1, 2, 4, 5, 6, 8]].all()
    if padding == "zeros":
        assert (pixels[[3, 7]] == 0).all()
    if mode == "bilinear" and padding == "border":
        first, _ = sampled([(-1.0, 0.25), (0.25, -1.0)], mode, padding, aligned)
        np.testing.assert_array_equal(pixels[[0, 4]], first)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(
    ("mode", "padding"),
    [("bilinear", "zeros"), ("nearest", "zeros"), ("nearest", "border"), ("bicubic", "zeros")],
)
def test_places_that_are_no_numbers_follow_torch(mode: str, padding: str, aligned: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    grid = torch.tensor(PLACES).reshape(1, -1, 1, 2)
    expected = torch.nn.functional.grid_sample(
        torch.from_numpy(IMAGE), grid, mode=mode, padding_mode=padding, align_corners=aligned
    )
    pixels, _ = sampled(PLACES, mode, padding, aligned)
    np.testing.assert_allclose(pixels, expected.numpy().ravel(), rtol=1e-6)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
def test_the_slope_at_the_outer_pixels_is_that_of_torch(padding: str, aligned: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    places = [*itertools.product([-1.0, 0.3, 1.0], repeat=2)]
    grid = torch.tensor(places).reshape(1, -1, 1, 2).requires_grad_()
    torch.nn.functional.grid_sample(
        torch.from_numpy(IMAGE), grid, padding_mode=padding, align_corners=aligned
    ).sum().backward()
    _, slopes = sampled(places, "bilinear", padding, aligned)
    assert grid.grad is not None
    np.testing.assert_allclose(slopes, grid.grad.reshape(-1, 2).numpy(), atol=1e-5)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_a_volume_of_depth_1_is_sampled_as_an_image(mode: str, padding: str, aligned: bool) -> None:
    places = [*PLACES, *itertools.product([-1.0, 0.3, 1.0], repeat=2)]
    deep = [(x, y, 0.0) for x, y in places]
    pixels, slopes = sampled(places, mode, padding, aligned)
    voxels, steep = sampled(deep, mode, padding, aligned, IMAGE[:, :, None])
    np.testing.assert_allclose(voxels, pixels, rtol=1e-6)
    np.testing.assert_allclose(steep[:, :2], slopes, atol=1e-5)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_the_corners_of_a_volume_are_those_of_torch(mode: str, padding: str, aligned: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    volume = (np.arange(24.0, dtype=np.float32) * 7 % 11).reshape(1, 1, 2, 3, 4)
    places = [*itertools.product([-1.0, 0.3, 1.0], repeat=3)]
    grid = torch.tensor(places).reshape(1, -1, 1, 1, 3).requires_grad_()
    expected = torch.nn.functional.grid_sample(
        torch.from_numpy(volume), grid, mode=mode, padding_mode=padding, align_corners=aligned
    )
    expected.sum().backward()
    pixels, slopes = sampled(places, mode, padding, aligned, volume)
    np.testing.assert_allclose(pixels, expected.detach().numpy().ravel(), atol=1e-5)
    assert grid.grad is not None
    np.testing.assert_allclose(slopes, grid.grad.reshape(-1, 3).numpy(), atol=1e-5)
