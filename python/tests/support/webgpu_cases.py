"""Models that run with WebGPU, in inference, with sizes around those of tiles and of rows."""

from __future__ import annotations

from dataclasses import replace

from web_models import CASES, HEADS, IMAGE, SEQUENCE, WebCase, attention, chain, gpt

import mithril as ml

WITH_LABELS = ["cross entropy"]  # in inference there are no losses, and no labels


def bool_mask() -> ml.Model:
    """Attention where the keys are positive."""
    model = ml.Model()
    model |= ml.Greater()(left="m", right=0.0, output="mask")
    model |= ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)(
        query="x", key="k", value="v", attn_mask="mask", output="y"
    )
    return model


def float_mask() -> ml.Model:
    model = ml.Model()
    model |= ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)(
        query="x", key="k", value="v", attn_mask="m", output="y"
    )
    return model


def functions() -> ml.Model:
    """Functions of one element, and a choice, in a few loops."""
    model = ml.Model()
    x = ml.IOKey("x")
    y = ml.Sine()(input=x) + ml.Cosine()(input=x * 3.0)
    y = y + ml.Erf()(input=x) + ml.Tanh()(input=x * 0.1)
    y = y + ml.Softplus()(input=x) * ml.Sigmoid()(input=x) + ml.Sign()(input=x)
    y = y + ml.Where()(cond=x > 0.5, input1=x * x, input2=-x) + ml.Log1p()(input=x * x)
    model |= ml.Buffer()(input=y, output="y")
    return model


def reductions() -> ml.Model:
    model = ml.Model()
    parts = [ml.Sum(axis=1), ml.Mean(), ml.Max(axis=0), ml.Min(axis=(0, -1)), ml.ArgMax(axis=1)]
    for number, part in enumerate(parts):
        model |= part(input="x", output=f"y{number}")
    return model


# 8 and 32 are the sizes of tiles, and 16 is their depth.
SIZES = [(1, 1, 1), (7, 15, 31), (8, 16, 32), (9, 17, 33), (33, 40, 65), (0, 4, 3)]
LAYERS = {
    f"a linear layer of {rows} rows, {depth} inputs and {units} outputs": WebCase(
        lambda units=units: chain(ml.Linear(units), ml.Relu()), {"x": [rows, depth]}
    )
    for rows, depth, units in SIZES
}
MASKED = {"x": [2, 3, 9, 8], "k": [2, 3, 33, 8], "v": [2, 3, 33, 5]}
OWN = {
    "attention of long rows": WebCase(lambda: attention(is_causal=False), MASKED),
    "attention with a mask": WebCase(float_mask, {**MASKED, "m": [9, 33]}),
    "attention with a mask of bools": WebCase(bool_mask, {**MASKED, "m": [2, 1, 9, 33]}),
    "causal attention of one element": WebCase(
        lambda: attention(is_causal=True), {name: [1, 1, 1, 1] for name in HEADS}
    ),
    "layer norm of long rows": WebCase(lambda: chain(ml.LayerNorm(), ml.Relu()), {"x": [3, 200]}),
    "pooling with padding": WebCase(
        lambda: chain(ml.MaxPool2D(3, stride=2, padding=1), ml.AvgPool2D(2)), IMAGE
    ),
    "functions": WebCase(functions, SEQUENCE),
    "reductions": WebCase(reductions, SEQUENCE),
    "language model": WebCase(gpt, {"tokens": [1, 24]}, ints={"tokens": 256}),
}


def in_inference(case: WebCase) -> WebCase:
    return replace(case, options={**case.options, "inference": True})


GPU_CASES = {
    name: case if name in WITH_LABELS else in_inference(case)
    for name, case in {**CASES, **LAYERS, **OWN}.items()
}
