"""A training loop with validation, early stopping and checkpoints, to use or to copy."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from .._core import (
    TrainingStep,
    _all_finite,
    _shuffled_rows,
    _TensorBoard,
    wrong_argument,
)
from .._internal.arguments import checked
from .._internal.summaries import summary_of
from ..data.batches import named
from ..data.shares import RowsOfProcess
from ..data.source import Batches, DataSource
from ..metrics import Evaluator, create
from .fit_arguments import FitChecks, arranged, check_first_steps, check_fit
from .fit_files import FitFiles, copied, copied_for_training, detached
from .progress import ProgressBar
from .shares import BatchAgreement, abandoning, is_true_on_any, row_total, rows_of_process
from .validation import Validation

Batch = Mapping[str, Any]
Metric = Callable[[dict[str, Any], Batch], Any] | Evaluator | str
Data = Batch | Iterable[Any] | DataSource


@dataclass(repr=False)
class History:
    """The result of `fit`: the parameters, and the numbers of each epoch.

    `params` are the parameters after the last epoch. `best` are those of the best epoch, and
    `best_state` is the state of the model then. `epochs` is a list of dicts, such as {"loss": 0.5,
    "lr": 0.001}. `best_epoch` counts from 1; 0 means that no epoch was the best one yet.

    Example:
        step = ml.TrainingStep(compiled, optimizer)
        history = ml.fit(step, data, epochs=2, progress=False)
        last_loss = history.epochs[-1]["loss"]

    See docs/semantics.md.
    """

    params: dict[str, Any]  # after the last epoch
    best: dict[str, Any]  # parameters of the best epoch; they and the monitored number are finite
    best_state: dict[str, Any]  # running statistics and random keys of that epoch
    epochs: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = 0  # counts from 1, as the progress does; 0: none, best is the start

    def __repr__(self) -> str:
        lines = [f"History of {len(self.epochs)} epochs, the best one is {self.best_epoch or None}"]
        shown = list(enumerate(self.epochs, 1))
        if len(shown) > 6:
            shown = [*shown[:2], (0, {}), *shown[-3:]]
        for number, epoch in shown:
            if not number:
                lines.append("  ...")
                continue
            texts = [f"{key} {value:.4g}" for key, value in list(epoch.items())[:8]]
            lines.append(f"  epoch {number}: {', '.join(texts)}")
        return "\n".join([*lines, f"  params: {summary_of(self.params)}"])


@checked
def fit(  # noqa: PLR0913, PLR0915 - its options
    step: TrainingStep,
    data: Data,
    *,
    epochs: int,
    params: dict[str, Any] | None = None,
    batch_size: int = 32,
    loss: str = "final_cost",
    sample_weight: Any = None,
    validation: Data | None = None,
    validation_split: float = 0.0,
    metrics: Mapping[str, Metric] | None = None,
    averages: bool = False,
    monitor: str | None = None,
    mode: Literal["min", "max"] = "min",
    patience: int | None = None,
    allow_nan: bool = False,
    callbacks: Iterable[Callable[[History], Any]] = (),
    checkpoint: str | PathLike[str] | None = None,
    tokens: str | None = None,
    progress: bool = True,
    shuffle: bool = True,
    seed: int = 0,
) -> History:
    """Trains a model for several epochs, with validation, early stopping and checkpoints.

    A second call with the same step continues where the first call ended. The entries of
    `history.epochs` have "loss", "lr" and "samples_per_second" (or "tokens_per_second"), and with
    validation "validation_loss" and the metrics.

    Args:
        step: the step, which keeps the model and the optimizer.
        data: dict of arrays, a source or batches of `ml.data`, or an iterable of batches such as a
            DataLoader of PyTorch. Batches are dicts, or tuples in the order of `data_keys`.
        epochs: number of epochs.
        params: dict of parameters, updated in place. None begins with `get_parameters()`, or
            continues from the last call with this step.
        batch_size: rows of a batch of arrays. The last batch may be short.
        loss: scalar output that is a mean.
        sample_weight: weight of each row, for a loss that was added with
            sample_weight="sample_weight".
        validation: data that is evaluated in inference mode after each epoch.
        validation_split: fraction of the rows of arrays, from the end, to use as validation.
        metrics: dict of functions metric(outputs, batch) that return a mean, of evaluators of
            `ml.metrics`, or of names that are registered there.
        averages: whether to validate with the averages of `step`.
        monitor: number that determines the best epoch. None is "validation_loss", or "loss" without
            validation.
        mode: "min" if a smaller number is better, "max" if a larger one is.
        patience: epochs without a new best one after which training ends. None never ends it.
        allow_nan: whether to continue after a loss that is NaN or infinite.
        callbacks: functions that take the History after each epoch. True ends training.
        checkpoint: folder for last.safetensors and best.safetensors. A run that finds
            last.safetensors there continues from it with the same bits.
        tokens: input whose elements are counted instead of rows.
        progress: whether to show a progress bar and the numbers of each epoch.
        shuffle: whether to shuffle the rows of arrays in each epoch.
        seed: seed of the order of rows.

    Raises:
        ValueError: If an option is out of range, or a loss is NaN or infinite.
        InputError: If arrays differ in length, or an epoch has no batches.
        StateError: If the optimizer has already trained parameters that are not given.

    Example:
        step = ml.TrainingStep(compiled, ml.AdamW(1e-3))
        history = ml.fit(step, data, epochs=3, loss="loss", validation=data, progress=False)
        deployed = compiled.bind(history.best, history.best_state)

    See docs/semantics.md.
    """
    check_fit(locals())
    measured = _loss_and_metrics(loss, metrics)
    data, validation = arranged(data, validation, sample_weight, validation_split)
    fitted, epochs_before = _FITTED.get(step, (None, 0))
    is_new = params is None and fitted is None
    if params is None:
        # Copied, so that the history of the call before keeps its own.
        params = step.compiled.get_parameters() if fitted is None else copied_for_training(fitted)
    history = History(params, step.averages(params) if averages else copied(params), step.state)
    group = step.compiled.group
    is_first = group is None or group.rank == 0
    progress = progress and is_first
    monitor = monitor or ("loss" if validation is None else "validation_loss")
    keys = list(step.compiled.data_keys)
    with abandoning(group):
        files = FitFiles(checkpoint, group)
        continued = files.resume(step, history, averages)
        if continued is not None:
            epochs_before = continued
        elif is_new:
            check_first_steps(step)
        _FITTED[step] = params, epochs_before + len(history.epochs)
        while len(history.epochs) < epochs and not _is_over(history, patience):
            epoch = len(history.epochs)
            label = f"epoch {epoch + 1}/{epochs}"
            unit = "tokens" if tokens else "samples"
            bar = ProgressBar(
                _total(data, tokens), label=label, unit=unit, leave=False, shown=progress
            )
            began = time.perf_counter()
            check = FitChecks(epoch, allow_nan)
            order = _Order(epochs_before + epoch, seed if shuffle else None)
            options = {"epochs": epochs, "epoch": epoch, "batch_size": batch_size}
            same = BatchAgreement(group, options | _length(data), isinstance(data, Mapping))
            batches = _batches(data, batch_size, order, keys)
            entry = _trained(step, params, batches, (loss, tokens), (check, same, bar))
            if validation is not None:
                weights = detached(step.averages(params) if averages else params)
                weights = step.compiled.gather_parameters(weights)
                rows = _at_epoch(validation, order.epoch)
                entry |= Validation(step, measured, check).run(weights, rows, batch_size, keys)
            bar.close()
            if progress:
                _print_epoch(label, entry, (epochs - epoch - 1) * (time.perf_counter() - began))
            history.epochs.append(entry)
            _FITTED[step] = params, epochs_before + len(history.epochs)
            if _is_best(history, monitor, mode):
                best = step.averages(params) if averages else copied(params)
                if not is_true_on_any(group, not _all_finite(best)):
                    history.best_epoch, history.best = epoch + 1, best
                    history.best_state = copied(step.state)
            files.save_epoch(step, history, epochs_before)
            called = [c for c in callbacks if is_first or not isinstance(c, TensorBoard)]
            ended = any([callback(history) is True for callback in called])
            if is_true_on_any(group, ended or _is_over(history, patience)):
                break
    return history


def _trained(
    step: TrainingStep,
    params: dict[str, Any],
    batches: Iterator[Batch],
    names: tuple[str, str | None],
    watched: tuple[FitChecks, BatchAgreement, ProgressBar],
) -> dict[str, float]:
    """Makes the steps of an epoch, and returns its numbers.

    Names are those of the loss, and of the input whose elements are tokens.
    """
    (loss, tokens), (check, same, bar) = names, watched
    at, samples, total, rate = 0, 0, 0.0, 0.0
    for at, batch in enumerate(batches, 1):
        same.batch(at, batch)
        rate = step.optimizer.lr
        rows = rows_of_process(step.compiled, step.compiled.data_group, batch)
        cost = float(step(params, rows)[loss])
        check.loss(cost, "loss", at)
        samples, total = samples + row_total(batch), total + row_total(batch) * cost
        bar.advance(_counted(batch, tokens), loss=total / samples, lr=rate)
    same.end(at)
    check.rows(samples, "batches")
    unit = "tokens" if tokens else "samples"
    return {"loss": total / samples, "lr": rate, f"{unit}_per_second": bar.rate()}


# The parameters that a step was fitted to, and the number of epochs.
_FITTED: WeakKeyDictionary[TrainingStep, tuple[dict[str, Any], int]] = WeakKeyDictionary()


def _print_epoch(label: str, entry: Mapping[str, float], left: float) -> None:
    shown = ", ".join(f"{key} {number:.4g}" for key, number in entry.items())
    print(f"{label}: {shown}, {left:.0f} s left")


class _Order(NamedTuple):
    """The order of the batches of an epoch. Without a seed, rows of arrays are not shuffled."""

    epoch: int
    seed: int | None


def _is_best(history: History, monitor: str, mode: str) -> bool:
    last = history.epochs[-1][monitor]
    if not math.isfinite(last):
        return False
    if history.best_epoch == 0:
        return True
    # Epochs before the checkpoint may lack it.
    best = history.epochs[history.best_epoch - 1].get(monitor, math.nan)
    return math.isnan(best) or (last < best if mode == "min" else last > best)


def _length(data: Data) -> dict[str, str]:
    """Returns a text about the number of batches of an iterable, if it knows it."""
    if isinstance(data, Mapping):
        return {"rows": str(row_total(data))}
    try:
        return {"batches": str(len(data))}  # type: ignore[arg-type]
    except TypeError:
        return {}


def _is_over(history: History, patience: int | None) -> bool:
    return patience is not None and len(history.epochs) - history.best_epoch >= patience


def _loss_and_metrics(loss: str, metrics: Mapping[str, Metric] | None) -> dict[str, Any]:
    """Returns the metrics, with new evaluators of registered names, and the loss."""
    named = {
        key: create(metric) if isinstance(metric, str) else metric
        for key, metric in (metrics or {}).items()
    }
    return {"validation_loss": lambda outputs, _: outputs[loss], **named}


def _counted(batch: Batch, tokens: str | None) -> int:
    if tokens is None:
        return row_total(batch)
    shape = np.shape(batch[tokens])
    return int(
        np.prod((row_total(batch), *shape[1:]) if isinstance(batch, RowsOfProcess) else shape)
    )


def _total(data: Data, tokens: str | None) -> int | None:
    """Returns the number of rows or tokens of an epoch, or None if it is unknown."""
    if isinstance(data, Mapping):
        return _counted(data, tokens)
    return data.rows if isinstance(data, (Batches, DataSource)) and not tokens else None


def _at_epoch(data: Data, epoch: int) -> Data:
    return data.at_epoch(epoch) if isinstance(data, (Batches, DataSource)) else data


def _batches(data: Data, size: int, order: _Order, keys: list[str]) -> Iterator[Batch]:
    if isinstance(data, (Batches, DataSource)):
        data = data.at_epoch(order.epoch)
        yield from data.read_batches(size) if isinstance(data, DataSource) else data
        return
    if not isinstance(data, Mapping):
        yield from (named("fit", batch, keys) for batch in data)
        return
    rows = row_total(data)
    indices = np.arange(rows)
    if order.seed is not None:
        indices = _shuffled_rows(rows, order.seed, order.epoch)
    for first in range(0, rows, size):
        chosen = indices[first : first + size]
        yield {key: value[chosen] for key, value in data.items()}


class TensorBoard:
    """A callback of `fit` that logs the numbers of each epoch for TensorBoard.

    It needs no package. A run that continues from its checkpoint continues the log.

    Args:
        folder: folder of the log.

    Example:
        step = ml.TrainingStep(compiled, optimizer)
        log = ml.TensorBoard("logs/first")
        ml.fit(step, data, epochs=2, callbacks=[log], progress=False)

    See docs/semantics.md.
    """

    @checked
    def __init__(self, folder: str | PathLike[str]) -> None:
        if not isinstance(folder, (str, PathLike)):
            wrong_argument("TensorBoard", "folder", "a path", folder)
        self._file = _TensorBoard(str(folder))

    @checked
    def add(self, step: int, numbers: Mapping[str, float]) -> None:
        """Logs numbers at an epoch or a step, for training loops of your own.

        Args:
            step: number of the epoch or step.
            numbers: dict of numbers.

        Example:
            log = ml.TensorBoard("logs/second")
            log.add(1, {"loss": 0.5})
        """
        self._file.add(step, numbers)

    def __call__(self, history: History) -> None:
        self.add(len(history.epochs), history.epochs[-1])
