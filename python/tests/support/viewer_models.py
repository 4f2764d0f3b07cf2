"""Models for the viewer."""

from __future__ import annotations

import mithril as ml


def perceptron() -> ml.Model:
    block = ml.Model(name="block")
    block |= ml.Linear(4, name="fc1")(input="x", output="h")
    block |= ml.Gelu()(input="h", output="r")
    net = ml.Model()
    net |= block(x="x", r="r")
    net |= ml.Linear(3, name="head")(input="r", output="y")
    net.expose_keys("y")
    net.set_shapes(x=["N", 5])
    return net


def attention_block(name: str, width: int, heads: int) -> ml.Model:
    """A block of GPT-2: x [N, L, width]."""
    x = ml.IOKey("x", shape=["N", "L", width])
    h = ml.LayerNorm(name="ln_1")(x)
    qkv = ml.Linear(3 * width, name="attn.c_attn")(h)
    split = (x.shape[0], x.shape[1], heads, -1)
    q, k, v = (part.reshape(split).transpose((0, 2, 1, 3)) for part in ml.Split(3, axis=-1)(qkv))
    attended = ml.ScaledDotProduct()(q, k, v).transpose((0, 2, 1, 3))
    joined = attended.reshape((x.shape[0], x.shape[1], width))
    x = x + ml.Linear(width, name="attn.c_proj")(joined)
    h = ml.Linear(4 * width, name="mlp.c_fc")(ml.LayerNorm(name="ln_2")(x))
    output = x + ml.Linear(width, name="mlp.c_proj")(ml.Gelu()(h))
    block = ml.Model(name=name)
    block |= output
    block.expose_keys(output=output)
    return block


def gpt2(layers: int = 12, width: int = 768, heads: int = 12) -> ml.Model:
    net = ml.Model()
    net |= ml.Embedding(50257, dim=width, name="wte")(input="tokens", output="h0")
    for layer in range(layers):
        block = attention_block(f"h.{layer}", width, heads)
        net |= block(x=f"h{layer}", output=f"h{layer + 1}")
    net |= ml.LayerNorm(name="ln_f")(input=f"h{layers}", output="normed")
    net |= ml.Linear(50257, name="lm_head")(input="normed", output="logits")
    net.expose_keys("logits")
    return net


def chain(count: int) -> ml.Model:
    """A flat model of ops without names, with sums of two."""
    ops = (ml.Relu, ml.Gelu, ml.Sigmoid, ml.Tanh)
    net = ml.Model()
    net |= ml.Relu()(input="x", output="v0")
    for i in range(1, count):
        if i % 10 == 9:
            net |= ml.Add()(left=f"v{i - 1}", right=f"v{i - 9}", output=f"v{i}")
        else:
            net |= ops[i % 4]()(input=f"v{i - 1}", output=f"v{i}")
    net.expose_keys(f"v{count - 1}")
    net.set_shapes(x=["N", 64])
    return net
