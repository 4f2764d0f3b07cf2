"""Attention and FlexAttention, compared with a loop over queries in NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import gradients, read, refusal, run

import mithril as ml

RNG = np.random.default_rng(0)
B, H, Q, K, D = 2, 4, 3, 5, 8


def normal(*shape):
    return RNG.normal(size=shape)


def heads(data, queries=Q, keys=K, key_heads=H, value_size=D):
    """Queries, keys and values."""
    return data | {
        "q": normal(B, H, queries, D),
        "k": normal(B, key_heads, keys, D),
        "v": normal(B, key_heads, keys, value_size),
    }


def expected(q, k, v, places, **rules):
    """`places`: of the queries among the keys, for each sample. Rules: mask, causal, window, count
    (of the keys of each sample) and cap."""
    mask, count, cap = rules.get("mask"), rules.get("count"), rules.get("cap")
    window = rules.get("window", (-1, -1))
    made = np.zeros((*q.shape[:3], v.shape[3]))
    group = q.shape[1] // k.shape[1]
    wide = None if mask is None else np.broadcast_to(mask, (*q.shape[:3], k.shape[2]))
    for b, h, i in np.ndindex(*q.shape[:3]):
        scores = k[b, h // group] @ q[b, h, i] / np.sqrt(q.shape[3])
        if cap:
            scores = cap * np.tanh(scores / cap)
        place, j = places[b] + i, np.arange(k.shape[2])
        allowed = np.ones(k.shape[2], bool)
        if wide is not None and wide.dtype == bool:
            allowed &= wide[b, h, i]
        elif wide is not None:
            scores = scores + wide[b, h, i]
        if rules.get("causal"):
            allowed &= j <= place
        if window[0] >= 0:
            allowed &= j >= place - window[0]
        if window[1] >= 0:
            allowed &= j <= place + window[1]
        if count is not None:
            allowed &= j < count[b]
        if allowed.any():
            weights = np.where(allowed, np.exp(scores - scores.max()), 0)
            made[b, h, i] = weights @ v[b, h // group] / weights.sum()
    return made


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("window", [(-1, -1), (1, -1), (-1, 1), (2, 0)])
@pytest.mark.parametrize("dims", [(K,), (Q, K), (H, Q, K), (B, H, Q, K), (Q, K - 2)])
@pytest.mark.parametrize("is_bool", [False, True])
def test_masks_and_windows_leave_out_keys(tmp_path, causal, window, dims, is_bool):
    mask = RNG.random(dims) < 0.7 if is_bool else normal(*dims)
    data = heads({}) | {"mask": mask}
    node = ob.node(
        "Attention",
        "q k v mask",
        "y",
        is_causal=causal,
        left_window_size=window[0],
        right_window_size=window[1],
    )
    [y] = run(tmp_path, node, data)
    whole = np.full((*dims[:-1], K), False if is_bool else -np.inf)
    whole[..., : dims[-1]] = mask
    rules = {"mask": whole, "causal": causal, "window": window}
    wanted = expected(data["q"], data["k"], data["v"], [0] * B, **rules)
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("window", [(-1, -1), (2, 1)])
def test_samples_have_their_own_numbers_of_keys(tmp_path, causal, window):
    data = heads({}, key_heads=2, value_size=3)
    # The inputs 3 to 5 are left out.
    node = b"".join(ob.field(1, name) for name in ("q", "k", "v", "", "", "", "count")) + ob.node(
        "Attention",
        "",
        "y",
        is_causal=causal,
        left_window_size=window[0],
        right_window_size=window[1],
        softcap=1.5,
    )
    for count in ([K, 2], [1, 4]):
        inputs = data | {"count": np.array(count)}
        [y] = run(tmp_path, node, inputs)
        rules = {"causal": causal, "window": window, "count": count, "cap": 1.5}
        places = [each - Q for each in count]
        wanted = expected(data["q"], data["k"], data["v"], places, **rules)
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_batches_and_lengths_may_be_open(tmp_path):
    data = heads({})
    sizes = {"q": ["B", H, "Q", D], "k": ["B", H, "K", D], "v": ["B", H, "K", D]}
    node = ob.node("Attention", "q k v", "y", is_causal=1)
    net = read(tmp_path, node, data, sizes=sizes)
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"), inference=True)
    for queries, keys in ((3, 5), (6, 2)):
        data = heads({}, queries, keys)
        y = np.asarray(compiled.evaluate(net.params, data)["y"])
        wanted = expected(data["q"], data["k"], data["v"], [0] * B, causal=True)
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


def test_keys_continue_a_past(tmp_path):
    data = heads({}) | {"pk": normal(B, H, 2, D), "pv": normal(B, H, 2, D)}
    node = b"".join(ob.field(1, name) for name in ("q", "k", "v", "", "pk", "pv"))
    node += ob.node("Attention", "", "y nk nv", is_causal=1, left_window_size=2)
    y, keys, values = run(tmp_path, node, data, "y nk nv")
    all_keys = np.concatenate([data["pk"], data["k"]], 2)
    all_values = np.concatenate([data["pv"], data["v"]], 2)
    np.testing.assert_array_equal(keys, all_keys)
    np.testing.assert_array_equal(values, all_values)
    wanted = expected(data["q"], all_keys, all_values, [2] * B, causal=True, window=(2, -1))
    np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_narrow_floats_are_near(tmp_path, dtype):
    data = {key: x.astype(dtype) for key, x in heads({}).items()}
    node = ob.node("Attention", "q k v", "y", is_causal=1)
    [y] = run(tmp_path, node, data, dtype="float32")
    assert y.dtype == dtype
    wide = {key: x.astype(np.float64) for key, x in data.items()}
    wanted = expected(wide["q"], wide["k"], wide["v"], [0] * B, causal=True)
    bound = 4e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=bound, atol=bound)


def test_gradients_of_keys_and_values_are_those_of_torch(tmp_path):
    torch = pytest.importorskip("torch")
    data = heads({})
    mask = np.tril(np.ones((Q, K), bool))
    known = {"k": data["k"], "v": data["v"]}
    node = ob.node("Attention", "q k v", "y", is_causal=1)
    made = gradients(tmp_path, node, {"q": data["q"]}, known=known)
    k, v = (torch.tensor(known[name], requires_grad=True) for name in "kv")
    result = torch.nn.functional.scaled_dot_product_attention(
        torch.tensor(data["q"]), k, v, attn_mask=torch.tensor(mask)
    )
    result.sum().backward()
    np.testing.assert_allclose(made["k"], k.grad, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(made["v"], v.grad, rtol=1e-10, atol=1e-12)


REFUSED = [
    ({"mask": (Q, K + 1)}, {}, "its mask has 6 keys of 5"),
    ({}, {"left_window_size": -2}, "its attribute 'left_window_size' is -2, expected at least -1"),
    ({}, {"softmax_precision": 7}, "its softmax_precision is int64"),
]


@pytest.mark.parametrize(("more", "attributes", "reason"), REFUSED)
def test_wrong_attention_is_refused(tmp_path, more, attributes, reason):
    data = heads({}) | {name: normal(*dims) for name, dims in more.items()}
    node = ob.node("Attention", " ".join(["q k v", *more]), "y", **attributes)
    assert refusal(tmp_path, node, data) == f"Attention (opset 25): {reason}"


PREVIEW = "ai.onnx.preview"


def flex(**attributes):
    return ob.node("FlexAttention", "q k v", "y", **attributes) + ob.field(7, PREVIEW)


def graph_of(nodes, known=None):
    return ob.graph(nodes, [ob.field(1, "s")], [ob.field(1, "t")], known)


def test_graphs_change_scores_and_weights(tmp_path):
    data = heads({}, key_heads=2)
    scale = graph_of([ob.node("Mul", "s two", "t")], {"two": np.array(2.0)})
    drop = graph_of([ob.node("Where", "keep s zero", "t")], {"zero": np.array(0.0)})
    keep = RNG.random((Q, K)) < 0.8
    node = flex(scale=0.25, score_mod=scale, prob_mod=drop)
    [y] = run(tmp_path, node, data | {"keep": keep}, domain=PREVIEW)
    k, v = (np.repeat(data[name], 2, axis=1) for name in "kv")
    scores = np.exp(2 * 0.25 * data["q"] @ k.swapaxes(2, 3))
    weights = np.where(keep, scores / scores.sum(-1, keepdims=True), 0)
    np.testing.assert_allclose(y, weights @ v, rtol=1e-12, atol=1e-12)


def test_gradients_go_through_the_graphs(tmp_path):
    torch = pytest.importorskip("torch")
    data = heads({})
    bias = normal(Q, K)
    node = flex(score_mod=graph_of([ob.node("Add", "s bias", "t")], {}))
    known = {"bias": bias, "k": data["k"], "v": data["v"]}
    made = gradients(tmp_path, node, {"q": data["q"]}, known=known, domain=PREVIEW)
    k, v, b = (torch.tensor(known[name], requires_grad=True) for name in ("k", "v", "bias"))
    torch.nn.functional.scaled_dot_product_attention(
        torch.tensor(data["q"]), k, v, attn_mask=b
    ).sum().backward()
    for name, each in (("k", k), ("v", v), ("bias", b)):
        np.testing.assert_allclose(made[name], each.grad, rtol=1e-10, atol=1e-12)


FLEX_REFUSED = [
    (graph_of([ob.node("Cast", "s", "t", to=1)]), "its score_mod is float, expected double"),
    (
        ob.graph(
            [ob.node("Add", "s r", "t")], [ob.field(1, "s"), ob.field(1, "r")], [ob.field(1, "t")]
        ),
        "its score_mod has 2 inputs and 1 outputs, expected one each",
    ),
]


@pytest.mark.parametrize(("graph", "reason"), FLEX_REFUSED)
def test_wrong_graphs_are_refused(tmp_path, graph, reason):
    found = refusal(tmp_path, flex(score_mod=graph), heads({}), domain=PREVIEW)
    prefix = f"{PREVIEW}.FlexAttention (opset 1): "
    assert found == prefix + reason.replace("its score_mod is", "the output of its score_mod is")


def test_a_graph_with_an_unknown_op_is_refused(tmp_path):
    found = refusal(
        tmp_path, flex(score_mod=graph_of([ob.node("Foo", "s", "t")])), heads({}), domain=PREVIEW
    )
    assert found == "Foo (opset 25): no op of Mithril computes it yet"
