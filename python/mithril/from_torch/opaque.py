"""Functions that torch.export cannot trace, because torch composes them of operators that look at
elements. The export sees one operator of ours in place of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch.overrides import TorchFunctionMode

LIBRARY = torch.library.Library("mithril_export", "DEF")
LIBRARY.define(
    "quantile(Tensor self, Tensor? q, float[]? numbers, int? dim, bool keepdim, "
    "str interpolation, bool ignores_nan) -> Tensor"
)
LIBRARY.define(
    "ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, "
    "int blank, int reduction, bool zero_infinity) -> Tensor"
)


def quantile_shape(
    x: Any, q: Any, numbers: Any, dim: Any, keepdim: bool, interpolation: str, ignores_nan: bool
) -> Any:
    axes = range(x.dim()) if dim is None else [dim % x.dim()] if x.dim() else []
    kept = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    rest = [size for axis, size in enumerate(kept) if keepdim or axis not in axes]
    return x.new_empty([*([] if q is None else q.shape), *rest])


def ctc_loss_shape(
    log_probs: Any, targets: Any, inputs: Any, lengths: Any, blank: int, reduction: int, zero: bool
) -> Any:
    return log_probs.new_empty([] if reduction or log_probs.dim() == 2 else log_probs.shape[1:2])


torch.library.register_fake("mithril_export::quantile", quantile_shape, lib=LIBRARY)
torch.library.register_fake("mithril_export::ctc_loss", ctc_loss_shape, lib=LIBRARY)


def quantile_as(ignores_nan: bool) -> Callable[..., Any]:
    def build(
        input: Any,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Any:
        is_number = not isinstance(q, torch.Tensor)
        return torch.ops.mithril_export.quantile(
            input,
            None if is_number else q,
            [float(q)] if is_number else None,
            dim,
            keepdim,
            interpolation,
            ignores_nan,
        )

    return build


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: Any = "mean",
    zero_infinity: bool = False,
) -> Any:
    if not isinstance(reduction, int):
        reduction = ["none", "mean", "sum"].index(reduction)
    lengths = [
        lengths if isinstance(lengths, torch.Tensor) else torch.tensor(lengths, dtype=torch.int64)
        for lengths in (input_lengths, target_lengths)
    ]
    return torch.ops.mithril_export.ctc_loss(
        log_probs, targets, *lengths, blank, reduction, zero_infinity
    )


QUANTILE, NANQUANTILE = quantile_as(ignores_nan=False), quantile_as(ignores_nan=True)
REPLACED: dict[Any, Callable[..., Any]] = {
    torch.quantile: QUANTILE,
    torch.Tensor.quantile: QUANTILE,
    torch.nanquantile: NANQUANTILE,
    torch.Tensor.nanquantile: NANQUANTILE,
    torch.ctc_loss: ctc_loss,
    F.ctc_loss: ctc_loss,
}


class Replacing(TorchFunctionMode):  # type: ignore[misc]
    """Calls our operators while forward runs; `count` says how often. `table` has the functions
    that it replaces."""

    def __init__(self, table: dict[Any, Callable[..., Any]]) -> None:
        super().__init__()
        self._table = table
        self.count = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func not in self._table:
            return func(*args, **(kwargs or {}))
        self.count += 1
        return self._table[func](*args, **(kwargs or {}))
