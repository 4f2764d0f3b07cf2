"""Inner products of the gradients of training and validation samples, logged in training."""

from __future__ import annotations

import io
import operator
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np

from .. import _core
from .._core import Optimizer, raise_error, wrong_argument
from .._internal.arguments import checked
from ..training.fit_arguments import made_folder
from . import PerSample
from .mean_gradients import MeanGradients
from .params import params_of
from .step import COLUMNS, Step, host_array
from .validation_samples import ValidationSamples

__all__ = ["GradDotProdEngine"]

NEED_ATTACH = "call attach(optimizer) first"
NEED_BATCH = "call attach_train_batch(data, iteration, batch_index) first"


class GradDotProdEngine:
    """Logs how much each training sample helps on validation samples, while a model is trained.

    For training sample i it logs <g_i, sum over j of h_j>, where g_i is its gradient and h_j that
    of validation sample j. A step of SGD with g_i alone lowers the validation loss by about lr
    times this number, so samples with low sums do harm. Calls in the wrong order raise StateError.

    Args:
        compiled: the compiled model.
        losses: output [B, ...] whose rows are the losses of the samples.
        validation_batch_size: number of validation samples of each iteration.
        dot_prod_save_path: folder for the files of the log. None writes none.
        reduction, shared: as in `PerSample`.
        validation_reduction: "sum" or "mean" over the validation samples.
        same_pass: whether gradients come from the pass that computes the inner products. This saves
            a forward and a backward pass; the gradients then agree up to rounding.

    Example:
        net = ml.Model()
        net |= ml.Linear(2)(input="x", output="y")
        net |= ml.SquaredError()(input="y", target="target", output="losses")
        shapes = {"x": ["N", 4], "target": ["N", 2]}
        compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x", "target"], shapes=shapes)
        params = compiled.get_parameters()
        engine = ml.GradDotProdEngine(compiled, losses="losses", validation_batch_size=8)
        engine.attach(optimizer, params)
        engine.attach_and_store_valset(data)
        for iteration in range(3):
            engine.attach_train_batch(data, iteration, np.arange(8))
            gradients = engine.prepare_gradients()
            dots = engine.aggregate_and_log()
            optimizer.step(params, gradients)
            engine.clear_gradients()

    See docs/per-sample.md.
    """

    @checked
    def __init__(  # noqa: PLR0913 - its options
        self,
        compiled: _core.CompiledModel,
        *,
        losses: str,
        validation_batch_size: int,
        dot_prod_save_path: str | PathLike[str] | None = None,
        reduction: Literal["sum", "mean"] = "sum",
        shared: Sequence[str] = (),
        validation_reduction: Literal["sum", "mean"] = "sum",
        same_pass: bool = False,
    ) -> None:
        self._samples = PerSample(compiled, losses=losses, reduction=reduction, shared=shared)
        self._compiled = compiled
        self._mean_gradients = MeanGradients(compiled, losses, reduction == "mean")
        self._shared = set(shared)
        self._validation_reduction = validation_reduction
        self._validation_size = _int("GradDotProdEngine", validation_batch_size, name=True)
        self._same_pass = same_pass
        self._folder = None if dot_prod_save_path is None else made_folder(dot_prod_save_path)
        self._optimizer: Any = None
        self._params: dict[str, Any] | None = None
        self._validation: ValidationSamples | None = None
        self._state = dict(compiled.initial_state_dict)
        self._step: Step | None = None
        self._log: list[tuple[Any, Any, Any]] = []

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that `attach` was given or has found."""
        if self._params is None:
            _refuse("params: there are no parameters", NEED_ATTACH)
        return self._params

    @property
    def state(self) -> dict[str, Any]:
        """The state of the model after the last training batch (random keys)."""
        return self._state

    @checked
    def attach(self, optimizer: Any, params: dict[str, Any] | None = None) -> None:
        """Attaches an optimizer and the parameters that it updates.

        Args:
            optimizer: an optimizer of Mithril or of torch.
            params: dict of parameters. None keeps those of the last `attach`, or begins with
                `compiled.get_parameters()`. For torch it uses the names that the optimizer was made
                with, or the order of its parameters.

        Raises:
            StateError: If an optimizer is attached already.
            InputError: If the keys of torch's parameters are not clear.

        Example:
            engine.detach()
            engine.attach(ml.Adam(1e-3), params)
        """
        if self._optimizer is not None:
            _refuse("attach: an optimizer is attached already", "call detach() first")
        if isinstance(optimizer, Optimizer):
            params = params or self._params or self._compiled.get_parameters()
            self._compiled.load_state_dict(params)  # refuses other keys and shapes
        elif hasattr(optimizer, "param_groups"):
            params = params_of(self._compiled, optimizer, params)
        else:
            wrong_argument("attach", "optimizer", "an optimizer of torch or of Mithril", optimizer)
        self._optimizer, self._params = optimizer, params

    @checked
    def attach_and_store_valset(self, data: dict[str, Any]) -> None:
        """Stores a dict of validation samples. Their arrays are not copied.

        Iteration t uses the V = validation_batch_size rows t * V to t * V + V - 1 of the N samples,
        modulo N.

        Raises:
            InputError: If the arrays differ in length.
            ValueError: If there are fewer than V samples.

        Example:
            engine.attach_and_store_valset(data)
        """
        self._validation = ValidationSamples(data, self._validation_size, self._shared)

    @checked
    def attach_train_batch(self, data: dict[str, Any], iteration: int, batch_index: Any) -> Any:
        """Computes the inner products and the gradients of a batch.

        Several calls with one `iteration` are micro-batches of one step, whose gradient is the mean
        over all samples.

        Args:
            data: dict of the data inputs.
            iteration: number of the iteration.
            batch_index: number of the batch, or the index of each sample in the data set, for the
                log.

        Returns:
            The losses [B].

        Raises:
            StateError: If no optimizer is attached, there are no validation samples, or the step
                before is not finished.
            TypeError: If `batch_index` is neither an int nor B ints.

        Example:
            losses = engine.attach_train_batch(data, iteration=3, batch_index=np.arange(8))
            assert losses.shape == (8,)
        """
        method = "attach_train_batch"
        iteration = _int(method, iteration)
        if self._optimizer is None:
            _refuse(f"{method}: no optimizer is attached", NEED_ATTACH)
        if self._validation is None:
            help = "call attach_and_store_valset(data) first"
            _refuse(f"{method}: there are no validation samples", help)
        step = self._step or Step(iteration)
        if step.prepared or step.logged or step.iteration != iteration:
            help = "call prepare_gradients(), aggregate_and_log() and clear_gradients() first"
            _refuse(f"{method}: iteration {step.iteration} is not finished", help)
        params = {key: _detached(value) for key, value in self.params.items()}
        dots = self._samples.dots(
            params,
            data,
            self._validation.batch(iteration),
            validation_reduction=self._validation_reduction,
            state=self._state or None,
        )
        count = len(dots.total)
        indices = _indices(batch_index, count)
        gradients, state = dots.gradients, dots.state
        if not self._same_pass:
            gradients, state = self._mean_gradients(params, data, self._state, count)
        step.add(gradients, count)
        step.parts.append((host_array(dots.total), indices, np.full(count, iteration, np.int64)))
        self._step, self._state = step, dict(state)
        return dots.losses

    @checked
    def prepare_gradients(self) -> dict[str, Any]:
        """Returns the gradients of the step, the mean over its samples, by key.

        They also replace the `.grad` of the parameters of torch's optimizer.

        Raises:
            StateError: If there is no training batch.

        Example:
            engine.attach_train_batch(data, 3, np.arange(8))
            optimizer.step(params, engine.prepare_gradients())
        """
        step = self._pending("prepare_gradients")
        step.prepared = True
        if not isinstance(self._optimizer, Optimizer):
            import torch  # noqa: PLC0415 - it is imported already, by the optimizer

            for key, value in step.gradients.items():
                self.params[key].grad = torch.as_tensor(value)
        return step.gradients

    @checked
    def aggregate_and_log(self) -> Any:
        """Adds the inner products [B] of the step to the log, and returns them.

        Raises:
            StateError: If there is no training batch, or the log has the step already.

        Example:
            engine.attach_train_batch(data, 3, np.arange(8))
            assert engine.aggregate_and_log().shape == (8,)
        """
        step = self._pending("aggregate_and_log")
        if step.logged:
            help = "call clear_gradients() first"
            _refuse("aggregate_and_log: the step is in the log already", help)
        step.logged = True
        self._log += step.parts
        return np.concatenate([part[0] for part in step.parts])

    @checked
    def clear_gradients(self) -> None:
        """Ends the step, and sets the `.grad` of torch's parameters to None.

        Raises:
            StateError: If the inner products of the step are not in the log.

        Example:
            engine.attach_train_batch(data, 3, np.arange(8))
            dots = engine.aggregate_and_log()
            engine.clear_gradients()
        """
        if self._step is not None and not self._step.logged:
            help = "call aggregate_and_log() first, or detach() to drop them"
            _refuse("clear_gradients: the inner products of the step are not in the log", help)
        self._forget_step()

    @checked
    def save_dot_product_log(self, iteration: int) -> Path:
        """Writes the log since the last file, to "dots-00000012.npz" for iteration 12.

        The file has "dots", "batch_index" and "iteration", with a row for each sample. It is
        written atomically, and the log is empty afterwards. Returns the path.

        Raises:
            InputError: If the file cannot be written. The log is unchanged then.
            StateError: If the engine has no folder, a step is not finished, or the log is empty.

        Example:
            logger = ml.GradDotProdEngine(
                compiled, losses="losses", validation_batch_size=8, dot_prod_save_path="log"
            )
            logger.attach(optimizer, params)
            logger.attach_and_store_valset(data)
            logger.attach_train_batch(data, 0, np.arange(8))
            dots = logger.aggregate_and_log()
            assert np.load(logger.save_dot_product_log(0))["dots"].shape == (8,)
        """
        iteration = _int("save_dot_product_log", iteration)
        if self._folder is None:
            help = "make the engine with dot_prod_save_path="
            _refuse("save_dot_product_log: there is no folder for the log", help)
        if self._step is not None and not self._step.logged:
            _refuse(
                "save_dot_product_log: the inner products of the step are not in the log",
                "call aggregate_and_log() first",
            )
        if not self._log:
            _refuse("save_dot_product_log: the log is empty", "call aggregate_and_log() first")
        file = io.BytesIO()
        np.savez(file, **self._columns())
        path = self._folder / f"dots-{iteration:08}.npz"
        _core._write_file(path, [file.getbuffer()])
        self._log = []
        return path

    @checked
    def detach(self) -> None:
        """Releases the optimizer, and drops an unfinished step. The log stays.

        Example:
            engine.detach()
        """
        if self._optimizer is not None:
            self._forget_step()
        self._optimizer = None

    @checked
    def state_dict(self) -> dict[str, Any]:
        """Returns the log and the state of the model as a dict of arrays.

        Raises:
            StateError: If a step is not finished.

        Example:
            state = engine.state_dict()
        """
        if self._step is not None:
            help = "call aggregate_and_log() and clear_gradients() first"
            _refuse("state_dict: a step is not finished", help)
        state = {f"state.{key}": value for key, value in self._state.items()}
        return {**self._columns(), **state}

    @checked
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores a `state_dict`. Training continues with the same bits.

        Raises:
            TypeError: If `state` is not a `state_dict` of such an engine.

        Example:
            engine.load_state_dict(engine.state_dict())
        """
        expected = {*COLUMNS, *(f"state.{key}" for key in self._compiled.initial_state_dict)}
        if set(state) != expected:
            wrong_argument(
                "load_state_dict", "state", f"a dict of {', '.join(sorted(expected))}", state
            )
        columns = [host_array(state[name]) for name in COLUMNS]
        self._log = [(columns[0], columns[1], columns[2])] if len(columns[0]) else []
        self._state = {key: state[f"state.{key}"] for key in self._compiled.initial_state_dict}
        self._step = None

    def __repr__(self) -> str:
        attached = "attached" if self._optimizer is not None else "detached"
        return f"<GradDotProdEngine of {self._compiled!r}, {attached}>"

    def _pending(self, method: str) -> Step:
        if self._step is None:
            _refuse(f"{method}: there is no training batch", NEED_BATCH)
        return self._step

    def _forget_step(self) -> None:
        self._step = None
        if not isinstance(self._optimizer, Optimizer | None):
            for tensor in self.params.values():
                tensor.grad = None

    def _columns(self) -> dict[str, Any]:
        empty = [(np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))]
        parts = zip(*(self._log or empty), strict=True)
        return {name: np.concatenate(part) for name, part in zip(COLUMNS, parts, strict=True)}


def _refuse(message: str, help: str) -> NoReturn:
    raise_error("StateError", "E0912", message, help=help)


def _int(method: str, value: Any, name: bool = False) -> int:
    argument = "validation_batch_size" if name else "iteration"
    expected = "an int of 1 or more" if name else "an int"
    try:
        number = operator.index(value)
    except TypeError:
        wrong_argument(method, argument, expected, value)
    if name and number < 1:
        raise_error("ValueError", "E0402", f"{method}: {argument} is {number}, expected 1 or more")
    return number


def _indices(given: Any, count: int) -> Any:
    indices = np.asarray(host_array(given))
    if indices.dtype.kind in "iu" and indices.shape in ((), (count,)):
        return np.broadcast_to(indices, count).astype(np.int64)
    expected = f"an int, or an array of {count} ints"
    wrong_argument("attach_train_batch", "batch_index", expected, given)


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value
