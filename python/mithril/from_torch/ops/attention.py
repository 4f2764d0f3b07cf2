"""Conversions of attention and of random numbers for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..builders import (
    NodeContext,
    Table,
    UnsupportedOutput,
    dtype_option,
    internal_op,
    refuse_if,
    shape,
    size,
    table,
)
from .creation import full_tensor
from .shapes import repeat_interleave


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
    at: NodeContext,
) -> Any:
    if enable_gqa and size(query, -3) != size(key, -3):
        groups = size(query, -3) // size(key, -3)
        key, value = (repeat_interleave(item, groups, -3) for item in (key, value))
    masks = {} if attn_mask is None else {"attn_mask": attn_mask}
    ports = {"query": query, "key": key, **masks, **({} if scale is None else {"scale": scale})}
    if dropout_p == 0:
        attend = ml.PrimitiveScaledDotProduct(is_causal=is_causal)
        return attend(value=value, **ports)
    weights = internal_op("AttentionWeights", is_causal=is_causal)(**ports)
    return ml.Dropout(p=dropout_p, seed=at.draw_seed())(weights) @ value


def attention_on_the_cpu(
    query: Any,
    key: Any,
    value: Any,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: Any = None,
    scale: Any = None,
    *,
    at: NodeContext,
) -> Any:
    args = (query, key, value, attn_mask, dropout_p, is_causal, scale)
    return scaled_dot_product_attention(*args, at=at), UnsupportedOutput(
        "the logsumexp of attention"
    )


# Random numbers: a state, others with each evaluation.


def uniform(sizes: Any, at: NodeContext) -> Any:
    like = ml.Zeros(dtype=dtype_option(at.output.dtype, at.main))(shape=tuple(sizes))
    return internal_op("RandomUniform")(like=like, key=at.random_key())


def rand(size: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return uniform(size, at)


def rand_like(self: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return uniform(shape(self), at)


def normal(sizes: Any, at: NodeContext) -> Any:
    width = dtype_option(at.output.dtype, at.main)
    return ml.Randn(dtype=width, key=at.draw_seed())(shape=tuple(sizes))


def randn(size: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return normal(size, at)


def randn_like(self: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return normal(shape(self), at)


def bernoulli(self: Any, p: Any = None, *, at: NodeContext) -> Any:
    refuse_if(not at.output.dtype.is_floating_point, "of ints")
    chance = self if p is None else p
    return (uniform(shape(self), at) < chance) * full_tensor((), 1, at)


def randint(*bounds: Any, dtype: Any = None, at: NodeContext) -> Any:
    low, high, sizes = bounds if len(bounds) == 3 else (0, *bounds)
    made = ml.RandInt(low=low, high=high, key=at.draw_seed())(shape=tuple(sizes))
    return made.cast(dtype_option(at.output.dtype, at.main))


def permutation(n: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    like = ml.Zeros()(shape=(n,))
    return ml.ArgSort()(internal_op("RandomUniform")(like=like, key=at.random_key()))


TABLE: Table = table(
    (scaled_dot_product_attention, "scaled_dot_product_attention"),
    (attention_on_the_cpu, "_scaled_dot_product_flash_attention_for_cpu"),
    (rand, "rand"),
    (rand_like, "rand_like"),
    (randn, "randn"),
    (randn_like, "randn_like"),
    (bernoulli, "bernoulli"),
    (randint, "randint"),
    (permutation, "randperm"),
)
