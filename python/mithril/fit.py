"""A training loop with validation, early stopping and checkpoints, to use or to copy."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ._core import Evaluator, _shuffled_rows, _TensorBoard, wrong_argument
from .calls import checked
from .data_batches import named
from .data_source import Batches, DataSource
from .files import load, save
from .fit_arguments import check_fit, check_progress, made_folder, read_history
from .optimizers import TrainingStep
from .progress import ProgressBar

Batch = Mapping[str, Any]
Metric = Callable[[dict[str, Any], Batch], Any] | Evaluator
Data = Batch | Iterable[Any] | DataSource


@dataclass
class History:
    """The result of `fit`: parameters, and the numbers of each epoch."""

    params: dict[str, Any]  # after the last epoch
    best: dict[str, Any]  # parameters of the epoch with the lowest monitored loss
    best_state: dict[str, Any]  # running statistics and random keys of that epoch
    epochs: list[dict[str, float]] = field(default_factory=list)
    best_epoch: int = -1


@checked
def fit(  # noqa: PLR0913 - its options
    step: TrainingStep,
    data: Data,
    *,
    epochs: int,
    params: dict[str, Any] | None = None,
    batch_size: int = 32,
    loss: str = "final_cost",
    validation: Data | None = None,
    metrics: Mapping[str, Metric] | None = None,
    averages: bool = False,
    patience: int | None = None,
    callbacks: Iterable[Callable[[History], Any]] = (),
    checkpoint: str | PathLike[str] | None = None,
    tokens: str | None = None,
    progress: bool = True,
    seed: int = 0,
) -> History:
    """Calls `step` for all batches of `data` in each epoch, and returns a History.

    `data` is a dict of arrays, which is shuffled anew in each epoch (the last batch may be short);
    a source or batches of ml.data, whose `shuffle` knows the epoch; or an iterable of batches, such
    as a DataLoader of PyTorch, which is iterated over as it is. Batches are dicts, or tuples in the
    order of `data_keys`. The first array of a batch counts its rows. `params` is updated in place;
    without it training begins with get_parameters(). `loss` names a scalar output that is a mean.

    After each epoch the model is evaluated on `validation` in inference mode, with the averages of
    `step` if `averages` is set. `metrics` are functions of outputs and a batch that return a mean,
    or evaluators of ml.evaluation, which read outputs and inputs by key. The entries of
    `history.epochs` have "loss", "lr", "samples_per_second", and with validation "validation_loss"
    and the metrics. `tokens` names an input whose elements are counted as "tokens_per_second"
    instead of rows. The monitored loss is "validation_loss" if there is validation, otherwise
    "loss": `patience` epochs without a new minimum end training, and so does a callback that
    returns True (ml.TensorBoard is a callback).

    `checkpoint` is a folder for last.safetensors and best.safetensors (see ml.load). A run that
    finds last.safetensors of Python or C++ there continues from it, with the same bits as a run
    without interruption.

    Example:
        step = ml.TrainingStep(compiled, ml.AdamW(1e-3))
        history = ml.fit(step, train, epochs=20, validation=held_out, patience=3)
        deployed = compiled.for_inference(history.best, history.best_state)
    """
    check_fit(locals())
    params = step.compiled.get_parameters() if params is None else params
    history = History(params, step.averages(params) if averages else _copied(params), step.state)
    folder = made_folder(checkpoint) if checkpoint is not None else None
    if folder and (folder / "last.safetensors").exists():
        _resume(folder, step, history, averages)
    unit = "tokens" if tokens else "samples"
    monitor = "loss" if validation is None else "validation_loss"
    keys = list(step.compiled.data_keys)
    while len(history.epochs) < epochs and not _is_over(history, patience):
        epoch = len(history.epochs)
        label = f"epoch {epoch + 1}/{epochs}"
        count = _total(data, tokens)
        bar = ProgressBar(count, label=label, unit=unit, leave=False, shown=progress)
        began, samples, total, rate = time.perf_counter(), 0, 0.0, 0.0
        for batch in _batches(data, batch_size, (seed, epoch), keys):
            rate = step.optimizer.lr
            cost = float(step(params, batch)[loss])
            samples, total = samples + _rows(batch), total + _rows(batch) * cost
            bar.advance(_counted(batch, tokens), loss=total / samples, lr=rate)
        check_progress(samples, epoch)
        entry = {"loss": total / samples, "lr": rate, f"{unit}_per_second": bar.rate()}
        if validation is not None:
            weights = _detached(step.averages(params) if averages else params)
            batches = _batches(validation, batch_size, None, keys)
            every = _loss_and_metrics(loss, metrics or {})
            entry |= _validated(step, weights, batches, every, epoch)
        bar.close()
        if progress:
            left = (epochs - epoch - 1) * (time.perf_counter() - began)
            shown = ", ".join(f"{key} {number:.4g}" for key, number in entry.items())
            print(f"{label}: {shown}, {left:.0f} s left")
        history.epochs.append(entry)
        if _is_best(history, monitor):
            history.best_epoch = epoch
            history.best = step.averages(params) if averages else _copied(params)
            history.best_state = _copied(step.state)
        if folder:
            _save(folder, step, history)
        if any([callback(history) is True for callback in callbacks]):
            break
    return history


def _is_best(history: History, monitor: str) -> bool:
    if history.best_epoch < 0:
        return True
    # Epochs before the checkpoint may lack it.
    best = history.epochs[history.best_epoch].get(monitor, math.nan)
    last = history.epochs[-1][monitor]
    return last < best or (math.isnan(best) and not math.isnan(last))


def _is_over(history: History, patience: int | None) -> bool:
    return patience is not None and len(history.epochs) - 1 - history.best_epoch >= patience


def _loss_and_metrics(loss: str, metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    return {"validation_loss": lambda outputs, _: outputs[loss], **metrics}


def _validated(
    step: TrainingStep,
    params: dict[str, Any],
    batches: Iterator[Batch],
    metrics: Mapping[str, Metric],
    epoch: int,
) -> dict[str, float]:
    """The means of the metrics, by rows, and the results of the evaluators."""
    totals: dict[str, float] = dict.fromkeys(metrics, 0.0)
    evaluators = {name: each for name, each in metrics.items() if isinstance(each, Evaluator)}
    samples = 0
    for evaluator in evaluators.values():
        evaluator.reset()
    for batch in batches:
        outputs, rows = step.compiled.infer(params, batch, step.state), _rows(batch)
        samples += rows
        for name, metric in metrics.items():
            if isinstance(metric, Evaluator):
                metric.update({**batch, **outputs})
            else:
                totals[name] += rows * float(metric(outputs, batch))
    check_progress(samples, epoch, "batches of validation")
    means = {name: total / samples for name, total in totals.items()}
    return means | {name: each.compute() for name, each in evaluators.items()}


def _rows(batch: Batch) -> int:
    shape = np.shape(next(iter(batch.values()), 0))
    return shape[0] if shape else 1


def _counted(batch: Batch, tokens: str | None) -> int:
    return int(np.prod(np.shape(batch[tokens]))) if tokens else _rows(batch)


def _total(data: Data, tokens: str | None) -> int | None:
    """The rows or tokens of an epoch, if they are known."""
    if isinstance(data, Mapping):
        return _counted(data, tokens)
    return data.rows if isinstance(data, (Batches, DataSource)) and not tokens else None


def _batches(
    data: Data, size: int, seed_and_epoch: tuple[int, int] | None, keys: list[str]
) -> Iterator[Batch]:
    if isinstance(data, (Batches, DataSource)):
        data = data.at_epoch(seed_and_epoch[1] if seed_and_epoch else 0)
        yield from data.read_batches(size) if isinstance(data, DataSource) else data
        return
    if not isinstance(data, Mapping):
        yield from (named("fit", batch, keys) for batch in data)
        return
    rows = _rows(data)
    indices = _shuffled_rows(rows, *seed_and_epoch) if seed_and_epoch else np.arange(rows)
    for first in range(0, rows, size):
        chosen = indices[first : first + size]
        yield {key: value[chosen] for key, value in data.items()}


def _detached(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: v.detach() if hasattr(v, "detach") else v for key, v in params.items()}


def _copied(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: v.clone() if hasattr(v, "clone") else v.copy() for key, v in _detached(params).items()
    }


def _save(folder: Path, step: TrainingStep, history: History) -> None:
    epochs = [
        {name: number if math.isfinite(number) else str(number) for name, number in epoch.items()}
        for epoch in history.epochs
    ]
    text = json.dumps({"epochs": epochs, "best_epoch": history.best_epoch})
    save(
        folder / "last.safetensors",
        history.params,
        optimizer=step.optimizer,
        step=step,
        metadata={"fit": text},
    )
    # A kill between the two files loses nothing: the first one determines the second.
    if history.best_epoch == len(history.epochs) - 1:
        save(folder / "best.safetensors", history.best, step=history.best_state)


def _resume(folder: Path, step: TrainingStep, history: History, averages: bool) -> None:
    path = folder / "last.safetensors"
    saved = load(path)
    history.epochs, history.best_epoch = read_history(saved.metadata, path)
    # Copies, because the files will be replaced.
    params = step.compiled.load_state_dict(_copied(saved.params))
    step.optimizer.load_state_dict(_copied(saved.optimizer))
    step.state = saved.state
    history.params.update(params)
    if history.best_epoch == len(history.epochs) - 1:
        history.best = step.averages(params) if averages else _copied(params)
        history.best_state = _copied(step.state)
        save(folder / "best.safetensors", history.best, step=history.best_state)
    else:
        best = load(folder / "best.safetensors")
        history.best = step.compiled.load_state_dict(_copied(best.params))
        history.best_state = _copied(best.state)


class TensorBoard:
    """A callback of `fit` that logs the numbers of each epoch for TensorBoard.

    It needs no package. A run that continues from its checkpoint continues the log.

    Example:
        ml.fit(step, data, epochs=10, callbacks=[ml.TensorBoard("logs/first")])
    """

    @checked
    def __init__(self, folder: str | PathLike[str]) -> None:
        if not isinstance(folder, (str, PathLike)):
            wrong_argument("TensorBoard", "folder", "a path", folder)
        self._file = _TensorBoard(str(folder))

    @checked
    def add(self, step: int, numbers: Mapping[str, float]) -> None:
        """Logs numbers at an epoch or a step, for a loop of your own."""
        self._file.add(step, numbers)

    def __call__(self, history: History) -> None:
        self.add(len(history.epochs), history.epochs[-1])
