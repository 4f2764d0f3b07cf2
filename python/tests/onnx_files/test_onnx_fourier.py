"""DFT, STFT and MelWeightMatrix, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import gradients, read, refusal, run

import mithril as ml

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape)


def pairs(x):
    return np.stack([x.real, x.imag], -1)


def numbers(x):
    return x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)


def dft(length, inputs="x length axis", **attributes):
    """A node; the length is left out if there is none."""
    names = [name if name != "length" or length else "" for name in inputs.split()]
    return b"".join(ob.field(1, name) for name in names) + ob.node("DFT", "", "y", **attributes)


@pytest.mark.parametrize("axis", [1, 2, -2, -3])
@pytest.mark.parametrize("length", [None, 3, 5, 8])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("inverse", [0, 1])
def test_transforms_along_an_axis(tmp_path, axis, length, parts, inverse):
    x = normal(2, 5, 6, parts)
    known = {"axis": np.array(axis)} | ({"length": np.array(length)} if length else {})
    [y] = run(tmp_path, dft(length, inverse=inverse), {"x": x}, known=known)
    transform = np.fft.ifft if inverse else np.fft.fft
    wanted = transform(numbers(x), length, axis % 4)
    np.testing.assert_allclose(y, pairs(wanted), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("length", [None, 4, 7])
def test_half_of_a_transform_of_real_numbers(tmp_path, length):
    x = normal(2, 6, 1)
    known = {"length": np.array(length)} if length else {}
    [y] = run(tmp_path, dft(length, "x length", onesided=1), {"x": x}, known=known)
    wanted = np.fft.rfft(x[..., 0], length)
    np.testing.assert_allclose(y, pairs(wanted), rtol=1e-12, atol=1e-12)
    back = dft(length, "x length", onesided=1, inverse=1)
    [y] = run(tmp_path, back, {"x": pairs(wanted)}, known=known)
    np.testing.assert_allclose(y, np.fft.irfft(wanted, length)[..., None], rtol=1e-12, atol=1e-12)


def test_opset_17_has_an_attribute_for_the_axis(tmp_path):
    x = normal(2, 5, 6, 2)
    for axis in (1, 2):
        [y] = run(tmp_path, dft(None, "x", axis=axis), {"x": x}, opset=17)
        wanted = pairs(np.fft.fft(numbers(x), axis=axis))
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)
    [y] = run(tmp_path, dft(None, "x"), {"x": x}, opset=17)
    np.testing.assert_allclose(y, pairs(np.fft.fft(numbers(x), axis=1)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "attributes", [{}, {"inverse": 1}, {"onesided": 1}, {"onesided": 1, "inverse": 1}]
)
def test_sizes_may_be_open(tmp_path, attributes):
    net = read(
        tmp_path, dft(None, "x", **attributes), {"x": normal(2, 6, 2)}, sizes={"x": ["B", "N", 2]}
    )
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    for dims in ((2, 6, 2), (3, 5, 2)):
        x = normal(*dims)
        y = np.asarray(compiled.evaluate(net.params, {"x": x})["y"])
        whole = numbers(x)
        if attributes == {"onesided": 1, "inverse": 1}:
            wanted = np.fft.irfft(whole)[..., None]
        elif "inverse" in attributes:
            wanted = pairs(np.fft.ifft(whole))
        else:
            wanted = pairs(np.fft.fft(whole))
            wanted = wanted[:, : dims[1] // 2 + 1] if "onesided" in attributes else wanted
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_the_gradient_of_a_transform_is_its_transpose(tmp_path):
    weight = normal(2, 6, 2)
    nodes = [dft(None, "w", onesided=1), ob.node("Mul", "z x", "y")]
    nodes[0] = nodes[0].replace(ob.field(2, "y"), ob.field(2, "z"))
    x = normal(2, 4, 2)
    made = gradients(tmp_path, nodes, {"x": x}, known={"w": weight})
    wide = np.zeros((2, 6), complex)
    wide[:, :4] = numbers(x)
    # The transpose of a transform, of a gradient with the conjugate.
    wanted = np.conj(np.fft.fft(np.conj(wide)))
    np.testing.assert_allclose(numbers(made["w"]), wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("length", "step"), [(8, 4), (5, 3), (16, 1)])
@pytest.mark.parametrize("has_window", [False, True])
@pytest.mark.parametrize("onesided", [0, 1])
def test_transforms_of_frames(tmp_path, length, step, has_window, onesided):
    x, window = normal(2, 20, 1), normal(length)
    known = {"step": np.array(step), "length": np.array(length), "window": window}
    inputs = ("x", "step", "window" if has_window else "", "length")
    node = b"".join(ob.field(1, name) for name in inputs)
    node += ob.node("STFT", "", "y", onesided=onesided)
    [y] = run(tmp_path, node, {"x": x}, known=known)
    frames = [x[:, i : i + length, 0] for i in range(0, 20 - length + 1, step)]
    signal = np.stack(frames, 1) * (window if has_window else 1)
    wanted = np.fft.rfft(signal) if onesided else np.fft.fft(signal)
    np.testing.assert_allclose(y, pairs(wanted), rtol=1e-12, atol=1e-12)


def test_mel_weights_are_triangles(tmp_path):
    known = {
        "bands": np.array(8),
        "length": np.array(64),
        "rate": np.array(8000),
        "low": np.array(0.0),
        "high": np.array(4000.0),
    }
    node = ob.node("MelWeightMatrix", " ".join(known), "y", output_datatype=11)
    [y] = run(tmp_path, node, {}, known=known)
    mels = np.arange(10) * 2595 * np.log10(1 + 4000 / 700) / 10
    edges = (65 * 700 * (10 ** (mels / 2595) - 1) / 8000).astype(int)
    rows = np.arange(33)
    for band in range(8):
        before, centre, after = edges[band : band + 3]
        wanted = np.interp(rows, [before, centre, after], [0, 1, 0])
        if before == centre:
            wanted[rows < centre] = 0
        if centre == after:
            wanted[rows > centre] = 0
        wanted[centre] = 1
        np.testing.assert_allclose(y[:, band], wanted, atol=1e-12)


REFUSED = [
    (
        dft(None, "x", onesided=0),
        "DFT",
        [2, 3, 4, 3],
        "the size of its last axis is 3, expected at most 2",
    ),
    (
        dft(8, "x known axis"),
        "DFT",
        [2, 3, 4, 2],
        "its axis is the last one, which has the parts of the numbers",
    ),
    (
        ob.node("STFT", "x known", "y"),
        "STFT",
        [2, "N", 1],
        "it needs the length of its signal; shapes= of the inputs states it",
    ),
]


@pytest.mark.parametrize(("node", "op", "sizes", "reason"), REFUSED)
def test_wrong_transforms_are_refused(tmp_path, node, op, sizes, reason):
    known = {"known": np.array(3), "axis": np.array(3)}
    dims = [2 if isinstance(size, str) else size for size in sizes]
    found = refusal(tmp_path, node, {"x": normal(*dims)}, known=known, sizes={"x": sizes})
    assert found == f"{op} (opset 25): {reason}"
