"""RoiAlign, DeformConv, MaxUnpool, and blocks of images, compared with NumPy and PyTorch."""

import itertools

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import gradients, refusal, run

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape)


def corners(image, y, x):
    """The shares of the four pixels around a position, times the pixels."""
    height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return [0.0] * 4
    y, x = max(y, 0), max(x, 0)
    top, left = min(int(y), height - 1), min(int(x), width - 1)
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    dy, dx = (0 if top == height - 1 else y - top), (0 if left == width - 1 else x - left)
    return [
        (1 - dy) * (1 - dx) * image[top, left],
        (1 - dy) * dx * image[top, right],
        dy * (1 - dx) * image[below, left],
        dy * dx * image[below, right],
    ]


def aligned(x, boxes, images, size, **rules):
    """Rules: samples, mode, scale, and half, the place of the first pixel."""
    samples, half = rules["samples"], rules.get("half", 0)
    made = np.zeros((len(boxes), x.shape[1], *size))
    for r, c, i, j in np.ndindex(*made.shape):
        left, top, right, bottom = boxes[r] * rules.get("scale", 1.0) - half
        extent = np.array([bottom - top, right - left])
        extent = extent if half else np.maximum(extent, 1)
        found = []
        for a, b in itertools.product(range(samples), repeat=2):
            y = top + (i + (a + 0.5) / samples) * extent[0] / size[0]
            z = left + (j + (b + 0.5) / samples) * extent[1] / size[1]
            found.append(corners(x[images[r], c], y, z))
        made[r, c, i, j] = (
            np.max(found) if rules.get("mode") == "max" else np.mean([sum(each) for each in found])
        )
    return made


BOXES = np.array([[0, 0, 7, 5], [1.3, 2.2, 4.9, 5.1], [-3, 1, 12, 3], [5, 5, 5.2, 5.1]])


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize(("name", "half"), [("half_pixel", 0.5), ("output_half_pixel", 0)])
@pytest.mark.parametrize("grid", [(1, 1.0), (2, 0.5), (3, 1.5)])
def test_regions_are_sampled(tmp_path, mode, name, half, grid):
    samples, scale = grid
    x, images = normal(2, 3, 6, 8), np.array([0, 1, 1, 0])
    node = ob.node(
        "RoiAlign",
        "x boxes images",
        "y",
        mode=mode.encode(),
        coordinate_transformation_mode=name.encode(),
        output_height=2,
        output_width=3,
        sampling_ratio=samples,
        spatial_scale=scale,
    )
    [y] = run(tmp_path, node, {"x": x, "boxes": BOXES, "images": images})
    wanted = aligned(x, BOXES, images, (2, 3), samples=samples, mode=mode, scale=scale, half=half)
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_the_number_of_regions_may_be_open(tmp_path):
    x = normal(2, 3, 6, 8)
    node = ob.node("RoiAlign", "x boxes images", "y", sampling_ratio=2, output_height=2)
    sizes = {"boxes": ["R", 4], "images": ["R"], "x": ["N", 3, "H", "W"]}
    for count in (1, 4):
        images = np.zeros(count, int)
        data = {"x": x, "boxes": BOXES[:count], "images": images}
        [y] = run(tmp_path, node, data, sizes=sizes, opset=10)
        wanted = aligned(x, BOXES[:count], images, (2, 1), samples=2)
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_the_gradients_of_regions_are_differences(tmp_path):
    node = ob.node("RoiAlign", "x boxes images", "y", sampling_ratio=2, output_height=2)
    x, images = normal(1, 2, 6, 8), np.array([0, 0])
    boxes = np.array([[0.4, 1.1, 4.3, 5.2], [1.3, 2.2, 4.9, 5.1]])
    made = gradients(tmp_path, node, {"images": images}, known={"x": x, "boxes": boxes})

    def total(x, boxes):
        return aligned(x, boxes, images, (2, 1), samples=2, half=0.5).sum()

    step = 1e-6
    for name, known in (("x", x), ("boxes", boxes)):
        wanted = np.zeros_like(known)
        for at in np.ndindex(*known.shape):
            moved = np.zeros_like(known)
            moved[at] = step
            ends = [
                total(x + sign * moved, boxes) if name == "x" else total(x, boxes + sign * moved)
                for sign in (1, -1)
            ]
            wanted[at] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(made[name], wanted, rtol=1e-6, atol=1e-6)


