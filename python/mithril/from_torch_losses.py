"""What `ml.from_torch` makes of losses."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import models as ml
from .from_torch_table import Builder, Table, refuse_if, table


def reduced(loss: Any, reduction: str) -> Any:
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.mean()


def of_pairs(maker: Any) -> Builder:
    """A loss element by element."""

    def build(
        input: Any,
        target: Any,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        weight: Any = None,
    ) -> Any:
        refuse_if(size_average is not None or reduce is not None, "with size_average or reduce")
        refuse_if(weight is not None, "with weights")
        return reduced(maker()(input, target), reduction)

    return build


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Of classes. One that is negative, as ignored ones are, is an error when it is met."""
    refuse_if(size_average is not None or reduce is not None, "with size_average or reduce")
    refuse_if(weight is not None, "with weights")
    refuse_if(ignore_index >= 0 or label_smoothing > 0, "with ignore_index or label_smoothing")
    return reduced(ml.CrossEntropy()(input, target), reduction)


def of_module(builder: Builder, *names: str) -> Builder:
    def build(part: Any, module: Any, input: Any, target: Any) -> Any:
        options = {name: getattr(module, name) for name in (*names, "reduction")}
        return builder(input, target, **options)

    return build


FUNCTIONS: Table = table(
    (of_pairs(ml.SquaredError), F.mse_loss),
    (of_pairs(ml.AbsoluteError), F.l1_loss),
    (cross_entropy, F.cross_entropy),
)

MODULES: Table = table(
    (of_module(of_pairs(ml.SquaredError)), nn.MSELoss),
    (of_module(of_pairs(ml.AbsoluteError)), nn.L1Loss),
    (
        of_module(cross_entropy, "weight", "ignore_index", "label_smoothing"),
        nn.CrossEntropyLoss,
    ),
)
