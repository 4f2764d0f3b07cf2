"""Conversions of losses for `ml.from_torch`. A reduction is 0: none, 1: mean, 2: sum."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..._core import Connection
from ..._core import dtype as widths
from ..builders import (
    Builder,
    Table,
    as_float,
    internal_op,
    is_float,
    rank_of,
    refuse_if,
    size,
    table,
    wide,
)


def reduced(loss: Any, reduction: int) -> Any:
    if reduction == 0:
        return loss
    return loss.mean() if reduction == 1 else loss.sum()


def of_pairs(function: Builder) -> Builder:
    """A loss element by element."""

    def build(self: Any, target: Any, reduction: int = 1) -> Any:
        return reduced(function(self, target), reduction)

    return build


def smooth_l1(self: Any, target: Any, reduction: int = 1, beta: float = 1.0) -> Any:
    error = (self - target).abs()
    if beta == 0:
        return reduced(error, reduction)
    near = ml.Square()(error) * (0.5 / beta)
    return reduced(ml.Where()(error < beta, near, error - 0.5 * beta), reduction)


def huber(self: Any, target: Any, reduction: int = 1, delta: float = 1.0) -> Any:
    error = (self - target).abs()
    near, far = ml.Square()(error) * 0.5, (error - 0.5 * delta) * delta
    return reduced(ml.Where()(error <= delta, near, far), reduction)


def binary_cross_entropy(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    """Torch limits the logarithms to -100."""
    hit, miss = (ml.Log()(value).clamp(-100.0, None) for value in (self, 1.0 - self))
    loss = -(target * hit + (1.0 - target) * miss)
    return reduced(loss if weight is None else loss * weight, reduction)


def with_logits(
    self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    if pos_weight is None:
        loss = ml.BinaryCrossEntropy()(self, target)
    else:
        factor = (pos_weight - 1.0) * target + 1.0
        loss = (1.0 - target) * self + factor * ml.Softplus()(-self)
    return reduced(loss if weight is None else loss * weight, reduction)


def kl_div(self: Any, target: Any, reduction: int = 1, log_target: bool = False) -> Any:
    if log_target:
        return reduced(target.exp() * (target - self), reduction)
    positive = target > 0
    entropy = target * ml.Log()(ml.Where()(positive, target, 1.0))
    return reduced(entropy - target * self, reduction)


def soft_margin(self: Any, target: Any, reduction: int = 1) -> Any:
    return reduced(ml.Softplus()(-target * self), reduction)


def multi_label_margin(self: Any, target: Any, reduction: int = 1) -> Any:
    return labels_and_margins(self, target, reduction)[0]


def labels_and_margins(self: Any, target: Any, reduction: int = 1) -> Any:
    """The loss, and which classes are labels: those before the first -1. (Torch's decomposition
    takes those after it for class 0.)"""
    if rank_of(self) == 1:
        row = labels_and_margins(ml.ExpandDims(axis=0)(self), ml.ExpandDims(axis=0)(target), 0)
        loss, hit = (ml.Squeeze(axis=0)(value) for value in row)
        return loss, hit
    count = size(self, 1)
    valid = ml.Cumsum(axis=1)(target.eq(-1).cast(widths.int64)).eq(0)
    labels = ml.Where()(valid, target, 0)
    named = ml.ExpandDims(axis=-1)(labels).eq(ml.Arange()(stop=count))
    named = named & ml.ExpandDims(axis=-1)(valid)
    hit = named.cast(widths.int64).sum(1) > 0
    chosen = ml.ExpandDims(axis=-1)(ml.TakeAlongAxis(axis=1)(self, labels))
    margin = (1.0 - (chosen - ml.ExpandDims(axis=1)(self))).clamp(0.0, None)
    counted = ml.ExpandDims(axis=-1)(valid) & ml.ExpandDims(axis=1)(~hit)
    loss = ml.Where()(counted, margin, 0.0).sum((1, 2)) / count
    return reduced(loss, reduction), hit


def nll(
    self: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100
) -> Any:
    return weighed_nll(self, target, weight, reduction, ignore_index)[0]


def weighed_nll(
    self: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100
) -> Any:
    """The loss, and the weight of all samples."""
    log, target = in_a_batch(self, target)
    counted = target.ne(ignore_index)
    safe = ml.Where()(counted, target, 0)
    picked = internal_op("PickClass")(log, safe)
    share = as_float(counted)
    if weight is not None:
        share = share * ml.Gather(axis=0)(weight, safe)
    loss, total = ml.Where()(counted, -picked, 0.0) * share, share.sum()
    if reduction == 0:
        return (loss.reshape(()) if rank_of(self) == 1 else loss), total
    return loss.sum() / total if reduction == 1 else loss.sum(), total


def in_a_batch(x: Any, target: Any) -> tuple[Any, Any]:
    if rank_of(x) > 1:
        return x, target
    return ml.ExpandDims(axis=0)(x), target.reshape((1,))


def cross_entropy(
    self: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    axis = 1 if rank_of(self) > 1 else 0
    log = ml.LogSoftmax(axis=axis)(self)
    if is_float(target):
        return by_probabilities(log, target, weight, reduction, label_smoothing, axis)
    loss, total = weighed_nll(log, target, weight, reduction, ignore_index)
    if label_smoothing == 0:
        return loss
    loss_of_classes = -weighed(log, weight, axis).sum(axis)
    loss_of_classes = ml.Where()(target.ne(ignore_index), loss_of_classes, 0.0)
    smooth = loss_of_classes if reduction == 0 else loss_of_classes.sum()
    smooth = smooth / total if reduction == 1 else smooth
    return loss * (1.0 - label_smoothing) + smooth * (label_smoothing / size(self, axis))


def weighed(x: Any, weight: Any, axis: int) -> Any:
    if weight is None:
        return x
    return x * weight.reshape((-1, *(1,) * (rank_of(x) - axis - 1)))


def by_probabilities(
    log: Any, target: Any, weight: Any, reduction: int, smoothing: float, axis: int
) -> Any:
    if smoothing:
        target = target * (1.0 - smoothing) + smoothing / size(log, axis)
    return reduced(-weighed(log * target, weight, axis).sum(axis), reduction)


def ctc(
    log_probs: Connection,
    targets: Connection,
    input_lengths: Connection,
    target_lengths: Connection,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Any:
    """The mean of torch is that of the losses divided by the numbers of labels."""
    is_alone = rank_of(log_probs) == 2
    refuse_if(
        rank_of(targets) == 1 and not is_alone,
        "of concatenated targets: write them as rows [N, S], padded at the end",
    )
    if is_alone:
        log_probs = ml.ExpandDims(axis=1)(log_probs)
        targets = ml.ExpandDims(axis=0)(targets)
        input_lengths, target_lengths = (
            lengths.reshape((1,)) for lengths in (input_lengths, target_lengths)
        )
    layer = ml.CTCLoss(blank=blank, zero_infinity=zero_infinity)
    loss = layer(log_probs, targets, input_lengths, target_lengths)
    if reduction == 1:
        loss = loss / target_lengths.clamp(1, None)
    return loss.reshape(()) if is_alone and reduction == 0 else reduced(loss, reduction)


TABLE: Table = table(
    (wide(ctc), "mithril_export::ctc_loss"),
    # Those of torch broadcast.
    (wide(of_pairs(lambda x, y: ml.Square()(x - y))), "mse_loss"),
    (wide(of_pairs(lambda x, y: (x - y).abs())), "l1_loss"),
    (wide(smooth_l1), "smooth_l1_loss"),
    (wide(huber), "huber_loss"),
    (wide(binary_cross_entropy), "binary_cross_entropy"),
    (wide(with_logits), "binary_cross_entropy_with_logits"),
    (wide(kl_div), "kl_div"),
    (wide(soft_margin), "soft_margin_loss"),
    (wide(multi_label_margin), "multilabel_margin_loss"),
    (wide(labels_and_margins), "multilabel_margin_loss_forward"),
    (wide(nll), "nll_loss", "nll_loss_nd", "nll_loss2d"),
    (wide(weighed_nll), "nll_loss_forward", "nll_loss2d_forward"),
    (wide(cross_entropy), "cross_entropy_loss"),
)
