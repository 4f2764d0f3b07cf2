"""The checks of the arguments of `fit`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._core import TrainingStep, raise_error, unknown_name, wrong_argument
from ..data.source import DataSource
from ..metrics import Evaluator

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
        expected = "a dict of functions, evaluators and their names"
        wrong_argument("fit", "metrics", expected, arguments["metrics"])
    for name in sorted(set(metrics) & NUMBERS):
        message = f"fit: a metric is '{name}', expected a name that fit does not use"
        raise_error("ValueError", "E0416", message)
    if not isinstance(callbacks, (list, tuple)) or not all(map(callable, callbacks)):
        wrong_argument("fit", "callbacks", "a list of functions", callbacks)
    if not isinstance(arguments["checkpoint"], (str, PathLike, type(None))):
        wrong_argument("fit", "checkpoint", "a path", arguments["checkpoint"])
    _check_keys(step, arguments["loss"], arguments["tokens"])
    _check_weights(step, arguments["data"], arguments["sample_weight"])
    _check_split(arguments["data"], arguments["validation"], arguments["validation_split"])
    validates = arguments["validation"] is not None or arguments["validation_split"] > 0
    numbers = ["loss", *(["validation_loss"] if validates else []), *metrics]
    _check_monitor(arguments["monitor"], arguments["mode"], numbers)
    if metrics and not validates:
        raise_error(
            "InputError",
            "E0843",
            "fit: metrics are measured in validation, and there is none",
            help="add validation= or validation_split=",
        )


class FitChecks(NamedTuple):
    """The checks of an epoch. Epochs count from 0."""

    epoch: int
    allow_nan: bool

    def rows(self, rows: int, what: str) -> None:
        """Raises an error if the epoch has no rows."""
        if rows > 0:
            return
        raise_error(
            "InputError",
            "E0841",
            f"fit: there are no {what} in epoch {self.epoch + 1}",
            help="a generator ends after one pass: use a list, or a class with __iter__",
        )

    def loss(self, cost: float, of: str, step: int) -> None:
        """Raises an error if the loss is not finite."""
        if self.allow_nan or math.isfinite(cost):
            return
        raise_error(
            "ValueError",
            "E0419",
            f"fit: the {of} is {cost} in epoch {self.epoch + 1}, step {step}",
            help="lower the learning rate, or clip gradients with max_norm; debug of compile names "
            "the first op that makes NaN; allow_nan continues",
        )


def check_first_steps(step: TrainingStep) -> None:
    """Raises an error if the optimizer has a state for parameters that fit does not know."""
    steps = step.optimizer.steps
    if steps == 0:
        return
    raise_error(
        "StateError",
        "E0914",
        f"fit: the optimizer has made {steps} steps with other parameters",
        help="give the parameters that it has trained as params, or take a new optimizer",
    )


def arranged(data: Any, validation: Any, weights: Any, split: float) -> tuple[Any, Any]:
    """Returns data with its weights, and the validation data.

    The validation data may be the last rows of the data.
    """
    if weights is not None:
        data = {**data, "sample_weight": weights}
        _check_data("data", data)
        if isinstance(validation, Mapping) and "sample_weight" not in validation:
            ones = np.ones(len(next(iter(validation.values()))), np.float32)
            validation = {**validation, "sample_weight": ones}
    return _split_rows(data, split) if split else (data, validation)


def _split_rows(data: Any, split: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the first and the last rows of the arrays."""
    rows = len(next(iter(data.values())))
    end = rows - _held_rows(rows, split)
    first = {key: value[:end] for key, value in data.items()}
    return first, {key: value[end:] for key, value in data.items()}


def _held_rows(rows: int, split: float) -> int:
    return math.floor(rows * split + 0.5)


def _check_weights(step: TrainingStep, data: Any, weights: Any) -> None:
    if weights is None:
        return
    message = "fit: sample_weight is given, "
    if "sample_weight" not in step.compiled.data_keys:
        message += "and the model has no input 'sample_weight'"
        help = "give add_loss this name as its sample_weight"
        raise_error("ValueError", "E0416", message, help=help)
    if not isinstance(data, Mapping) or "sample_weight" in data:
        message += "but data is not a dict of arrays, or has weights already"
        help = "put the weights into the batches"
        raise_error("ValueError", "E0416", message, help=help)


def _check_split(data: Any, validation: Any, split: Any) -> None:
    def refuse(why: str) -> None:
        raise_error("ValueError", "E0416", f"fit: validation_split is {split}, {why}")

    if isinstance(split, bool) or not isinstance(split, (int, float)):
        wrong_argument("fit", "validation_split", "a float", split)
    if split == 0:
        return
    if not 0 < split < 1:
        refuse("expected at least 0 and below 1")
    if validation is not None:
        refuse("and there is validation, too")
    if not isinstance(data, Mapping):
        refuse("but data is not a dict of arrays: give validation instead")
    rows = len(next(iter(data.values()), ()))
    if _held_rows(rows, split) in (0, rows):
        refuse(f"which leaves one part of {rows} rows empty")


def _check_monitor(monitor: Any, mode: Any, known: list[str]) -> None:
    if monitor is not None and not isinstance(monitor, str):
        wrong_argument("fit", "monitor", "a string", monitor)
    if mode not in ("min", "max"):
        wrong_argument("fit", "mode", '"min" or "max"', mode)
    if monitor is not None and monitor not in known:
        unknown_name("E0606", "number to monitor", monitor, known)


def made_folder(path: str | PathLike[str]) -> Path:
    """Makes the folder of checkpoints and returns its path."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        why = [("why", getattr(error, "strerror", None) or str(error))]
        raise_error("InputError", "E0831", "the folder cannot be made", path=str(path), facts=why)
    return folder


def _is_metric(metric: Any) -> bool:
    return callable(metric) or isinstance(metric, (Evaluator, str))


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
        if loss == "final_cost":  # the default, the cost of a TrainModel
            raise_error(
                "NameError",
                "E0606",
                "fit: there is no output 'final_cost'",
                facts=[("known", ", ".join(outputs))],
                help='loss="..." names the output that is the loss',
            )
        unknown_name("E0606", "output", loss, outputs)
    if tokens is not None and tokens not in inputs:
        unknown_name("E0606", "input", tokens, inputs)
