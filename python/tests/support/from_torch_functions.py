"""Functions of torch that `ml.from_torch` converts, as bodies of modules; SPELLINGS has the other
names that FUNCTIONS uses."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from from_torch_cases import normal

FUNCTIONS: dict[str, Callable] = {
    "arithmetic": lambda x: 1 - 2 * x / 3 + x**2 - -x + (x @ x.T).sum() + abs(x) % 0.3,
    "spelled_out": lambda x: torch.add(x, x.mul(2), alpha=3).sub(1).div(2).pow(2).neg().abs(),
    "rounded": lambda x: torch.div(x, 0.3, rounding_mode="floor") * x + x.floor() + x.sign(),
    "exponentials": lambda x: x.exp().log() + torch.rsqrt(x.square() + 1) + x.sin() * x.cos(),
    "reciprocal": lambda x: torch.reciprocal(x.abs() + 1).sqrt() + torch.erf(x),
    "comparisons": lambda x: torch.where((x > 0) & ~(x == 1) | (x.le(-1)), x, x * 3),
    "limits": lambda x: x.clamp(-0.5, 0.5) + x.clamp(min=0.1) + torch.clamp_max(x, 0.2),
    "larger": lambda x: torch.maximum(x, -x) + torch.min(x, x * 2) + torch.max(x),
    "largest_along": lambda x: x.max(dim=1, keepdim=True)[0] + torch.min(x, 0).values,
    "position": lambda x: x * (x.argmax(dim=1, keepdim=True) == torch.arange(4)).to(x.device),
    "reductions": lambda x: x.sum(0) + x.mean((0, 1)) + x.amax(0) + x.prod(dim=0) + x.std(0),
    "variances": lambda x: x.var(1, keepdim=True) + torch.var(x, 0, unbiased=False),
    "softmaxes": lambda x: F.softmax(x, dim=1) + torch.log_softmax(x, -1) + x.softmax(0),
    "activations": lambda x: F.leaky_relu(F.gelu(x), 0.2) + F.silu(x) + x.tanh() + x.sigmoid(),
    "softplus": lambda x: F.softplus(x * 30, beta=2, threshold=5) + F.elu(x, 0.5) + F.relu6(x * 9),
    "casts": lambda x: x * (x > 0).long() + (x * 10).int() + x.double(),
    "axes": lambda x: x.unsqueeze(1).permute(2, 1, 0).squeeze(1).t().transpose(0, 1).mT,
    "shapes": lambda x: x.reshape(x.shape[1], -1).view(-1).unflatten(0, (2, 6)).flatten(),
    "expanded": lambda x: x[:1].expand(5, -1) + x[0].expand_as(x[:1]),
    "indexing": lambda x: x[1:, None, ::2] + x[0, -1] + x[None, ..., 1:3] + x.select(0, 1)[0],
    "joined": lambda x: torch.cat((x, x * 2), dim=1) + torch.stack([x, -x], 2).flatten(1),
    "cut": lambda x: x.split([1, 3], dim=1)[1] * x.chunk(2, 1)[0][:, :1] + x.split(2, 1)[1][:, :1],
    "narrow": lambda x: x.narrow(1, 1, 2) + x.unbind(1)[0][:, None] + x.index_select(1, PICKED),
    "repeated": lambda x: x.repeat(2, 1, 3) + x.repeat_interleave(3, dim=-1),
    "interleaved": lambda x: (
        torch.repeat_interleave(x, 2, 1) + F.interpolate(x[None], scale_factor=2)
    ),
    "einsum": lambda x: (
        torch.einsum("ij,kj->ik", x, x * 2).sum() * torch.einsum("ij->ji", x).T
        + torch.einsum("i j, i j -> i", [x, x])[:, None]
        + torch.einsum("bij,bkj->bik", x[None], x[None])[0, :, :1]
        + torch.einsum("ij,kl->j", x, x)
        + torch.einsum("ab,c->cab", x, x[0])[1]
    ),
    "losses": lambda x: (
        x * F.mse_loss(x, x * 2)
        + F.l1_loss(x, x * 3, reduction="none")
        + F.cross_entropy(x, torch.arange(x.size(0)), reduction="none")[:, None]
    ),
    "unit_length": lambda x: F.normalize(x) + F.normalize(x * 0, dim=0),
    "running_sums": lambda x: torch.cumsum(x, 0) + x.cumsum(dim=-1),
    "rolled": lambda x: torch.roll(x, 1, 0) + x.roll((-1, 5), (0, 1)),
    "triangles": lambda x: torch.tril(x) + x.triu(diagonal=1) * 2,
    "filled": lambda x: torch.zeros_like(x) + torch.ones_like(x) * torch.full_like(x, 3.0) * x,
    "padded": lambda x: F.pad(x, (1, 2)) + F.pad(x, (2, 1, 0, 0), value=1.5),
    "normalised": lambda x: F.layer_norm(x, (4,)) + F.rms_norm(x, (4,), eps=0.1),
    "sizes": lambda x: x * x.size(0) * x.shape[-1] / math.sqrt(x.size(1)) + x.numel(),
    "tuple_sizes": lambda x: x.view(x.size()[:1] + (2, 2)).flatten(1),
    "attention": lambda x: F.scaled_dot_product_attention(x, x * 2, x, is_causal=True),
    "masked_attention": lambda x: F.scaled_dot_product_attention(x, x, x, (x @ x.T) > 0.0),
    "scaled_attention": lambda x: F.scaled_dot_product_attention(x, x, x, x @ x.T, scale=0.3),
    "in_place": lambda x: (x * 1).add_(1).mul_(0.5).clamp_(max=0.2) + F.relu(x + 1, inplace=True),
}

SPELLINGS: dict[str, Callable] = {
    "products": lambda x: (
        torch.mul(x, 2) + torch.multiply(x, x).multiply(3) + torch.matmul(x, x.T).mm(x)
    ),
    "more_products": lambda x: (
        torch.mm(x, x.T).matmul(x) + torch.addmm(x, x @ x.T, x, beta=2, alpha=3).addmm(x @ x.T, x)
    ),
    "batched": lambda x: (
        torch.bmm(x[None], x.T[None]).bmm(x[None])
        + torch.baddbmm(x[None], (x @ x.T)[None], x[None])
        + x[None].baddbmm((x @ x.T)[None], x[None])
    ),
    "quotients": lambda x: (
        torch.true_divide(x, 3)
        + torch.divide(x, 2).true_divide(3).divide(2)
        + torch.remainder(x, 2)
        + x.remainder(0.7)
    ),
    "sums": lambda x: (
        x.add(1).subtract(2) + torch.sub(x, x) + torch.subtract(x, 1, alpha=2) + torch.rsub(x, 1)
    ),
    "whole": lambda x: (
        (x.long() // 2) + torch.floor_divide(x.long(), 2) + x.long().floor_divide(3) + x
    ),
    "signs": lambda x: (
        torch.neg(x)
        + torch.negative(x).negative()
        + torch.abs(x)
        + torch.absolute(x).absolute()
        + torch.sign(x)
        + torch.floor(x)
    ),
    "roots": lambda x: (
        torch.square(x).rsqrt() + torch.sqrt(torch.abs(x)) + x.reciprocal() + torch.pow(x, 2.0)
    ),
    "analysis": lambda x: (
        torch.exp(x)
        + torch.log(torch.exp(x))
        + torch.sin(x)
        + torch.cos(x)
        + x.erf()
        + torch.special.erf(x)
        + torch.special.expit(x)
    ),
    "both": lambda x: where_all(
        torch.logical_and(x > 0, x < 1), (x > 0).logical_and(x < 1), (x > 0) & (x < 1), x
    ),
    "either": lambda x: where_all(
        torch.logical_or(x > 0, x < 1), (x > 0).logical_or(x < 1), (x > 0) | (x < 1), x
    ),
    "one": lambda x: where_all(
        torch.logical_xor(x > 0, x < 1), (x > 0).logical_xor(x < 1), (x > 0) ^ (x < 1), x
    ),
    "inverted": lambda x: where_all(torch.bitwise_not(x > 0), (x > 0).bitwise_not(), ~(x > 0), x),
    "neither": lambda x: where_all(torch.logical_not(x > 0), (x > 0).logical_not(), ~(x > 0), x),
    "less": lambda x: where_all(torch.lt(x, 0), torch.less(x, 0), x.lt(0) ^ x.less(0), x),
    "not_more": lambda x: where_all(
        torch.le(x, 0), torch.less_equal(x, 0) ^ (x <= 0.5), x.less_equal(0), x
    ),
    "greater": lambda x: where_all(torch.gt(x, 0), torch.greater(x, 0), x.gt(0) ^ x.greater(1), x),
    "not_less": lambda x: where_all(
        torch.ge(x, 0), torch.greater_equal(x, 0) ^ (x >= 0.5), x.ge(0) ^ x.greater_equal(1), x
    ),
    "equal": lambda x: where_all(torch.eq(x, x[0]), x.eq(x[0]), x.ne(x[0]), x),
    "unequal": lambda x: (
        where_all(torch.ne(x, x[0]), torch.not_equal(x, 1) ^ (x != 0), x > 0, x) * x.not_equal(x[1])
    ),
    "chosen": lambda x: (
        x.where(x > 0, x * 2)
        + torch.masked_fill(x, x < 0, 3.0)
        + torch.clip(x, -1, 1)
        + torch.clamp(x, max=0.3)
        + x.clip(0.1)
        + torch.clamp_min(x, 0)
        + x.clamp_min(0.2)
    ),
    "extremes": lambda x: (
        x.clamp_max(0.2) + x.maximum(-x) + torch.minimum(x, x * 2) + x.minimum(x[0]) + x.min()
    ),
    "reductions": lambda x: (
        torch.sum(x, 0)
        + torch.mean(x, dim=0)
        + torch.prod(x, 0)
        + torch.amax(x, 0)
        + torch.amin(x, (0, 1))
        + x.amin(0)
        + torch.std(x, 0)
    ),
    "positions": lambda x: (
        x * (torch.argmax(x, 1, keepdim=True) + torch.argmin(x) + x.argmin(0, keepdim=True))
    ),
    "activations": lambda x: (
        torch.relu(x).relu()
        + F.mish(x)
        + F.selu(x)
        + torch.selu(x)
        + F.softsign(x)
        + F.hardtanh(x, -0.5, 0.5)
        + F.logsigmoid(x)
    ),
    "sigmoids": lambda x: F.sigmoid(x) + torch.sigmoid(x) + F.tanh(x) + torch.tanh(x),
    "softmaxes": lambda x: torch.softmax(x, 0) + F.log_softmax(x, 1) + x.log_softmax(1),
    "widths": lambda x: x.float().double() + x.half() * 0 + x.bfloat16() * 0 + x * x.bool().cpu(),
    "counts": lambda x: x * torch.numel(x) / x.dim() * x.ndimension() + x.ndim,
    "layouts": lambda x: (
        torch.reshape(torch.flatten(x), (3, 4))
        + x.T.reshape_as(x)
        + x.T.reshape(-1).view_as(x)
        + torch.flatten(torch.unflatten(x, 1, (2, 2)), 1)
    ),
    "turns": lambda x: (
        torch.permute(x, (1, 0))
        + torch.transpose(x, 0, 1)
        + torch.swapaxes(x, 0, 1)
        + torch.swapdims(x, 0, 1)
        + x.swapaxes(0, 1)
        + x.swapdims(1, 0)
        + torch.t(x)
    ),
    "units": lambda x: torch.squeeze(torch.unsqueeze(x, 1), 1) + torch.clone(x) + x.clone(),
    "joined": lambda x: torch.concat([x, x], -1) + torch.concatenate([x, x * 2], axis=1),
    "cut": lambda x: torch.chunk(x, 2, 1)[1] + torch.split(x, 2, 1)[0] + torch.narrow(x, 1, 0, 2),
    "picked": lambda x: (
        torch.unbind(x, 1)[0] + torch.select(x, 1, -1) + torch.index_select(x, 1, PICKED)[:, 0]
    ),
    "triangles": lambda x: x.tril(-1) + torch.triu(x) + torch.arange(1, x.size(1) + 1),
    "leaks": lambda x: (
        F.prelu(x, MATRIX[0, :1]) + torch.prelu(x, MATRIX[0, :1]) + x.prelu(MATRIX[0, :1])
    ),
    "layers": lambda x: (
        F.linear(x, MATRIX)
        + F.linear(x, MATRIX, MATRIX[0])
        + F.group_norm(x, 2, MATRIX[0])
        + torch.group_norm(x, 2)
        + torch.layer_norm(x, (4,), MATRIX[0])
        + torch.rms_norm(x, [4], None, 1.0)
    ),
    "no_dropout": lambda x: (
        F.dropout(x, 0.5, False)
        + torch.dropout(x, 0.5, False)
        + F.dropout1d(x, 0.5, False)
        + F.dropout2d(planes(x), 0.5, False)
    ),
    "batch_norms": lambda x: (
        F.batch_norm(x, MATRIX[0], MATRIX[1].abs(), MATRIX[2])
        + F.batch_norm(x, None, None, MATRIX[0], None, True)
    ),
    "embedding": lambda x: F.embedding(x.long().clamp(0, 2), MATRIX) + x[:, :, None],
    "rows": lambda x: (
        F.conv1d(x[None], KERNEL[:, :, 0], padding=1)
        + torch.conv1d(x[None], KERNEL[:, :, 1], None, 1, 1)
        + F.max_pool1d(x, 3, 1, 1)
        + torch.max_pool1d(x, 3, 1, 1)
        + torch.avg_pool1d(x[None], 3, 1, 1)
        + torch.adaptive_avg_pool1d(x[None], 2).sum()
    ),
    "planes": lambda x: (
        F.conv2d(planes(x), KERNEL, padding=1)
        + torch.conv2d(planes(x), KERNEL, None, 1, 1)
        + F.max_pool2d(planes(x), 3, 1, 1)
        + torch.max_pool2d(planes(x), 3, 1, 1)
        + F.avg_pool2d(planes(x), 3, 1, 1)
        + F.adaptive_avg_pool2d(planes(x), (None, 1))
    ),
    "in_place": lambda x: changed(x * 1),
}


def where_all(first: Any, second: Any, third: Any, x: Any) -> Any:
    return torch.where(first, x, 0) + x.where(second, 1) * torch.where(third, x, x * 2)


def planes(x: Any) -> Any:
    return x.expand(1, 3, 3, 4)


def changed(x: Any) -> Any:
    x += 2
    x -= 1
    x *= 3
    x /= 2
    return x


MATRIX, KERNEL = normal(4, 4), normal(3, 3, 3, 3)
PICKED = torch.tensor([2, 0])
