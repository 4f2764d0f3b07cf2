"""What `ml.from_torch` makes of attention."""

from __future__ import annotations

import math
from typing import Any

import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import from_torch_shapes as shapes
from . import models as ml
from .from_torch_table import Table, internal, is_bool, is_number, refuse_if, table


def check_mask(mask: Any) -> None:
    known = mask is None or is_bool(mask) or is_number(mask)
    refuse_if(not known, "with a mask of which from_torch(types=...) has to say the type")


def weights_of(query: Any, key: Any, mask: Any, is_causal: bool, **scale: Any) -> Any:
    masks = {} if mask is None else {"attn_mask": mask}
    return internal("AttentionWeights", is_causal=is_causal)(query=query, key=key, **masks, **scale)


def attention(query: Any, key: Any, value: Any, mask: Any, is_causal: bool, **scale: Any) -> Any:
    masks = {} if mask is None else {"attn_mask": mask}
    attend = ml.PrimitiveScaledDotProduct(is_causal=is_causal)
    return attend(query=query, key=key, value=value, **masks, **scale)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    enable_gqa: bool = False,
    *,
    draw_seed: Any,
) -> Any:
    refuse_if(enable_gqa, "with enable_gqa=True")
    refuse_if(is_causal and attn_mask is not None, "with a mask and is_causal=True")
    check_mask(attn_mask)
    options = {} if scale is None else {"scale": scale}
    if dropout_p == 0:
        return attention(query, key, value, attn_mask, is_causal, **options)
    weights = weights_of(query, key, attn_mask, is_causal, **options)
    return ml.Dropout(p=dropout_p, seed=draw_seed())(weights) @ value


# ---- nn.MultiheadAttention ----


def projected(part: Any, module: Any, inputs: tuple[Any, Any, Any]) -> list[Any]:
    """Query, key and value: one product where they come from one input."""
    width = module.embed_dim
    bias = part.get("in_proj_bias") if module.in_proj_bias is not None else None
    query, key, value = inputs
    if module._qkv_same_embed_dim and query is key and key is value:
        all_three = linear(query, part.get("in_proj_weight"), bias)
        return list(ml.PrimitiveSplit(sizes=(width,) * 3, axis=-1)(all_three))
    if module._qkv_same_embed_dim:
        weights = thirds(part.get("in_proj_weight"), width)
    else:
        weights = [part.get(f"{name}_proj_weight") for name in "qkv"]
    biases = [None] * 3 if bias is None else thirds(bias, width)
    return [linear(*each) for each in zip(inputs, weights, biases, strict=True)]


def thirds(stacked: Any, width: int) -> list[Any]:
    return [stacked[i * width : (i + 1) * width] for i in range(3)]


def linear(input: Any, weight: Any, bias: Any) -> Any:
    ports = {} if bias is None else {"bias": bias}
    return ml.Linear(use_bias=bias is not None)(input=input, weight=weight, **ports)


def in_heads(x: Any, module: Any) -> Any:
    """[N, L, E] as [N, heads, L, E / heads]."""
    split = (x.shape[0], x.shape[1], module.num_heads, module.head_dim)
    return x.reshape(split).transpose((0, 2, 1, 3))


def left_of(masks: list[Any]) -> Any:
    """What is left when each of one or two masks takes its part: True in one of bools is left out,
    and one of floats is added."""
    bools = [mask for mask in masks if is_bool(mask)]
    floats = [mask for mask in masks if not is_bool(mask)]
    if not floats:
        return ~(bools[0] if len(bools) == 1 else bools[0] | bools[1])
    if not bools:
        return floats[0] if len(floats) == 1 else floats[0] + floats[1]
    return ml.Where()(bools[0], -math.inf, floats[0])


def multihead_attention(
    part: Any,
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    refuse_if(module.bias_k is not None or module.add_zero_attn, "with more keys than inputs")
    refuse_if(is_causal and attn_mask is None, "with is_causal, but without attn_mask")
    inputs = (query, key, value)
    if not module.batch_first:
        turned = {id(each): shapes.swap(each, 0, 1) for each in inputs}
        inputs = tuple(turned[id(each)] for each in inputs)
    q, k, v = (in_heads(each, module) for each in projected(part, module, inputs))
    if attn_mask is not None and attn_mask.dims is not None and len(attn_mask.dims) == 3:
        rows, columns = attn_mask.shape[1], attn_mask.shape[2]  # [N * heads, L, S]
        attn_mask = attn_mask.reshape((-1, module.num_heads, rows, columns))
    if key_padding_mask is not None:
        key_padding_mask = key_padding_mask[:, None, None]
    masks = [mask for mask in (attn_mask, key_padding_mask) if mask is not None]
    for mask in masks:
        check_mask(mask)
    mask = left_of(masks) if masks else None
    drops = module.training and module.dropout > 0
    weights = weights_of(q, k, mask, False) if need_weights or drops else None
    if drops:
        dropped = ml.Dropout(p=module.dropout, seed=part.draw_seed(), name=f"{part.name}.dropout")
        weights = dropped(weights)
    heads = attention(q, k, v, mask, False) if weights is None else weights @ v
    heads = heads.transpose((0, 2, 1, 3))
    joined = shapes.flatten(heads, 2)
    out = module.out_proj
    bias = part.get("out_proj.bias") if out.bias is not None else None
    output = linear(joined, part.get("out_proj.weight"), bias)
    output = output if module.batch_first else shapes.swap(output, 0, 1)
    if weights is None or not need_weights:
        return output, None
    return output, weights.mean(1) if average_attn_weights else weights


FUNCTIONS: Table = table((scaled_dot_product_attention, F.scaled_dot_product_attention))
MODULES: Table = table((multihead_attention, nn.MultiheadAttention))
