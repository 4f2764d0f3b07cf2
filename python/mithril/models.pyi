"""The classes of the library. Made by tools/make_stubs from the records; do not edit."""

# The forms of __call__ differ in strings only, and are narrower than that of Model.
# mypy: disable-error-code="overload-overlap, override"
# pyright: reportOverlappingOverload=false, reportIncompatibleMethodOverride=false

from collections.abc import Sequence
from typing import Any, Literal, overload

from ._core import (
    Call,
    Connection as Connection,
    IOKey as IOKey,
    Model as Model,
    Tensor,
    TrainModel as TrainModel,
    dtype as dtype_,
)
from ._stubs.types import Binding, Key, Operand

class AUC(Model):
    def __init__(
        self, n_classes: int, *, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, pred: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, pred: Binding = ..., label: Binding = ..., *, output: Key = ...) -> Call: ...

class AUCCore(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., label: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Absolute(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AbsoluteError(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Accuracy(Model):
    def __init__(
        self, threshold: float | None = None, *, is_binary: bool = False,
        is_pred_one_hot: bool = True, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, pred: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, pred: Binding = ..., label: Binding = ..., *, output: Key = ...) -> Call: ...

class Acos(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveAvgPool1D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveAvgPool2D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveAvgPool3D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveMaxPool1D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveMaxPool2D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AdaptiveMaxPool3D(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Add(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Arange(Model):
    def __init__(
        self, stop: int | float = ..., *, start: int | float = 0, step: int | float = 1,
        dtype: dtype_ | None = None, name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(
        self, stop: Operand, start: Operand = ..., step: Operand = ..., dtype: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, stop: Binding = ..., start: Binding = ..., step: Binding = ..., dtype: Binding = ...,
        *, output: Key = ...,
    ) -> Call: ...

class ArgMax(Model):
    def __init__(
        self, axis: int | None = None, *, keepdim: bool = False, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class ArgMin(Model):
    def __init__(
        self, axis: int | None = None, *, keepdim: bool = False, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class ArgSort(Model):
    def __init__(
        self, axis: int = -1, *, descending: bool = False, count: int | None = None,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., descending: Operand = ..., count: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., descending: Binding = ...,
        count: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Asin(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class AtLeast1D(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Atan(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Atan2(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., other: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, other: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., other: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class AvgPool1D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any], *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class AvgPool2D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any], *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class BatchNorm1D(Model):
    def __init__(
        self, num_features: int | None = None, *, use_scale: bool = True, use_bias: bool = True,
        eps: float = 1e-05, momentum: float = 0.1, inference: bool | None = None,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class BatchNorm2D(Model):
    def __init__(
        self, num_features: int | None = None, *, use_scale: bool = True, use_bias: bool = True,
        eps: float = 1e-05, momentum: float = 0.1, inference: bool | None = None,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class BinaryCrossEntropy(Model):
    def __init__(
        self, input_type: Literal['logits', 'probs'] = 'logits', *,
        pos_weight: float | int | bool = 1.0, robust: bool = False, threshold: float | None = None,
        name: str | None = None, input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, target: Operand = ..., input_type: Operand = ...,
        pos_weight: Operand = ..., robust: Operand = ..., threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., input_type: Binding = ...,
        pos_weight: Binding = ..., robust: Binding = ..., threshold: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Bincount(Model):
    def __init__(
        self, minlength: int = ..., *, name: str | None = None, input: Tensor = ...,
        weights: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, minlength: Operand = ..., weights: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., minlength: Binding = ..., weights: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class BitCast(Model):
    def __init__(
        self, dtype: dtype_ = ..., *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class BitwiseAnd(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class BitwiseNot(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class BitwiseOr(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class BitwiseXOr(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class BroadcastTo(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, shape: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., shape: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Buffer(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class ByMode(Model):
    def __init__(
        self, is_inference: bool | None = None, *, name: str | None = None, training: Tensor = ...,
        inference: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, training: Operand, inference: Operand = ..., is_inference: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, training: Binding = ..., inference: Binding = ..., is_inference: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class CTCLoss(Model):
    def __init__(
        self, blank: int = 0, *, zero_infinity: bool = False, name: str | None = None,
        log_probs: Tensor = ..., targets: Tensor = ..., input_lengths: Tensor = ...,
        target_lengths: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, log_probs: Operand, targets: Operand = ..., input_lengths: Operand = ...,
        target_lengths: Operand = ..., blank: Operand = ..., zero_infinity: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, log_probs: Binding = ..., targets: Binding = ..., input_lengths: Binding = ...,
        target_lengths: Binding = ..., blank: Binding = ..., zero_infinity: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class CachePositions(Model):
    def __init__(
        self, limit: int = 1024, *, window: int | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., *, start: Key = ..., positions: Key = ..., mask: Key = ...,
    ) -> Call: ...

class CartesianDifference(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Cast(Model):
    def __init__(
        self, dtype: dtype_ = ..., *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class CausalMask(Model):
    def __init__(
        self, window: int | None = None, *, name: str | None = None, query: Tensor = ...,
        key: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, query: Operand, key: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, query: Binding = ..., key: Binding = ..., *, output: Key = ...) -> Call: ...

class Cholesky(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Clamp(Model):
    def __init__(
        self, min_val: float | int | None = None, *, max_val: float | int | None = None,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, min_val: Operand = ..., max_val: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., min_val: Binding = ..., max_val: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Concat(Model):
    def __init__(self, axis: int | None = 0, *, name: str | None = None) -> None: ...
    @overload
    def __call__(self, input: Sequence[Operand], axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: str | Sequence[Binding] = ..., axis: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Conv1d(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] | None = None, *,
        filters: int | None = None, stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Conv2d(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] | None = None, *,
        filters: int | None = None, stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Conv3d(Model):
    def __init__(
        self, filters: int, *, kernel_size: int | tuple[Any, ...] | list[Any],
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class ConvTranspose1d(Model):
    def __init__(
        self, filters: int, *, kernel_size: int | tuple[Any, ...] | list[Any],
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        output_padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class ConvTranspose2d(Model):
    def __init__(
        self, filters: int, *, kernel_size: int | tuple[Any, ...] | list[Any],
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        output_padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class ConvTranspose3d(Model):
    def __init__(
        self, filters: int, *, kernel_size: int | tuple[Any, ...] | list[Any],
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        output_padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Convolution1D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] | None = None, *,
        out_channels: int | None = None, stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Convolution2D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] | None = None, *,
        out_channels: int | None = None, stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, use_bias: bool = True,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Cosh(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Cosine(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class CosineSimilarity(Model):
    def __init__(
        self, axis: int = 1, *, eps: float = 1e-08, name: str | None = None, left: Tensor = ...,
        right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class CrossEntropy(Model):
    def __init__(
        self, input_type: Literal['logits', 'probs', 'log_probs'] = 'logits', *,
        weights: bool | str | tuple[Any, ...] | list[Any] = False, categorical: bool = True,
        robust: bool = False, threshold: float | None = None, ignore_index: int | None = None,
        label_smoothing: float | int = 0.0, normalize: bool | None = None, name: str | None = None,
        input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, target: Operand = ..., input_type: Operand = ...,
        weights: Operand = ..., categorical: Operand = ..., robust: Operand = ...,
        threshold: Operand = ..., ignore_index: Operand = ..., label_smoothing: Operand = ...,
        normalize: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., input_type: Binding = ...,
        weights: Binding = ..., categorical: Binding = ..., robust: Binding = ...,
        threshold: Binding = ..., ignore_index: Binding = ..., label_smoothing: Binding = ...,
        normalize: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class CumMax(Model):
    def __init__(self, axis: int = -1, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., *, values: Key = ..., indices: Key = ...,
    ) -> Call: ...

class CumMin(Model):
    def __init__(self, axis: int = -1, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., *, values: Key = ..., indices: Key = ...,
    ) -> Call: ...

class Cumprod(Model):
    def __init__(
        self, axis: int = -1, *, reverse: bool = False, exclusive: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., reverse: Operand = ..., exclusive: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., reverse: Binding = ...,
        exclusive: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Cumsum(Model):
    def __init__(
        self, axis: int = -1, *, reverse: bool = False, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., reverse: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., reverse: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Det(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class DistanceEncoder(Model):
    def __init__(
        self, base_model: Literal['MDSCore', 'TSNECore'], *,
        input_type: Literal['distances', 'powered_distances', 'points'] = 'distances',
        name: str | None = None, input: Tensor = ..., coords: Tensor = ..., norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, coords: Operand = ..., norm: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., coords: Binding = ..., norm: Binding = ..., *,
        output: Key = ..., predicted_coords: Key = ...,
    ) -> Call: ...

class DistanceMatrix(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
        norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ..., norm: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, left: Binding = ..., right: Binding = ..., norm: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Divide(Model):
    def __init__(
        self, *, name: str | None = None, numerator: Tensor = ..., denominator: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, numerator: Operand, denominator: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, numerator: Binding = ..., denominator: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Dropout(Model):
    def __init__(
        self, p: float = 0.5, *, seed: int = 0, inference: bool | None = None,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Dtype(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class ELU(Model):
    def __init__(
        self, alpha: int | float = 1.0, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Eigenvalues(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Eigenvectors(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Eigvalsh(Model):
    def __init__(
        self, threshold: float | None = None, *, name: str | None = None, K_term: Tensor = ...,
        L: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, K_term: Operand, L: Operand = ..., threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, K_term: Binding = ..., L: Binding = ..., threshold: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Einsum(Model):
    def __init__(self, equation: str = ..., *, name: str | None = None) -> None: ...
    @overload
    def __call__(self, input: Sequence[Operand], equation: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: str | Sequence[Binding] = ..., equation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class ElementWiseAffine(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Embedding(Model):
    def __init__(
        self, num_embeddings: int | None = None, *, dim: int | None = None,
        padding_idx: int | None = None, name: str | None = None, input: Tensor = ...,
        weight: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, weight: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class EncoderDecoder(Model):
    def __init__(
        self, cell_type: str | Model, *, max_input_sequence_length: int,
        max_target_sequence_length: int, teacher_forcing: bool = False, name: str | None = None,
        input0: Tensor = ..., initial_hidden: Tensor = ..., initial_cell: Tensor = ...,
        w_f: Tensor = ..., w_i: Tensor = ..., w_c: Tensor = ..., w_o: Tensor = ...,
        bias_f: Tensor = ..., bias_i: Tensor = ..., bias_c: Tensor = ..., bias_o: Tensor = ...,
        w_out: Tensor = ..., bias_out: Tensor = ..., input1: Tensor = ..., input2: Tensor = ...,
        input3: Tensor = ..., input4: Tensor = ..., indices: Tensor = ...,
        decoder_input: Tensor = ..., decoder_initial_cell: Tensor = ..., decoder_w_f: Tensor = ...,
        decoder_w_i: Tensor = ..., decoder_w_c: Tensor = ..., decoder_w_o: Tensor = ...,
        decoder_bias_f: Tensor = ..., decoder_bias_i: Tensor = ..., decoder_bias_c: Tensor = ...,
        decoder_bias_o: Tensor = ..., decoder_w_out: Tensor = ..., decoder_bias_out: Tensor = ...,
        target1: Tensor = ..., target2: Tensor = ..., target3: Tensor = ..., target4: Tensor = ...,
        target0: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class EncoderDecoderInference(Model):
    def __init__(
        self, cell_type: str | Model, *, max_input_sequence_length: int,
        max_target_sequence_length: int, name: str | None = None, input0: Tensor = ...,
        initial_hidden: Tensor = ..., initial_cell: Tensor = ..., w_f: Tensor = ...,
        w_i: Tensor = ..., w_c: Tensor = ..., w_o: Tensor = ..., bias_f: Tensor = ...,
        bias_i: Tensor = ..., bias_c: Tensor = ..., bias_o: Tensor = ..., w_out: Tensor = ...,
        bias_out: Tensor = ..., input1: Tensor = ..., input2: Tensor = ..., input3: Tensor = ...,
        input4: Tensor = ..., decoder_input: Tensor = ..., decoder_initial_cell: Tensor = ...,
        decoder_w_f: Tensor = ..., decoder_w_i: Tensor = ..., decoder_w_c: Tensor = ...,
        decoder_w_o: Tensor = ..., decoder_bias_f: Tensor = ..., decoder_bias_i: Tensor = ...,
        decoder_bias_c: Tensor = ..., decoder_bias_o: Tensor = ..., decoder_w_out: Tensor = ...,
        decoder_bias_out: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class EncoderDistanceMatrix(Model):
    def __init__(
        self, get_final_distance: bool = True, *, robust: bool = True, name: str | None = None,
        input1: Tensor = ..., input2: Tensor = ..., norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input1: Operand, input2: Operand = ..., norm: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input1: Binding = ..., input2: Binding = ..., norm: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Equal(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Erf(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Erfc(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Erfinv(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class ExpandDims(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] = ..., *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class Expm1(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Exponential(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Eye(Model):
    def __init__(
        self, N: int = ..., *, M: int | None = None, dtype: dtype_ | None = None,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, N: Operand, M: Operand = ..., dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, N: Binding = ..., M: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class EyeComplement(Model):
    def __init__(
        self, N: int = ..., *, M: int | None = None, dtype: dtype_ | None = None,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, N: Operand, M: Operand = ..., dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, N: Binding = ..., M: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class F1(Model):
    def __init__(
        self, average: Literal['micro', 'macro', 'weighted'] = 'micro', *,
        n_classes: int | None = None, threshold: float | None = None, is_binary: bool = False,
        is_pred_one_hot: bool = True, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, pred: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, pred: Binding = ..., label: Binding = ..., *, output: Key = ...) -> Call: ...

class Fft(Model):
    def __init__(
        self, n: int | None = None, *, axis: int = -1,
        norm: Literal['backward', 'forward', 'ortho'] = 'backward', name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Flatten(Model):
    def __init__(
        self, start_dim: int = 0, *, end_dim: int = -1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, start_dim: Operand = ..., end_dim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., start_dim: Binding = ..., end_dim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Flip(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] = ..., *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class Floor(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class FloorDivide(Model):
    def __init__(
        self, *, name: str | None = None, numerator: Tensor = ..., denominator: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, numerator: Operand, denominator: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, numerator: Binding = ..., denominator: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Fmod(Model):
    def __init__(
        self, *, name: str | None = None, numerator: Tensor = ..., denominator: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, numerator: Operand, denominator: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, numerator: Binding = ..., denominator: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Fold(Model):
    def __init__(
        self, output_size: int | tuple[Any, ...] | list[Any], *,
        kernel_size: int | tuple[Any, ...] | list[Any],
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Full(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *,
        fill_value: bool | int | float = ..., dtype: dtype_ | None = None, name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(
        self, shape: Operand, fill_value: Operand = ..., dtype: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., fill_value: Binding = ..., dtype: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class GPRAlpha(Model):
    def __init__(
        self, *, name: str | None = None, label_mu_diff: Tensor = ..., L: Tensor = ...,
        K_term: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, label_mu_diff: Operand, L: Operand = ..., K_term: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, label_mu_diff: Binding = ..., L: Binding = ..., K_term: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class GPRLoss(Model):
    def __init__(
        self, robust: bool = False, *, name: str | None = None, labels: Tensor = ...,
        mu: Tensor = ..., L: Tensor = ..., K_term: Tensor = ..., alpha: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, labels: Operand, mu: Operand = ..., L: Operand = ..., K_term: Operand = ...,
        alpha: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, labels: Binding = ..., mu: Binding = ..., L: Binding = ..., K_term: Binding = ...,
        alpha: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class GPRVOuter(Model):
    def __init__(
        self, *, name: str | None = None, K: Tensor = ..., L: Tensor = ..., K_term: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, K: Operand, L: Operand = ..., K_term: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, K: Binding = ..., L: Binding = ..., K_term: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class GRU(Model):
    def __init__(
        self, hidden_size: int, *, num_layers: int = 1, use_bias: bool = True,
        batch_first: bool = False, dropout: int | float = 0.0, bidirectional: bool = False,
        use_lengths: bool = False, use_initial_state: bool = False, name: str | None = None,
        input: Tensor = ..., weight_ih_l0: Tensor = ..., weight_hh_l0: Tensor = ...,
        bias_ih_l0: Tensor = ..., bias_hh_l0: Tensor = ..., weight_ih_l0_reverse: Tensor = ...,
        weight_hh_l0_reverse: Tensor = ..., bias_ih_l0_reverse: Tensor = ...,
        bias_hh_l0_reverse: Tensor = ..., lengths: Tensor = ..., h_0: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight_ih_l0: Operand = ..., weight_hh_l0: Operand = ...,
        bias_ih_l0: Operand = ..., bias_hh_l0: Operand = ..., weight_ih_l0_reverse: Operand = ...,
        weight_hh_l0_reverse: Operand = ..., bias_ih_l0_reverse: Operand = ...,
        bias_hh_l0_reverse: Operand = ..., lengths: Operand = ..., h_0: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight_ih_l0: Binding = ..., weight_hh_l0: Binding = ...,
        bias_ih_l0: Binding = ..., bias_hh_l0: Binding = ..., weight_ih_l0_reverse: Binding = ...,
        weight_hh_l0_reverse: Binding = ..., bias_ih_l0_reverse: Binding = ...,
        bias_hh_l0_reverse: Binding = ..., lengths: Binding = ..., h_0: Binding = ..., *,
        output: Key = ..., h_n: Key = ...,
    ) -> Call: ...

class GRUCell(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., prev_hidden: Tensor = ...,
        w_ih: Tensor = ..., w_hh: Tensor = ..., bias_ih: Tensor = ..., bias_hh: Tensor = ...,
        w_out: Tensor = ..., bias_out: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, prev_hidden: Operand = ..., w_ih: Operand = ..., w_hh: Operand = ...,
        bias_ih: Operand = ..., bias_hh: Operand = ..., w_out: Operand = ...,
        bias_out: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., prev_hidden: Binding = ..., w_ih: Binding = ...,
        w_hh: Binding = ..., bias_ih: Binding = ..., bias_hh: Binding = ..., w_out: Binding = ...,
        bias_out: Binding = ..., *, output: Key = ..., hidden: Key = ..., hidden_compl: Key = ...,
    ) -> Call: ...

class Gather(Model):
    def __init__(
        self, axis: int = 0, *, name: str | None = None, input: Tensor = ..., index: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, index: Operand = ..., axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., index: Binding = ..., axis: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class GaussProcessRegressionCore(Model):
    def __init__(
        self, *, name: str | None = None, label: Tensor = ..., s: Tensor = ..., k: Tensor = ...,
        k_star: Tensor = ..., mu: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, label: Operand, s: Operand = ..., k: Operand = ..., k_star: Operand = ...,
        mu: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, label: Binding = ..., s: Binding = ..., k: Binding = ..., k_star: Binding = ...,
        mu: Binding = ..., *, loss: Key = ..., prediction: Key = ..., confidence: Key = ...,
    ) -> Call: ...

class Gelu(Model):
    def __init__(
        self, approximate: bool = False, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, approximate: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., approximate: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Greater(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class GreaterEqual(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class GridSample(Model):
    def __init__(
        self, mode: Literal['bilinear', 'nearest', 'bicubic'] = 'bilinear', *,
        padding_mode: Literal['zeros', 'border', 'reflection'] = 'zeros',
        align_corners: bool = False, name: str | None = None, input: Tensor = ...,
        grid: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, grid: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., grid: Binding = ..., *, output: Key = ...) -> Call: ...

class GridSample3d(Model):
    def __init__(
        self, mode: Literal['bilinear', 'nearest'] = 'bilinear', *,
        padding_mode: Literal['zeros', 'border', 'reflection'] = 'zeros',
        align_corners: bool = False, name: str | None = None, input: Tensor = ...,
        grid: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, grid: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., grid: Binding = ..., *, output: Key = ...) -> Call: ...

class GroupNorm(Model):
    def __init__(
        self, num_groups: int = 32, *, use_scale: bool = True, use_bias: bool = True,
        eps: float = 1e-05, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Hardsigmoid(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Hardswish(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class HingeLoss(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Histc(Model):
    def __init__(
        self, bins: int = 100, *, min: float | int = 0.0, max: float | int = 0.0,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, bins: Operand = ..., min: Operand = ..., max: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., bins: Binding = ..., min: Binding = ..., max: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class HuberLoss(Model):
    def __init__(
        self, delta: int | float = 1.0, *, name: str | None = None, input: Tensor = ...,
        target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Ifft(Model):
    def __init__(
        self, n: int | None = None, *, axis: int = -1,
        norm: Literal['backward', 'forward', 'ortho'] = 'backward', name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Indexer(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, index: Sequence[Operand] = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., index: str | Sequence[Binding] = ..., *, output: Key = ...,
    ) -> Call: ...

class InstanceNorm(Model):
    def __init__(
        self, use_scale: bool = False, *, use_bias: bool = False, eps: float = 1e-05,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Irfft(Model):
    def __init__(
        self, n: int | None = None, *, axis: int = -1,
        norm: Literal['backward', 'forward', 'ortho'] = 'backward', name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class IsNan(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Item(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class KLDivergence(Model):
    def __init__(
        self, threshold: float | None = None, *, name: str | None = None, input: Tensor = ...,
        target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, target: Operand = ..., threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., threshold: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class KernelizedSVM(Model):
    def __init__(
        self, kernel: str | Model, *, name: str | None = None, input1: Tensor = ...,
        input2: Tensor = ..., l_scale: Tensor = ..., sigma: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class KeyValueCache(Model):
    def __init__(
        self, limit: int = 1024, *, name: str | None = None, input: Tensor = ...,
        start: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, start: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., start: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class L1(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class L2(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class LSTM(Model):
    def __init__(
        self, hidden_size: int, *, num_layers: int = 1, proj_size: int = 0, use_bias: bool = True,
        batch_first: bool = False, dropout: int | float = 0.0, bidirectional: bool = False,
        use_lengths: bool = False, use_initial_state: bool = False, name: str | None = None,
        input: Tensor = ..., weight_ih_l0: Tensor = ..., weight_hh_l0: Tensor = ...,
        bias_ih_l0: Tensor = ..., bias_hh_l0: Tensor = ..., weight_ih_l0_reverse: Tensor = ...,
        weight_hh_l0_reverse: Tensor = ..., bias_ih_l0_reverse: Tensor = ...,
        bias_hh_l0_reverse: Tensor = ..., lengths: Tensor = ..., h_0: Tensor = ...,
        c_0: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight_ih_l0: Operand = ..., weight_hh_l0: Operand = ...,
        bias_ih_l0: Operand = ..., bias_hh_l0: Operand = ..., weight_ih_l0_reverse: Operand = ...,
        weight_hh_l0_reverse: Operand = ..., bias_ih_l0_reverse: Operand = ...,
        bias_hh_l0_reverse: Operand = ..., lengths: Operand = ..., h_0: Operand = ...,
        c_0: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight_ih_l0: Binding = ..., weight_hh_l0: Binding = ...,
        bias_ih_l0: Binding = ..., bias_hh_l0: Binding = ..., weight_ih_l0_reverse: Binding = ...,
        weight_hh_l0_reverse: Binding = ..., bias_ih_l0_reverse: Binding = ...,
        bias_hh_l0_reverse: Binding = ..., lengths: Binding = ..., h_0: Binding = ...,
        c_0: Binding = ..., *, output: Key = ..., h_n: Key = ..., c_n: Key = ...,
    ) -> Call: ...

class LSTMCell(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., prev_hidden: Tensor = ...,
        prev_cell: Tensor = ..., w_f: Tensor = ..., w_i: Tensor = ..., w_c: Tensor = ...,
        w_o: Tensor = ..., bias_f: Tensor = ..., bias_i: Tensor = ..., bias_c: Tensor = ...,
        bias_o: Tensor = ..., w_out: Tensor = ..., bias_out: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, prev_hidden: Operand = ..., prev_cell: Operand = ...,
        w_f: Operand = ..., w_i: Operand = ..., w_c: Operand = ..., w_o: Operand = ...,
        bias_f: Operand = ..., bias_i: Operand = ..., bias_c: Operand = ..., bias_o: Operand = ...,
        w_out: Operand = ..., bias_out: Operand = ...,
    ) -> tuple[Connection, Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., prev_hidden: Binding = ..., prev_cell: Binding = ...,
        w_f: Binding = ..., w_i: Binding = ..., w_c: Binding = ..., w_o: Binding = ...,
        bias_f: Binding = ..., bias_i: Binding = ..., bias_c: Binding = ..., bias_o: Binding = ...,
        w_out: Binding = ..., bias_out: Binding = ..., *, hidden: Key = ..., cell: Key = ...,
        hidden_compl: Key = ..., output: Key = ...,
    ) -> Call: ...

class LSTMCellBody(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., prev_hidden: Tensor = ...,
        prev_cell: Tensor = ..., w_f: Tensor = ..., w_i: Tensor = ..., w_c: Tensor = ...,
        w_o: Tensor = ..., bias_f: Tensor = ..., bias_i: Tensor = ..., bias_c: Tensor = ...,
        bias_o: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, prev_hidden: Operand = ..., prev_cell: Operand = ...,
        w_f: Operand = ..., w_i: Operand = ..., w_c: Operand = ..., w_o: Operand = ...,
        bias_f: Operand = ..., bias_i: Operand = ..., bias_c: Operand = ..., bias_o: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., prev_hidden: Binding = ..., prev_cell: Binding = ...,
        w_f: Binding = ..., w_i: Binding = ..., w_c: Binding = ..., w_o: Binding = ...,
        bias_f: Binding = ..., bias_i: Binding = ..., bias_c: Binding = ..., bias_o: Binding = ...,
        *, output: Key = ...,
    ) -> Call: ...

class Layer(Model):
    def __init__(
        self, activation: str | Model, *, dimension: int | None = None, name: str | None = None,
        input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class LayerNorm(Model):
    def __init__(
        self, use_scale: bool = True, *, use_bias: bool = True, eps: float = 1e-05,
        name: str | None = None, input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class LeakyRelu(Model):
    def __init__(
        self, slope: float | int = 0.01, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, slope: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., slope: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Length(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Less(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class LessEqual(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Lgamma(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Linear(Model):
    def __init__(
        self, dimension: int | None = None, *, use_bias: bool = True, name: str | None = None,
        input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class LinearSVM(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ..., decision_output: Key = ...,
    ) -> Call: ...

class LinearScan(Model):
    def __init__(
        self, axis: int = -1, *, reverse: bool = False, exclusive: bool = False,
        name: str | None = None, input: Tensor = ..., decay: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, decay: Operand = ..., axis: Operand = ..., reverse: Operand = ...,
        exclusive: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., decay: Binding = ..., axis: Binding = ...,
        reverse: Binding = ..., exclusive: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Log(Model):
    def __init__(
        self, robust: bool = False, *, threshold: float | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, robust: Operand = ..., threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., robust: Binding = ..., threshold: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Log1p(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class LogCumsumExp(Model):
    def __init__(self, axis: int = -1, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class LogSoftmax(Model):
    def __init__(self, axis: int = -1, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class LogSumExp(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] = -1, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class LogicalAnd(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class LogicalNot(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class LogicalOr(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class LogicalXOr(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class LogisticRegression(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ..., probs_output: Key = ...,
    ) -> Call: ...

class Lstsq(Model):
    def __init__(
        self, rcond: float | int | None = None, *, name: str | None = None, matrix: Tensor = ...,
        right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, matrix: Operand, right: Operand = ..., rcond: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, matrix: Binding = ..., right: Binding = ..., rcond: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class MDS(Model):
    def __init__(
        self, prediction_dim: int, *,
        input_type: Literal['distances', 'powered_distances', 'points'] = 'distances',
        name: str | None = None, input: Tensor = ..., coords: Tensor = ..., norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, coords: Operand = ..., norm: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., coords: Binding = ..., norm: Binding = ..., *,
        output: Key = ..., predicted_coords: Key = ...,
    ) -> Call: ...

class MDSCore(Model):
    def __init__(
        self, exact_distances: bool = True, *, robust: bool = True, name: str | None = None,
        distances: Tensor = ..., pred_distances: Tensor = ..., norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, distances: Operand, pred_distances: Operand = ..., norm: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, distances: Binding = ..., pred_distances: Binding = ..., norm: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class MLP(Model):
    def __init__(
        self, activations: Sequence[str | Model], *, dimensions: tuple[Any, ...] | list[Any],
        input_name_templates: dict[str, str] | None = None, name: str | None = None,
        weight0: Tensor = ..., bias0: Tensor = ..., input: Tensor = ..., weight1: Tensor = ...,
        bias1: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class ManyToOne(Model):
    def __init__(
        self, cell_type: str | Model, *, max_sequence_length: int, use_lengths: bool = False,
        reverse: bool = False, name: str | None = None, input0: Tensor = ...,
        initial_hidden: Tensor = ..., initial_cell: Tensor = ..., w_f: Tensor = ...,
        w_i: Tensor = ..., w_c: Tensor = ..., w_o: Tensor = ..., bias_f: Tensor = ...,
        bias_i: Tensor = ..., bias_c: Tensor = ..., bias_o: Tensor = ..., w_out: Tensor = ...,
        bias_out: Tensor = ..., input1: Tensor = ..., input2: Tensor = ..., input3: Tensor = ...,
        input4: Tensor = ..., lengths: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class MaskedSoftmax(Model):
    def __init__(
        self, axis: int = -1, *, name: str | None = None, input: Tensor = ..., mask: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, mask: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., mask: Binding = ..., *, output: Key = ...) -> Call: ...

class MatrixExp(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class MatrixMultiply(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Max(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class MaxPool1D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any], *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class MaxPool2D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any], *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] | Literal['same', 'valid'] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Maximum(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Mean(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Metric(Model):
    def __init__(
        self, threshold: float | None = None, *, is_binary: bool = False,
        is_pred_one_hot: bool = True, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, pred: Operand, label: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, pred: Binding = ..., label: Binding = ..., *, pred_formatted: Key = ...,
        label_formatted: Key = ..., output: Key = ...,
    ) -> Call: ...

class Min(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Minimum(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Mish(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class MultiHeadAttention(Model):
    def __init__(
        self, num_heads: int, *, dimension: int | None = None, use_bias: bool = True,
        is_causal: bool = False, use_mask: bool = False, name: str | None = None,
        query: Tensor = ..., key: Tensor = ..., value: Tensor = ..., w_query: Tensor = ...,
        bias_query: Tensor = ..., w_key: Tensor = ..., bias_key: Tensor = ...,
        w_value: Tensor = ..., bias_value: Tensor = ..., w_output: Tensor = ...,
        bias_output: Tensor = ..., mask: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, query: Operand, key: Operand = ..., value: Operand = ..., w_query: Operand = ...,
        bias_query: Operand = ..., w_key: Operand = ..., bias_key: Operand = ...,
        w_value: Operand = ..., bias_value: Operand = ..., w_output: Operand = ...,
        bias_output: Operand = ..., mask: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, query: Binding = ..., key: Binding = ..., value: Binding = ...,
        w_query: Binding = ..., bias_query: Binding = ..., w_key: Binding = ...,
        bias_key: Binding = ..., w_value: Binding = ..., bias_value: Binding = ...,
        w_output: Binding = ..., bias_output: Binding = ..., mask: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Multiply(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class NanQuantile(Model):
    def __init__(
        self, axis: int | None = None, *, keepdim: bool = False,
        interpolation: Literal['linear', 'lower', 'higher', 'midpoint', 'nearest'] = 'linear',
        name: str | None = None, input: Tensor = ..., q: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, q: Operand = ..., axis: Operand = ..., keepdim: Operand = ...,
        interpolation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., q: Binding = ..., axis: Binding = ..., keepdim: Binding = ...,
        interpolation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class NanToNum(Model):
    def __init__(
        self, nan: float | int = 0.0, *, posinf: float | int | None = None,
        neginf: float | int | None = None, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, nan: Operand = ..., posinf: Operand = ..., neginf: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., nan: Binding = ..., posinf: Binding = ...,
        neginf: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Negate(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class NormModifier(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class NotEqual(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class OneHot(Model):
    def __init__(
        self, num_classes: int, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class OneToMany(Model):
    def __init__(
        self, cell_type: str | Model, *, max_sequence_length: int, teacher_forcing: bool = False,
        name: str | None = None, input: Tensor = ..., initial_hidden: Tensor = ...,
        initial_cell: Tensor = ..., w_f: Tensor = ..., w_i: Tensor = ..., w_c: Tensor = ...,
        w_o: Tensor = ..., bias_f: Tensor = ..., bias_i: Tensor = ..., bias_c: Tensor = ...,
        bias_o: Tensor = ..., w_out: Tensor = ..., bias_out: Tensor = ..., target1: Tensor = ...,
        target2: Tensor = ..., target3: Tensor = ..., target4: Tensor = ..., target0: Tensor = ...,
        **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class OneToManyInference(Model):
    def __init__(
        self, cell_type: str | Model, *, max_sequence_length: int, name: str | None = None,
        input: Tensor = ..., initial_hidden: Tensor = ..., initial_cell: Tensor = ...,
        w_f: Tensor = ..., w_i: Tensor = ..., w_c: Tensor = ..., w_o: Tensor = ...,
        bias_f: Tensor = ..., bias_i: Tensor = ..., bias_c: Tensor = ..., bias_o: Tensor = ...,
        w_out: Tensor = ..., bias_out: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class Ones(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, dtype: dtype_ | None = None,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, shape: Operand, dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PReLU(Model):
    def __init__(
        self, init: int | float = 0.25, *, name: str | None = None, input: Tensor = ...,
        weight: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, weight: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Pad(Model):
    def __init__(
        self, pad_width: tuple[Any, ...] | list[Any] = ..., *, value: bool | int | float = 0,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, pad_width: Operand = ..., value: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., pad_width: Binding = ..., value: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class PermuteTensor(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., indices: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, indices: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., indices: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Pinv(Model):
    def __init__(
        self, atol: float | int | None = None, *, rtol: float | int | None = None,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, atol: Operand = ..., rtol: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., atol: Binding = ..., rtol: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PixelShuffle(Model):
    def __init__(
        self, upscale_factor: int, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class PixelUnshuffle(Model):
    def __init__(
        self, downscale_factor: int, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Polygamma(Model):
    def __init__(self, order: int = 0, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, order: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., order: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PolynomialFeatures(Model):
    def __init__(
        self, degree: int = ..., *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, degree: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., degree: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PolynomialKernel(Model):
    def __init__(
        self, robust: bool = True, *, name: str | None = None, input1: Tensor = ...,
        input2: Tensor = ..., poly_coef: Tensor = ..., degree: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input1: Operand, input2: Operand = ..., poly_coef: Operand = ...,
        degree: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input1: Binding = ..., input2: Binding = ..., poly_coef: Binding = ...,
        degree: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PolynomialRegression(Model):
    def __init__(
        self, degree: int, *, dimension: int | None = None, name: str | None = None,
        input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class PositionalEncoding(Model):
    def __init__(
        self, hidden_dim: int = ..., *, max_len: int = 5000, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, hidden_dim: Operand = ..., max_len: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., hidden_dim: Binding = ..., max_len: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Power(Model):
    def __init__(
        self, robust: bool = False, *, threshold: float | None = None, name: str | None = None,
        base: Tensor = ..., exponent: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, base: Operand, exponent: Operand = ..., robust: Operand = ...,
        threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, base: Binding = ..., exponent: Binding = ..., robust: Binding = ...,
        threshold: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Precision(Model):
    def __init__(
        self, average: Literal['micro', 'macro', 'weighted'] = 'micro', *,
        n_classes: int | None = None, threshold: float | None = None, is_binary: bool = False,
        is_pred_one_hot: bool = True, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, pred: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, pred: Binding = ..., label: Binding = ..., *, output: Key = ...) -> Call: ...

class PrimitiveAvgPool1D(Model):
    def __init__(
        self, kernel_size: int = ..., *, stride: int | None = None,
        padding: int | tuple[Any, ...] | list[Any] = 0, dilation: int = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveAvgPool2D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] = ..., *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveConvolution1D(Model):
    def __init__(
        self, stride: int = 1, *, padding: int | tuple[Any, ...] | list[Any] = 0, dilation: int = 1,
        groups: int = 1, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveConvolution2D(Model):
    def __init__(
        self, stride: int | tuple[Any, ...] | list[Any] = 1, *,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, groups: int = 1, name: str | None = None,
        input: Tensor = ..., weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ..., groups: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ...,
        stride: Binding = ..., padding: Binding = ..., dilation: Binding = ...,
        groups: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveEmbedding(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, weight: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveFft(Model):
    def __init__(
        self, inverse: bool = False, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, inverse: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., inverse: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveLayerNorm(Model):
    def __init__(
        self, eps: float | int = 1e-05, *, name: str | None = None, input: Tensor = ...,
        weight: Tensor = ..., bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ..., eps: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., eps: Binding = ...,
        *, output: Key = ..., mean: Key = ..., rstd: Key = ...,
    ) -> Call: ...

class PrimitiveLinear(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., weight: Tensor = ...,
        bias: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight: Operand = ..., bias: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., bias: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class PrimitiveMaxPool1D(Model):
    def __init__(
        self, kernel_size: int = ..., *, stride: int | None = None,
        padding: int | tuple[Any, ...] | list[Any] = 0, dilation: int = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveMaxPool2D(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any] = ..., *,
        stride: int | tuple[Any, ...] | list[Any] | None = None,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, kernel_size: Operand = ..., stride: Operand = ...,
        padding: Operand = ..., dilation: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel_size: Binding = ..., stride: Binding = ...,
        padding: Binding = ..., dilation: Binding = ..., *, output: Key = ..., places: Key = ...,
    ) -> Call: ...

class PrimitiveRandInt(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, low: int = ..., high: int = ...,
        dtype: dtype_ | None = None, name: str | None = None, key: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, shape: Operand, key: Operand = ..., low: Operand = ..., high: Operand = ...,
        dtype: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., key: Binding = ..., low: Binding = ..., high: Binding = ...,
        dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveRandn(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, dtype: dtype_ | None = None,
        name: str | None = None, key: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, shape: Operand, key: Operand = ..., dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., key: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveScaledDotProduct(Model):
    def __init__(
        self, is_causal: bool = True, *, scale: float | int | None = None,
        dropout_p: float | int = 0.0, name: str | None = None, query: Tensor = ...,
        key: Tensor = ..., value: Tensor = ..., attn_mask: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, query: Operand, key: Operand = ..., value: Operand = ..., attn_mask: Operand = ...,
        is_causal: Operand = ..., scale: Operand = ..., dropout_p: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, query: Binding = ..., key: Binding = ..., value: Binding = ...,
        attn_mask: Binding = ..., is_causal: Binding = ..., scale: Binding = ...,
        dropout_p: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveSlice(Model):
    def __init__(
        self, starts: tuple[Any, ...] | list[Any] = ..., *,
        stops: tuple[Any, ...] | list[Any] = ..., steps: tuple[Any, ...] | list[Any] | None = None,
        axes: tuple[Any, ...] | list[Any] | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, starts: Operand = ..., stops: Operand = ..., steps: Operand = ...,
        axes: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., starts: Binding = ..., stops: Binding = ...,
        steps: Binding = ..., axes: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class PrimitiveSplit(Model):
    def __init__(
        self, sizes: tuple[Any, ...] | list[Any] = ..., *, axis: int = 0, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, sizes: Operand = ..., axis: Operand = ...) -> Any: ...
    @overload
    def __call__(
        self, input: Binding = ..., sizes: Binding = ..., axis: Binding = ..., *,
        output: Key | Sequence[Key] = ...,
    ) -> Call: ...

class Prod(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Qr(Model):
    def __init__(
        self, mode: Literal['reduced', 'complete'] = 'reduced', *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, mode: Operand = ...) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., mode: Binding = ..., *, Q: Key = ..., R: Key = ...,
    ) -> Call: ...

class QuadHingeLoss(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class QuadraticFormRegularizer(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., kernel: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, kernel: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., kernel: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Quantile(Model):
    def __init__(
        self, axis: int | None = None, *, keepdim: bool = False,
        interpolation: Literal['linear', 'lower', 'higher', 'midpoint', 'nearest'] = 'linear',
        name: str | None = None, input: Tensor = ..., q: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, q: Operand = ..., axis: Operand = ..., keepdim: Operand = ...,
        interpolation: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., q: Binding = ..., axis: Binding = ..., keepdim: Binding = ...,
        interpolation: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class QuantileLoss(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., target: Tensor = ...,
        quantile: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, target: Operand = ..., quantile: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., quantile: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class QuickGelu(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class RBFKernel(Model):
    def __init__(
        self, *, name: str | None = None, input1: Tensor = ..., input2: Tensor = ...,
        l_scale: Tensor = ..., sigma: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input1: Operand, input2: Operand = ..., l_scale: Operand = ..., sigma: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input1: Binding = ..., input2: Binding = ..., l_scale: Binding = ...,
        sigma: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class RMSNorm(Model):
    def __init__(
        self, use_scale: bool = True, *, eps: float = 1e-05, name: str | None = None,
        input: Tensor = ..., weight: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, weight: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class RNN(Model):
    def __init__(
        self, hidden_size: int, *, num_layers: int = 1,
        nonlinearity: Literal['tanh', 'relu'] = 'tanh', use_bias: bool = True,
        batch_first: bool = False, dropout: int | float = 0.0, bidirectional: bool = False,
        use_lengths: bool = False, use_initial_state: bool = False, name: str | None = None,
        input: Tensor = ..., weight_ih_l0: Tensor = ..., weight_hh_l0: Tensor = ...,
        bias_ih_l0: Tensor = ..., bias_hh_l0: Tensor = ..., weight_ih_l0_reverse: Tensor = ...,
        weight_hh_l0_reverse: Tensor = ..., bias_ih_l0_reverse: Tensor = ...,
        bias_hh_l0_reverse: Tensor = ..., lengths: Tensor = ..., h_0: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, weight_ih_l0: Operand = ..., weight_hh_l0: Operand = ...,
        bias_ih_l0: Operand = ..., bias_hh_l0: Operand = ..., weight_ih_l0_reverse: Operand = ...,
        weight_hh_l0_reverse: Operand = ..., bias_ih_l0_reverse: Operand = ...,
        bias_hh_l0_reverse: Operand = ..., lengths: Operand = ..., h_0: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., weight_ih_l0: Binding = ..., weight_hh_l0: Binding = ...,
        bias_ih_l0: Binding = ..., bias_hh_l0: Binding = ..., weight_ih_l0_reverse: Binding = ...,
        weight_hh_l0_reverse: Binding = ..., bias_ih_l0_reverse: Binding = ...,
        bias_hh_l0_reverse: Binding = ..., lengths: Binding = ..., h_0: Binding = ..., *,
        output: Key = ..., h_n: Key = ...,
    ) -> Call: ...

class RNNCell(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., prev_hidden: Tensor = ...,
        w_ih: Tensor = ..., w_hh: Tensor = ..., w_ho: Tensor = ..., bias_h: Tensor = ...,
        bias_o: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, prev_hidden: Operand = ..., w_ih: Operand = ..., w_hh: Operand = ...,
        w_ho: Operand = ..., bias_h: Operand = ..., bias_o: Operand = ...,
    ) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., prev_hidden: Binding = ..., w_ih: Binding = ...,
        w_hh: Binding = ..., w_ho: Binding = ..., bias_h: Binding = ..., bias_o: Binding = ..., *,
        output: Key = ..., hidden: Key = ..., hidden_compl: Key = ...,
    ) -> Call: ...

class RandInt(Model):
    def __init__(
        self, shape: int | tuple[Any, ...] | list[Any] | None = None, *, key: int = 0,
        low: int | None = None, high: int | None = None, dtype: dtype_ | None = None,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(
        self, shape: Operand, low: Operand = ..., high: Operand = ..., key: Operand = ...,
        dtype: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., low: Binding = ..., high: Binding = ..., key: Binding = ...,
        dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Randn(Model):
    def __init__(
        self, shape: int | tuple[Any, ...] | list[Any] | None = None, *, key: int = 0,
        dtype: dtype_ | None = None, name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, shape: Operand, key: Operand = ..., dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., key: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class RandomUniform(Model):
    def __init__(
        self, *, name: str | None = None, like: Tensor = ..., key: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, like: Operand, key: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, like: Binding = ..., key: Binding = ..., *, output: Key = ...) -> Call: ...

class Recall(Model):
    def __init__(
        self, average: Literal['micro', 'macro', 'weighted'] = 'micro', *,
        n_classes: int | None = None, threshold: float | None = None, is_binary: bool = False,
        is_pred_one_hot: bool = True, is_label_one_hot: bool = True, name: str | None = None,
        pred: Tensor = ..., label: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, pred: Operand, label: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, pred: Binding = ..., label: Binding = ..., *, output: Key = ...) -> Call: ...

class RelativePositionBias(Model):
    def __init__(
        self, num_heads: int, *, num_buckets: int = 32, max_distance: int = 128,
        bidirectional: bool = True, name: str | None = None, query: Tensor = ..., key: Tensor = ...,
        weight: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, query: Operand, key: Operand = ..., weight: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, query: Binding = ..., key: Binding = ..., weight: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Relu(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Relu6(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Remainder(Model):
    def __init__(
        self, *, name: str | None = None, numerator: Tensor = ..., denominator: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, numerator: Operand, denominator: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, numerator: Binding = ..., denominator: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Repeat(Model):
    def __init__(
        self, repeats: int = ..., *, axis: int | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, repeats: Operand = ..., axis: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., repeats: Binding = ..., axis: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class RepeatInterleave(Model):
    def __init__(
        self, axis: int | None = None, *, output_size: int | None = None, name: str | None = None,
        input: Tensor = ..., repeats: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, repeats: Operand = ..., axis: Operand = ...,
        output_size: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., repeats: Binding = ..., axis: Binding = ...,
        output_size: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Reshape(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, shape: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., shape: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Rfft(Model):
    def __init__(
        self, n: int | None = None, *, axis: int = -1,
        norm: Literal['backward', 'forward', 'ortho'] = 'backward', name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Roll(Model):
    def __init__(
        self, shift: int | tuple[Any, ...] | list[Any] = ..., *,
        axis: int | tuple[Any, ...] | list[Any] | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, shift: Operand = ..., axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., shift: Binding = ..., axis: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class RotaryEmbedding(Model):
    def __init__(
        self, base: int | float = 10000.0, *, dim: int | None = None, interleaved: bool = False,
        use_positions: bool = False, frequencies: tuple[Any, ...] | list[Any] | None = None,
        name: str | None = None, input: Tensor = ..., positions: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, positions: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., positions: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Round(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class SELU(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class ScaledDotProduct(Model):
    def __init__(
        self, is_causal: bool = True, *, scale: float | int | None = None, dropout_p: float = 0.0,
        use_attn_mask: bool = False, seed: int = 0, inference: bool | None = None,
        name: str | None = None, query: Tensor = ..., key: Tensor = ..., value: Tensor = ...,
        attn_mask: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, query: Operand, key: Operand = ..., value: Operand = ..., attn_mask: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, query: Binding = ..., key: Binding = ..., value: Binding = ...,
        attn_mask: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Scatter(Model):
    def __init__(
        self, axis: int = -1, *, reduce: Literal['set', 'add', 'prod', 'amax', 'amin'] = 'set',
        name: str | None = None, input: Tensor = ..., index: Tensor = ..., source: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, index: Operand = ..., source: Operand = ..., axis: Operand = ...,
        reduce: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., index: Binding = ..., source: Binding = ...,
        axis: Binding = ..., reduce: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Shape(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class ShiftLeft(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., shift: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, shift: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., shift: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class ShiftRight(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., shift: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, shift: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., shift: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class SiLU(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Sigmoid(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Sign(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Sine(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Sinh(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Size(Model):
    def __init__(
        self, dim: int | tuple[Any, ...] | list[Any] | None = None, *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, dim: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., dim: Binding = ..., *, output: Key = ...) -> Call: ...

class Slice(Model):
    def __init__(
        self, start: int | None = ..., *, stop: int | None = ..., step: int | None = ...,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, start: Operand, stop: Operand = ..., step: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, start: Binding = ..., stop: Binding = ..., step: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Slogdet(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(self, input: Binding = ..., *, sign: Key = ..., logabsdet: Key = ...) -> Call: ...

class SmoothL1Loss(Model):
    def __init__(
        self, beta: int | float = 1.0, *, name: str | None = None, input: Tensor = ...,
        target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Softmax(Model):
    def __init__(self, axis: int = -1, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class Softplus(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Solve(Model):
    def __init__(
        self, *, name: str | None = None, matrix: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, matrix: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, matrix: Binding = ..., right: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class SolveTriangular(Model):
    def __init__(
        self, upper: bool = False, *, name: str | None = None, matrix: Tensor = ...,
        right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, matrix: Operand, right: Operand = ..., upper: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, matrix: Binding = ..., right: Binding = ..., upper: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Sort(Model):
    def __init__(
        self, axis: int = -1, *, descending: bool = False, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., descending: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., descending: Binding = ..., *,
        values: Key = ..., indices: Key = ...,
    ) -> Call: ...

class Split(Model):
    def __init__(
        self, split_size: int, *, axis: int, name: str | None = None, input: Tensor = ...,
        **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class Sqrt(Model):
    def __init__(
        self, robust: bool = False, *, threshold: float | None = None, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, robust: Operand = ..., threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., robust: Binding = ..., threshold: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Square(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class SquaredError(Model):
    def __init__(
        self, *, name: str | None = None, input: Tensor = ..., target: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, target: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., target: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Squeeze(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axis: Binding = ..., *, output: Key = ...) -> Call: ...

class StableReciprocal(Model):
    def __init__(
        self, threshold: float | None = None, *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, threshold: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., threshold: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class StopGradient(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Subtract(Model):
    def __init__(
        self, *, name: str | None = None, left: Tensor = ..., right: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, left: Operand, right: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, left: Binding = ..., right: Binding = ..., *, output: Key = ...) -> Call: ...

class Sum(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Svd(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> tuple[Connection, Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., *, U: Key = ..., S: Key = ..., Vh: Key = ...,
    ) -> Call: ...

class Svdvals(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class SwapAxes(Model):
    def __init__(
        self, axis1: int = 0, *, axis2: int = 1, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis1: Operand = ..., axis2: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis1: Binding = ..., axis2: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class TSNE(Model):
    def __init__(
        self, prediction_dim: int, *,
        input_type: Literal['distances', 'powered_distances', 'points'] = 'distances',
        preplexity: float = 20.0, calculate_p_joint: bool = False, name: str | None = None,
        input: Tensor = ..., coords: Tensor = ..., norm: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, coords: Operand = ..., norm: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., coords: Binding = ..., norm: Binding = ..., *,
        output: Key = ..., predicted_coords: Key = ...,
    ) -> Call: ...

class TSNECore(Model):
    def __init__(
        self, exact_distances: bool = True, *, calculate_p_joint: bool = False,
        perplexity: float = 20.0, name: str | None = None, distances: Tensor = ...,
        pred_distances: Tensor = ..., p_joint: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, distances: Operand, pred_distances: Operand = ..., p_joint: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, distances: Binding = ..., pred_distances: Binding = ..., p_joint: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class TakeAlongAxis(Model):
    def __init__(
        self, axis: int = -1, *, name: str | None = None, input: Tensor = ..., index: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, index: Operand = ..., axis: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., index: Binding = ..., axis: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Tan(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Tanh(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Tile(Model):
    def __init__(
        self, repeats: int | tuple[Any, ...] | list[Any] = ..., *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, repeats: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., repeats: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class ToList(Model):
    def __init__(self, input: Any = ..., *, name: str | None = None) -> None: ...
    @overload
    def __call__(self, input: Sequence[Operand]) -> Connection: ...
    @overload
    def __call__(self, input: str | Sequence[Binding] = ..., *, output: Key = ...) -> Call: ...

class ToTensor(Model):
    def __init__(
        self, input: bool | int | float | tuple[Any, ...] | list[Any] = ..., *,
        dtype: dtype_ | None = None, name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class ToTuple(Model):
    def __init__(self, input: Any = ..., *, name: str | None = None) -> None: ...
    @overload
    def __call__(self, input: Sequence[Operand]) -> Connection: ...
    @overload
    def __call__(self, input: str | Sequence[Binding] = ..., *, output: Key = ...) -> Call: ...

class TopK(Model):
    def __init__(
        self, k: int = ..., *, axis: int = -1, largest: bool = True, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, k: Operand = ..., axis: Operand = ..., largest: Operand = ...,
    ) -> tuple[Connection, Connection]: ...
    @overload
    def __call__(
        self, input: Binding = ..., k: Binding = ..., axis: Binding = ..., largest: Binding = ...,
        *, values: Key = ..., indices: Key = ...,
    ) -> Call: ...

class TransformerBlock(Model):
    def __init__(
        self, num_heads: int, *, dimension: int, hidden_dimension: int | None = None,
        activation: str | Model = 'Gelu', is_causal: bool = False, norm_first: bool = True,
        eps: float = 1e-05, name: str | None = None, input: Tensor = ..., **ports: Tensor,
    ) -> None: ...
    @overload
    def __call__(self, *inputs: Operand, **ports: Operand) -> Any: ...
    @overload
    def __call__(self, *inputs: Binding, **ports: Binding | Sequence[Binding]) -> Call: ...

class Transpose(Model):
    def __init__(
        self, axes: tuple[Any, ...] | list[Any] | int | None = None, *, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, axes: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., axes: Binding = ..., *, output: Key = ...) -> Call: ...

class TransposedDiagonal(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Trapezoid(Model):
    def __init__(self, *, name: str | None = None, y: Tensor = ..., x: Tensor = ...) -> None: ...
    @overload
    def __call__(self, y: Operand, x: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, y: Binding = ..., x: Binding = ..., *, output: Key = ...) -> Call: ...

class Tril(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Trunc(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class TsnePJoint(Model):
    def __init__(
        self, threshold: float | None = None, *, name: str | None = None,
        squared_distances: Tensor = ..., target_perplexity: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, squared_distances: Operand, target_perplexity: Operand = ...,
        threshold: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, squared_distances: Binding = ..., target_perplexity: Binding = ...,
        threshold: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Unfold(Model):
    def __init__(
        self, kernel_size: int | tuple[Any, ...] | list[Any], *,
        stride: int | tuple[Any, ...] | list[Any] = 1,
        padding: int | tuple[Any, ...] | list[Any] = 0,
        dilation: int | tuple[Any, ...] | list[Any] = 1, name: str | None = None,
        input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Unique(Model):
    def __init__(
        self, size: int = ..., *, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand, size: Operand = ...) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., size: Binding = ..., *, output: Key = ...) -> Call: ...

class Upsample(Model):
    def __init__(
        self, scale_factor: int | tuple[Any, ...] | list[Any] = 2, *,
        mode: Literal['nearest', 'bilinear', 'bicubic'] = 'nearest',
        size: int | tuple[Any, ...] | list[Any] | None = None, align_corners: bool = False,
        antialias: bool = False, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

class Variance(Model):
    def __init__(
        self, axis: int | tuple[Any, ...] | list[Any] | None = None, *, keepdim: bool = False,
        correction: float | int = 0.0, name: str | None = None, input: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, input: Operand, axis: Operand = ..., keepdim: Operand = ...,
        correction: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, input: Binding = ..., axis: Binding = ..., keepdim: Binding = ...,
        correction: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class Where(Model):
    def __init__(
        self, *, name: str | None = None, cond: Tensor = ..., input1: Tensor = ...,
        input2: Tensor = ...,
    ) -> None: ...
    @overload
    def __call__(
        self, cond: Operand, input1: Operand = ..., input2: Operand = ...,
    ) -> Connection: ...
    @overload
    def __call__(
        self, cond: Binding = ..., input1: Binding = ..., input2: Binding = ..., *,
        output: Key = ...,
    ) -> Call: ...

class Zeros(Model):
    def __init__(
        self, shape: tuple[Any, ...] | list[Any] | int = ..., *, dtype: dtype_ | None = None,
        name: str | None = None,
    ) -> None: ...
    @overload
    def __call__(self, shape: Operand, dtype: Operand = ...) -> Connection: ...
    @overload
    def __call__(
        self, shape: Binding = ..., dtype: Binding = ..., *, output: Key = ...,
    ) -> Call: ...

class ZerosLike(Model):
    def __init__(self, *, name: str | None = None, input: Tensor = ...) -> None: ...
    @overload
    def __call__(self, input: Operand) -> Connection: ...
    @overload
    def __call__(self, input: Binding = ..., *, output: Key = ...) -> Call: ...

__all__ = [
    "AUC", "AUCCore", "Absolute", "AbsoluteError", "Accuracy", "Acos", "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D", "AdaptiveAvgPool3D", "AdaptiveMaxPool1D", "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D", "Add", "Arange", "ArgMax", "ArgMin", "ArgSort", "Asin", "AtLeast1D",
    "Atan", "Atan2", "AvgPool1D", "AvgPool2D", "BatchNorm1D", "BatchNorm2D", "BinaryCrossEntropy",
    "Bincount", "BitCast", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXOr", "BroadcastTo",
    "Buffer", "ByMode", "CTCLoss", "CachePositions", "CartesianDifference", "Cast", "CausalMask",
    "Cholesky", "Clamp", "Concat", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d",
    "ConvTranspose2d", "ConvTranspose3d", "Convolution1D", "Convolution2D", "Cosh", "Cosine",
    "CosineSimilarity", "CrossEntropy", "CumMax", "CumMin", "Cumprod", "Cumsum", "Det",
    "DistanceEncoder", "DistanceMatrix", "Divide", "Dropout", "Dtype", "ELU", "Eigenvalues",
    "Eigenvectors", "Eigvalsh", "Einsum", "ElementWiseAffine", "Embedding", "EncoderDecoder",
    "EncoderDecoderInference", "EncoderDistanceMatrix", "Equal", "Erf", "Erfc", "Erfinv",
    "ExpandDims", "Expm1", "Exponential", "Eye", "EyeComplement", "F1", "Fft", "Flatten", "Flip",
    "Floor", "FloorDivide", "Fmod", "Fold", "Full", "GPRAlpha", "GPRLoss", "GPRVOuter", "GRU",
    "GRUCell", "Gather", "GaussProcessRegressionCore", "Gelu", "Greater", "GreaterEqual",
    "GridSample", "GridSample3d", "GroupNorm", "Hardsigmoid", "Hardswish", "HingeLoss", "Histc",
    "HuberLoss", "Ifft", "Indexer", "InstanceNorm", "Irfft", "IsNan", "Item", "KLDivergence",
    "KernelizedSVM", "KeyValueCache", "L1", "L2", "LSTM", "LSTMCell", "LSTMCellBody", "Layer",
    "LayerNorm", "LeakyRelu", "Length", "Less", "LessEqual", "Lgamma", "Linear", "LinearSVM",
    "LinearScan", "Log", "Log1p", "LogCumsumExp", "LogSoftmax", "LogSumExp", "LogicalAnd",
    "LogicalNot", "LogicalOr", "LogicalXOr", "LogisticRegression", "Lstsq", "MDS", "MDSCore", "MLP",
    "ManyToOne", "MaskedSoftmax", "MatrixExp", "MatrixMultiply", "Max", "MaxPool1D", "MaxPool2D",
    "Maximum", "Mean", "Metric", "Min", "Minimum", "Mish", "MultiHeadAttention", "Multiply",
    "NanQuantile", "NanToNum", "Negate", "NormModifier", "NotEqual", "OneHot", "OneToMany",
    "OneToManyInference", "Ones", "PReLU", "Pad", "PermuteTensor", "Pinv", "PixelShuffle",
    "PixelUnshuffle", "Polygamma", "PolynomialFeatures", "PolynomialKernel", "PolynomialRegression",
    "PositionalEncoding", "Power", "Precision", "PrimitiveAvgPool1D", "PrimitiveAvgPool2D",
    "PrimitiveConvolution1D", "PrimitiveConvolution2D", "PrimitiveEmbedding", "PrimitiveFft",
    "PrimitiveLayerNorm", "PrimitiveLinear", "PrimitiveMaxPool1D", "PrimitiveMaxPool2D",
    "PrimitiveRandInt", "PrimitiveRandn", "PrimitiveScaledDotProduct", "PrimitiveSlice",
    "PrimitiveSplit", "Prod", "Qr", "QuadHingeLoss", "QuadraticFormRegularizer", "Quantile",
    "QuantileLoss", "QuickGelu", "RBFKernel", "RMSNorm", "RNN", "RNNCell", "RandInt", "Randn",
    "RandomUniform", "Recall", "RelativePositionBias", "Relu", "Relu6", "Remainder", "Repeat",
    "RepeatInterleave", "Reshape", "Rfft", "Roll", "RotaryEmbedding", "Round", "SELU",
    "ScaledDotProduct", "Scatter", "Shape", "ShiftLeft", "ShiftRight", "SiLU", "Sigmoid", "Sign",
    "Sine", "Sinh", "Size", "Slice", "Slogdet", "SmoothL1Loss", "Softmax", "Softplus", "Solve",
    "SolveTriangular", "Sort", "Split", "Sqrt", "Square", "SquaredError", "Squeeze",
    "StableReciprocal", "StopGradient", "Subtract", "Sum", "Svd", "Svdvals", "SwapAxes", "TSNE",
    "TSNECore", "TakeAlongAxis", "Tan", "Tanh", "Tile", "ToList", "ToTensor", "ToTuple", "TopK",
    "TransformerBlock", "Transpose", "TransposedDiagonal", "Trapezoid", "Tril", "Trunc",
    "TsnePJoint", "Unfold", "Unique", "Upsample", "Variance", "Where", "Zeros", "ZerosLike",
]
