"""The checkpoints of `fit`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .._core import (
    StateError,
    TrainingStep,
    _load_optimizer,
    _save_together,
    raise_error,
)
from ..files import load_checkpoint
from .fit_arguments import made_folder

if TYPE_CHECKING:
    from ..distributed import Group
    from .fit import History


class FitFiles:
    """Reads and writes last.safetensors and best.safetensors in a folder.

    Without a folder it does nothing. The processes of a group write together: each what it holds.
    """

    def __init__(self, path: str | PathLike[str] | None, group: Group | None) -> None:
        self._folder = None if path is None else made_folder(path)
        self._group = group

    def resume(self, step: TrainingStep, history: History, averages: bool) -> int | None:
        """Continues the run whose files are in the folder, and returns its `epochs_before`."""
        if self._folder is None:
            return None
        found = (self._folder / "last.safetensors").exists()
        if self._group is not None:
            self._group.agree({"there is a checkpoint in the folder": str(found)}, "fit")
        if not found:
            return None
        try:
            return _resume(self._folder, step, history, averages)
        except StateError as error:
            of_file = error
        _raise_of_file(of_file, self._folder / "last.safetensors")

    def save_epoch(self, step: TrainingStep, history: History, epochs_before: int) -> None:
        if self._folder is None:
            return
        # A kill between the two files loses nothing: the first one determines the second.
        epochs = len(history.epochs)
        is_start = history.best_epoch == 0 and epochs == 1
        is_best = is_start or history.best_epoch == epochs
        text = {
            "epochs": [_written(epoch) for epoch in history.epochs],
            "best_epoch": history.best_epoch,
            "epochs_before": epochs_before,
        }
        _save_together(
            step,
            self._folder / "last.safetensors",
            history.params,
            optimizer=step.optimizer,
            metadata={"fit": json.dumps(text)},
        )
        if is_best:
            _save_best(self._folder, step, history)


def _save_best(folder: Path, step: TrainingStep, history: History) -> None:
    path = folder / "best.safetensors"
    _save_together(step, path, history.best, state=history.best_state)


def detached(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: v.detach() if hasattr(v, "detach") else v for key, v in params.items()}


def copied(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: v.clone() if hasattr(v, "clone") else v.copy() for key, v in detached(params).items()
    }


def copied_for_training(params: Mapping[str, Any]) -> dict[str, Any]:
    """Returns copies that take part in the autograd of torch if the parameters do."""
    return {
        key: v.requires_grad_() if getattr(params[key], "requires_grad", False) else v
        for key, v in copied(params).items()
    }


def _written(epoch: Mapping[str, float]) -> dict[str, Any]:
    return {key: value if math.isfinite(value) else str(value) for key, value in epoch.items()}


def _resume(folder: Path, step: TrainingStep, history: History, averages: bool) -> int:
    saved = load_checkpoint(folder / "last.safetensors")
    history.epochs, best_epoch, epochs_before = _read_history(
        saved.metadata, folder / "last.safetensors"
    )
    # Copies, because the files will be replaced.
    params = copied(step.compiled.load_state_dict(saved.params))
    _load_optimizer(step, saved.optimizer)
    step.state = saved.state
    history.params.update(params)
    history.best_epoch = best_epoch
    if best_epoch == len(history.epochs):
        history.best = step.averages(history.params) if averages else copied(history.params)
        history.best_state = copied(step.state)
        _save_best(folder, step, history)
    elif best_epoch or (folder / "best.safetensors").exists():
        kept = load_checkpoint(folder / "best.safetensors")
        history.best = copied(step.compiled.load_state_dict(kept.params))
        history.best_state = copied(kept.state)
    return epochs_before


def _read_history(
    metadata: Mapping[str, str], path: PathLike[str]
) -> tuple[list[dict[str, float]], int, int]:
    """Reads the epochs, the best epoch and the epochs before from last.safetensors."""
    try:
        kept = json.loads(metadata["fit"])
        epochs = [{key: float(value) for key, value in epoch.items()} for epoch in kept["epochs"]]
        if epochs and 0 <= kept["best_epoch"] <= len(epochs):
            return epochs, kept["best_epoch"], int(kept["epochs_before"])
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # refused below
    raise_error(
        "InputError",
        "E0844",
        f"fit: '{path}' is not a checkpoint of fit",
        help="choose another folder for checkpoint",
    )


def _raise_of_file(error: StateError, path: Path) -> NoReturn:
    """Raises the error again, with the name of the file and the reason why it was read."""
    again = (
        "fit continues the run of this file, which it found in the folder checkpoint: to begin a "
        "new run, choose another folder or remove the file"
    )
    facts = [(label, f"{text}   {origin}".rstrip()) for label, text, origin in error.facts]
    raise_error(
        "StateError",
        error.code,
        error.message,
        path=error.path or str(path),
        facts=facts,
        help=error.help or again,
    )