CONVOLUTIONS = [
    {},
    {"strides": [2, 1], "pads": [1, 0, 1, 0]},
    {"dilations": [1, 2], "pads": [0, 2, 0, 2], "group": 2},
]


@pytest.mark.parametrize("options", CONVOLUTIONS)
def test_windows_that_are_not_deformed_are_those_of_a_convolution(tmp_path, options):
    torch = pytest.importorskip("torch")
    group, taps = options.get("group", 1), 6
    x, weight, bias = normal(2, 4, 7, 8), normal(6, 4 // group, 3, 2), normal(6)
    pads = options.get("pads", [0] * 4)
    wanted = torch.nn.functional.conv2d(
        *map(torch.tensor, (x, weight, bias)),
        stride=options.get("strides", 1),
        padding=pads[:2],
        dilation=options.get("dilations", 1),
        groups=group,
    ).numpy()
    data = {"x": x, "offset": np.zeros((2, 2 * taps, *wanted.shape[2:]))}
    node = ob.node("DeformConv", "x w offset b", "y", **options)
    [y] = run(tmp_path, node, data, known={"w": weight, "b": bias})
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def pixel(image, y, x):
    """Between pixels, with zeros outside."""
    total = 0.0
    for i, j in itertools.product((0, 1), repeat=2):
        row, column = int(np.floor(y)) + i, int(np.floor(x)) + j
        if 0 <= row < image.shape[0] and 0 <= column < image.shape[1]:
            total += (1 - abs(y - row)) * (1 - abs(x - column)) * image[row, column]
    return total


def test_windows_are_deformed_and_masked(tmp_path):
    x, weight = normal(1, 4, 5, 6), normal(2, 4, 2, 3)
    offset, mask = 2 * normal(1, 2 * 2 * 6, 4, 4), normal(1, 2 * 6, 4, 4)
    node = b"".join(ob.field(1, name) for name in ("x", "w", "offset", "", "mask"))
    node += ob.node("DeformConv", "", "y", offset_group=2)
    data = {"x": x, "offset": offset, "mask": mask}
    [y] = run(tmp_path, node, data, known={"w": weight})
    moves, shares = offset.reshape(2, 6, 2, 4, 4), mask.reshape(2, 6, 4, 4)
    wanted = np.zeros((2, 4, 4))
    for out, i, j, c, tap in np.ndindex(2, 4, 4, 4, 6):
        dy, dx = moves[c // 2, tap, :, i, j]
        value = pixel(x[0, c], i + tap // 3 + dy, j + tap % 3 + dx)
        wanted[out, i, j] += value * shares[c // 2, tap, i, j] * weight[out, c, tap // 3, tap % 3]
    np.testing.assert_allclose(y[0], wanted, rtol=1e-12, atol=1e-12)


def test_maxima_return_to_their_places(tmp_path):
    torch = pytest.importorskip("torch")
    x = normal(1, 1, 6, 8)
    pooled, places = torch.nn.functional.max_pool2d(torch.tensor(x), 2, return_indices=True)
    wanted = torch.nn.functional.max_unpool2d(pooled, places, 2).numpy()
    node = ob.node("MaxUnpool", "x i", "y", kernel_shape=[2, 2], strides=[2, 2])
    data = {"x": pooled.numpy(), "i": places.numpy()}
    [y] = run(tmp_path, node, data)
    np.testing.assert_array_equal(y, wanted)
    node = ob.node("MaxUnpool", "x i shape", "y", kernel_shape=[2, 2], strides=[2, 2])
    [y] = run(tmp_path, node, data, known={"shape": np.array([1, 1, 7, 8])})
    np.testing.assert_array_equal(y, np.pad(wanted, [(0, 0), (0, 0), (0, 1), (0, 0)]))
    made = gradients(
        tmp_path,
        ob.node("MaxUnpool", "x i", "y", kernel_shape=[2, 2], strides=[2, 2]),
        {"i": data["i"]},
        known={"x": data["x"]},
    )
    np.testing.assert_array_equal(made["x"], np.ones((1, 1, 3, 4)))


BLOCKS = [
    ([5], [2], {}),
    ([4, 5], [2, 3], {"pads": [1, 0, 0, 2]}),
    ([3, 4, 5], [2, 1, 3], {"strides": [1, 2, 1]}),
    ([6, 4, 3], [2, 2, 2], {"dilations": [2, 1, 1], "pads": [1, 0, 1, 1, 0, 1]}),
]


@pytest.mark.parametrize(("image", "block", "options"), BLOCKS)
def test_blocks_of_any_number_of_axes_are_summed(tmp_path, image, block, options):
    axes = len(image)
    pads = options.get("pads", [0] * 2 * axes)
    strides, dilations = (options.get(name, [1] * axes) for name in ("strides", "dilations"))
    whole = [n + pads[i] + pads[axes + i] for i, n in enumerate(image)]
    counts = [(whole[i] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1 for i in range(axes)]
    x = normal(2, 3, *block, *counts)
    padded = np.zeros((2, 3, *whole))
    for tap in np.ndindex(*block):
        cut = tuple(
            slice(
                tap[i] * dilations[i],
                tap[i] * dilations[i] + strides[i] * (counts[i] - 1) + 1,
                strides[i],
            )
            for i in range(axes)
        )
        padded[(slice(None), slice(None), *cut)] += x[(slice(None), slice(None), *tap)]
    inner = tuple(slice(pads[i], pads[i] + n) for i, n in enumerate(image))
    node = ob.node("Col2Im", "x image block", "y", **options)
    known = {"image": np.array(image), "block": np.array(block)}
    data = {"x": x.reshape(2, 3 * int(np.prod(block)), -1)}
    [y] = run(tmp_path, node, data, known=known)
    np.testing.assert_allclose(y, padded[(slice(None), slice(None), *inner)], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_pools_of_ints_are_padded(tmp_path, dtype):
    x = RNG.integers(-128 if dtype == np.int8 else 0, 127, (1, 2, 5, 4)).astype(dtype)
    node = ob.node("MaxPool", "x", "y", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    [y] = run(tmp_path, node, {"x": x})
    lowest = np.iinfo(dtype).min
    wide = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=lowest)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (2, 3))
    np.testing.assert_array_equal(y, windows.max((-2, -1)))
    assert y.dtype == dtype


REFUSED = [
    (
        ob.node("RoiAlign", "x boxes images", "y"),
        "RoiAlign (opset 25): its sampling_ratio is 0, and the number of samples would depend on "
        "data; export the model with a sampling_ratio of 1 or more",
    ),
    (
        ob.node("RoiAlign", "x boxes images", "y", mode="sum", sampling_ratio=1),
        "RoiAlign (opset 25): its mode is sum",
    ),
    (
        ob.node("DeformConv", "x w offset", "y"),
        "DeformConv (opset 25): its offset has 3 channels, expected 8",
    ),
    (
        ob.node("MaxUnpool", "x images2 shape", "y", kernel_shape=[2, 2]),
        "MaxUnpool (opset 25): a size of its output_shape is 2, expected at least 7",
    ),
]


@pytest.mark.parametrize(("node", "reason"), REFUSED)
def test_wrong_regions_are_refused(tmp_path, node, reason):
    data = {"x": normal(1, 1, 6, 8), "boxes": BOXES, "images": np.zeros(4, int)}
    data |= {"offset": normal(1, 3, 5, 7), "images2": np.zeros((1, 1, 6, 8), int)}
    known = {"w": normal(1, 1, 2, 2), "shape": np.array([1, 1, 2, 2])}
    assert refusal(tmp_path, node, data, known=known) == reason
