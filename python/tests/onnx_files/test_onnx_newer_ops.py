"""Ops of newer opsets, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def run(tmp_path, node, data, outputs="y", known=None):
    inputs = [ob.value(name, list(x.shape), x.dtype.name) for name, x in data.items()]
    stated = ob.field(2, ob.field(1, ob.field(1, ob.TYPES["float32"])))
    named = [ob.field(1, name) + stated for name in outputs.split()]
    (tmp_path / "net.onnx").write_bytes(ob.file([node], inputs, named, known, opset=28))
    model, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    results = ml.compile(model, ml.CpuBackend(), inference=True).evaluate(params, data)
    return [np.asarray(results[name]) for name in outputs.split()]


def silu(x, alpha=1.0):
    return x / (1 + np.exp(-alpha * x))


@pytest.mark.parametrize("alpha", [1.0, 1.5])
def test_a_gate_is_multiplied(tmp_path, alpha):
    data = {"a": normal(2, 3), "b": normal(2, 3)}
    [y] = run(tmp_path, ob.node("SwiGLU", "a b", "y", alpha=alpha), data)
    np.testing.assert_allclose(y, silu(data["a"], alpha) * data["b"], rtol=1e-5, atol=1e-6)


def test_a_remainder_of_floats_has_the_sign_of_the_divisor(tmp_path):
    data = {
        "a": np.array([5.5, -5.5, 5.5, -5.5, 0.0, 1.0], np.float32),
        "b": np.array([2.0, 2.0, -2.0, -2.0, 3.0, np.inf], np.float32),
    }
    [y] = run(tmp_path, ob.node("Mod", "a b", "y"), data)
    np.testing.assert_array_equal(y, np.mod(data["a"], data["b"]))


@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("activation", ["none", "silu"])
@pytest.mark.parametrize("has_state", [False, True])
def test_a_causal_convolution_continues_from_its_state(tmp_path, kernel, activation, has_state):
    x, weight, bias = normal(2, 3, 7), normal(3, 1, kernel), normal(3)
    past = normal(2, 3, kernel - 1) if has_state else np.zeros((2, 3, kernel - 1), np.float32)
    data = {"x": x} | ({"past": past} if has_state and kernel > 1 else {})
    inputs = "x w b past" if "past" in data else "x w b"
    node = ob.node("CausalConvWithState", inputs, "y state", activation=activation)
    y, state = run(tmp_path, node, data, "y state", {"w": weight, "b": bias})
    whole = np.concatenate([past, x], axis=2)
    windows = np.stack([whole[:, :, i : i + kernel] for i in range(7)], axis=2)
    wanted = (windows * weight).sum(-1) + bias[:, None]
    wanted = silu(wanted) if activation == "silu" else wanted
    np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(state, whole[:, :, 7:])


@pytest.mark.parametrize("corners", [0, 1])
@pytest.mark.parametrize("dims", [(2, 3), (1, 4), (2, 3, 4)])
def test_a_grid_has_the_moved_positions_of_pixels(tmp_path, corners, dims):
    axes = len(dims)
    theta = normal(2, axes, axes + 1)
    size = np.array([2, 5, *dims])
    node = ob.node("AffineGrid", "theta size", "y", align_corners=corners)
    [grid] = run(tmp_path, node, {"theta": theta}, known={"size": size})
    steps = [
        np.linspace(-1, 1, n) if corners and n > 1 else (2 * np.arange(n) + 1) / n - 1 for n in dims
    ]
    if corners:
        steps = [np.array([-1.0]) if n == 1 else step for n, step in zip(dims, steps, strict=True)]
    pixels = np.stack([*np.meshgrid(*steps, indexing="ij")[::-1], np.ones(dims)], axis=-1)
    wanted = np.einsum("...j,nij->n...i", pixels, theta)
    np.testing.assert_allclose(grid, wanted, rtol=1e-5, atol=1e-6)


def attended(data, heads, kv_heads, rule):
    """Linear attention token by token, in float64."""
    query, key, value = (data[name].astype(np.float64) for name in ("q", "k", "v"))
    batch, tokens, _ = query.shape
    query = query.reshape(batch, tokens, heads, -1)
    key = key.reshape(batch, tokens, kv_heads, -1)
    value = value.reshape(batch, tokens, kv_heads, -1)
    state = data["past"].astype(np.float64) if "past" in data else 0
    made = []
    for t in range(tokens):
        if "gated" in rule:
            decay = data["decay"][:, t].reshape(batch, kv_heads, -1)
            state = state * np.exp(decay)[..., None]
        row = value[:, t]
        if "delta" in rule:
            found = np.einsum("bhdm,bhd->bhm", state + np.zeros((1, 1, 1, 1)), key[:, t])
            row = data["beta"][:, t, :, None] * (row - found)
        state = state + key[:, t][..., None] * row[..., None, :]
        read = np.repeat(state, heads // kv_heads, axis=1)
        made.append(np.einsum("bhd,bhdm->bhm", query[:, t], read) / np.sqrt(query.shape[-1]))
    return np.stack(made, axis=1).reshape(batch, tokens, -1), state


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("heads", [2, 4])
@pytest.mark.parametrize("tokens", [1, 5])
def test_linear_attention_is_that_of_its_tokens(tmp_path, rule, heads, tokens):
    kv_heads, size, value_size = 2, 3, 4
    data = {
        "q": normal(2, tokens, heads * size),
        "k": normal(2, tokens, kv_heads * size),
        "v": normal(2, tokens, kv_heads * value_size),
    }
    if rule != "delta":
        data["past"] = normal(2, kv_heads, size, value_size)
    if "gated" in rule:
        columns = kv_heads * size if rule == "gated" else kv_heads
        data["decay"] = -np.abs(normal(2, tokens, columns))
    if "delta" in rule:
        data["beta"] = np.abs(normal(2, tokens, kv_heads if rule == "delta" else 1))
    if rule == "delta":
        data["past"] = np.zeros((2, kv_heads, size, value_size), np.float32)
    names = ["q", "k", "v", "past", "decay", "beta"]
    names = " ".join(name if name in data else "-" for name in names)
    node = ob.node(
        "LinearAttention",
        names,
        "y state",
        q_num_heads=heads,
        kv_num_heads=kv_heads,
        update_rule=rule,
    ).replace(ob.field(1, "-"), ob.field(1, ""))
    got = run(tmp_path, node, data, "y state")
    for result, wanted in zip(got, attended(data, heads, kv_heads, rule), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def test_a_rule_of_linear_attention_without_its_input_is_refused(tmp_path):
    data = {"q": normal(1, 2, 4), "k": normal(1, 2, 4), "v": normal(1, 2, 4)}
    node = ob.node("LinearAttention", "q k v", "y state", q_num_heads=2, kv_num_heads=2)
    with pytest.raises(ml.ValueError, match="its update_rule needs input decay"):
        run(tmp_path, node, data, "y state")


@pytest.mark.parametrize("pads", [0, 1])
def test_columns_are_added_to_their_windows(tmp_path, pads):
    image, block, strides, dilations = (4, 5), (2, 2), (2, 1), (1, 2)
    counts = [
        (n + 2 * pads - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(image, block, strides, dilations, strict=True)
    ]
    x = normal(2, 3 * 4, counts[0] * counts[1])
    node = ob.node(
        "Col2Im",
        "x image block",
        "y",
        strides=list(strides),
        dilations=list(dilations),
        pads=[pads] * 4,
    )
    known = {"image": np.array(image), "block": np.array(block)}
    [y] = run(tmp_path, node, {"x": x}, known=known)
    wanted = np.zeros((2, 3, image[0] + 2 * pads, image[1] + 2 * pads))
    columns = x.reshape(2, 3, *block, *counts)
    for i, j, a, b in np.ndindex(*block, *counts):
        at = a * strides[0] + i * dilations[0], b * strides[1] + j * dilations[1]
        wanted[:, :, at[0], at[1]] += columns[:, :, i, j, a, b]
    inner = slice(pads, pads + image[0]), slice(pads, pads + image[1])
    np.testing.assert_allclose(y, wanted[(..., *inner)], rtol=1e-5, atol=1e-5)


def test_a_causal_convolution_without_a_kernel_is_refused(tmp_path):
    node = ob.node("CausalConvWithState", "x w", "y state")
    with pytest.raises(ml.ValueError, match="its kernel is 0, expected at least 1"):
        run(tmp_path, node, {"x": normal(2, 3, 7)}, "y state", {"w": normal(3, 1, 0)})
