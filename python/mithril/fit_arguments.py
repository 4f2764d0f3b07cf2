"""The checks of the arguments of `fit`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ._core import Evaluator, raise_error, unknown_name, wrong_argument
from .data_source import DataSource
from .optimizers import TrainingStep

NUMBERS = {"loss", "lr", "samples_per_second", "tokens_per_second", "validation_loss"}


def check_fit(arguments: Mapping[str, Any]) -> None:
    """Raises an error for an argument of `fit` of the wrong type or out of range."""
    step = arguments["step"]
    if not isinstance(step, TrainingStep):
        wrong_argument("fit", "step", "a TrainingStep", step)
    for name in ("data", "validation"):
        _check_data(name, arguments[name])
    for name, least in (("epochs", 0), ("batch_size", 1), ("patience", 1), ("seed", 0)):
        _check_int(name, arguments[name], least)
    if arguments["params"] is not None:
        if not isinstance(arguments["params"], dict):
            wrong_argument("fit", "params", "a dict", arguments["params"])
        step.compiled.load_state_dict(arguments["params"])
    metrics, callbacks = arguments["metrics"] or {}, arguments["callbacks"]
    is_known = isinstance(metrics, Mapping) and all(map(_is_metric, metrics.values()))
    if not is_known:
        wrong_argument("fit", "metrics", "a dict of functions and evaluators", arguments["metrics"])
    for name in sorted(set(metrics) & NUMBERS):
        message = f"fit: a metric is '{name}', expected a name that fit does not use"
        raise_error("ValueError", "E0416", message)
    if not isinstance(callbacks, (list, tuple)) or not all(map(callable, callbacks)):
        wrong_argument("fit", "callbacks", "a list of functions", callbacks)
    if not isinstance(arguments["checkpoint"], (str, PathLike, type(None))):
        wrong_argument("fit", "checkpoint", "a path", arguments["checkpoint"])
    _check_keys(step, arguments["loss"], arguments["tokens"])
    if metrics and arguments["validation"] is None:
        raise_error(
            "InputError",
            "E0843",
            "fit: metrics are measured in validation, and there is none",
            help="add validation=",
        )


def check_progress(rows: int, epoch: int, what: str = "batches") -> None:
    """Raises an error for an epoch without rows."""
    if rows > 0:
        return
    raise_error(
        "InputError",
        "E0841",
        f"fit: there are no {what} in epoch {epoch + 1}",
        help="a generator ends after one pass: use a list, or a class with __iter__",
    )


def made_folder(path: str | PathLike[str]) -> Path:
    """The folder of checkpoints, before training begins."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        why = [("why", getattr(error, "strerror", None) or str(error))]
        raise_error("InputError", "E0831", "the folder cannot be made", path=str(path), facts=why)
    return folder


def read_history(
    metadata: Mapping[str, str], path: PathLike[str]
) -> tuple[list[dict[str, float]], int]:
    """The epochs and the best one in the metadata of last.safetensors."""
    try:
        kept = json.loads(metadata["fit"])
        epochs = [{key: float(value) for key, value in each.items()} for each in kept["epochs"]]
        if 0 <= kept["best_epoch"] < len(epochs):
            return epochs, kept["best_epoch"]
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # refused below
    raise_error(
        "InputError",
        "E0844",
        f"fit: '{path}' is not a checkpoint of fit",
        help="choose another folder for checkpoint",
    )


def _is_metric(metric: Any) -> bool:
    return callable(metric) or isinstance(metric, Evaluator)


def _check_data(name: str, data: Any) -> None:
    if isinstance(data, DataSource):
        return
    if not isinstance(data, Mapping):
        if not hasattr(data, "__iter__") and (data is not None or name == "data"):
            wrong_argument("fit", name, "a dict of arrays, a source, or batches", data)
        return
    for key, value in data.items():
        if len(getattr(value, "shape", ())) == 0:
            wrong_argument("fit", f'{name}["{key}"]', "an array with a first axis", value)
    lengths = {key: len(value) for key, value in data.items()}
    if len(set(lengths.values())) == 1:
        return
    raise_error(
        "InputError",
        "E0840",
        f"fit: the arrays of '{name}' differ in length",
        facts=[(key, str(length)) for key, length in lengths.items()],
    )


def _check_int(name: str, value: Any, least: int) -> None:
    if value is None and name == "patience":
        return
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        wrong_argument("fit", name, "an int", value)
    if value < least:
        message = f"fit: {name} is {value}, expected at least {least}"
        raise_error("ValueError", "E0416", message)
    if name == "seed" and value >= 2**64:
        message = f"fit: seed is {value}, expected below 2**64"
        raise_error("ValueError", "E0416", message)


def _check_keys(step: TrainingStep, loss: Any, tokens: Any) -> None:
    for name, text in (("loss", loss), ("tokens", tokens)):
        if not isinstance(text, str) and (name == "loss" or text is not None):
            wrong_argument("fit", name, "a string", text)
    outputs, inputs = list(step.compiled.output_keys), list(step.compiled.input_keys)
    if loss not in outputs:
        unknown_name("E0606", "output", loss, outputs)
    if tokens is not None and tokens not in inputs:
        unknown_name("E0606", "input", tokens, inputs)
