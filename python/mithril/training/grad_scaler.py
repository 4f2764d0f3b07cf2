"""Scaling of gradients, which keeps small gradients representable in float16."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from .._core import LossScale, raise_error, wrong_argument
from .._internal.arguments import checked

MOST_NESTED = 64  # lists in each other, as elsewhere


class GradScaler:
    """Scales gradients for mixed precision, as torch.amp.GradScaler does.

    It scales the gradients of outputs and unscales those of parameters. It skips a step whose
    gradients contain inf or NaN. The scale shrinks after such an iteration, and grows after
    `growth_interval` iterations without inf and NaN.

    Args:
        init_scale: first scale.
        growth_factor: factor by which the scale grows, above 1.
        backoff_factor: factor by which the scale shrinks, below 1.
        growth_interval: number of iterations without inf and NaN after which the scale grows.
        enabled: False makes all methods pass their arguments through.

    Raises:
        ValueError: If an option is out of range.

    Example:
        scaler = ml.GradScaler()
        scaled_one = scaler.scale({"loss": 1.0})
        _, scaled = compiled.evaluate(params, data, output_gradients=scaled_one)
        gradients = scaler.unscale(scaled)
        if all(np.isfinite(value).all() for value in gradients.values()):
            optimizer.step(params, gradients)
        scaler.update()

    See docs/semantics.md.
    """

    @checked
    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._state = LossScale(init_scale, growth_factor, backoff_factor, growth_interval)
        self._enabled = enabled
        self._found_inf: dict[int | None, bool] = {}  # by the id of an optimizer; None: of dicts

    def __repr__(self) -> str:
        if not self._enabled:
            return "GradScaler(enabled=False)"
        names = ("growth_factor", "backoff_factor", "growth_interval")
        options = "".join(f", {name}={getattr(self._state, name)!r}" for name in names)
        return f"GradScaler(init_scale={self._state.scale!r}{options})"

    @checked
    def scale(self, values: Any) -> Any:
        """Multiplies values by the scale.

        Args:
            values: a tensor, a number, or a dict, list or tuple of them.

        Returns:
            The same structure with scaled values of the same shapes.

        Raises:
            TypeError: If a value is of another kind.

        Example:
            scaler = ml.GradScaler(init_scale=1024.0)
            assert scaler.scale({"loss": 2.0}) == {"loss": 2048.0}
        """
        return self._scaled(values, 0) if self._enabled else values

    @checked
    def unscale(self, gradients: dict[str, Any]) -> dict[str, Any]:
        """Divides gradients by the scale, for clipping and for `step`.

        Args:
            gradients: dict of gradients.

        Returns:
            Dict of new tensors.

        Raises:
            TypeError: If a gradient is float16.

        Example:
            scaler = ml.GradScaler(init_scale=4.0)
            gradients = scaler.unscale({"weight": np.array([8.0, 4.0], np.float32)})
            assert gradients["weight"].tolist() == [2.0, 1.0]
        """
        if not self._enabled:
            return gradients
        if not isinstance(gradients, dict):
            wrong_argument("unscale", "gradients", "a dict", gradients)
        for key, gradient in gradients.items():
            _refuse_unscalable(f"'{key}'", gradient)
        unscaled, found_inf = self._unscaled(gradients.values())
        self._found_inf[None] = self._found_inf.get(None, False) or found_inf
        return dict(zip(gradients, unscaled, strict=True))

    @checked
    def unscale_(self, optimizer: Any) -> None:
        """Divides the `.grad` of the optimizer's parameters by the scale, for clipping.

        Without this call `step` does so.

        Args:
            optimizer: an optimizer of torch.

        Raises:
            StateError: If the gradients are already unscaled.

        Example:
            import torch

            weight = torch.ones(2, requires_grad=True)
            sgd, scaler = torch.optim.SGD([weight], lr=0.1), ml.GradScaler(init_scale=4.0)
            scaler.scale(weight.sum()).backward()
            scaler.unscale_(sgd)
            assert weight.grad.tolist() == [1.0, 1.0]
        """
        _check_optimizer("unscale_", optimizer, "param_groups")
        if not self._enabled:
            return
        if id(optimizer) in self._found_inf:
            self._refuse("unscale_: the gradients of this optimizer are unscaled already")
        params = [
            param
            for group in optimizer.param_groups
            for param in group["params"]
            if param.grad is not None
        ]
        for param in params:
            _refuse_unscalable("a parameter", param.grad)
        unscaled, self._found_inf[id(optimizer)] = self._unscaled(param.grad for param in params)
        for param, gradient in zip(params, unscaled, strict=True):
            param.grad = gradient

    @checked
    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls `optimizer.step()`, unless inf or NaN was found since the last `update`.

        Args:
            optimizer: an optimizer of torch.
            args: passed to `optimizer.step`.
            kwargs: passed to `optimizer.step`.

        Returns:
            The result of `optimizer.step`, or None if the step was skipped.

        Raises:
            TypeError: If the optimizer is not one of torch.

        Example:
            import torch

            weight = torch.ones(2, requires_grad=True)
            sgd, scaler = torch.optim.SGD([weight], lr=0.5), ml.GradScaler()
            scaler.scale(weight.sum()).backward()
            scaler.step(sgd)
            assert weight.tolist() == [0.5, 0.5]
        """
        _check_optimizer("step", optimizer, "step")
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) not in self._found_inf and None not in self._found_inf:
            self.unscale_(optimizer)
        if self._found_inf.get(id(optimizer), False) or self._found_inf.get(None, False):
            return None
        return optimizer.step(*args, **kwargs)

    @checked
    def update(self, new_scale: float | None = None) -> None:
        """Sets the scale for the next iteration. Call it at the end of each iteration.

        Args:
            new_scale: the new scale. None changes the scale by the rule of the class.

        Raises:
            StateError: If no gradients were unscaled since the last `update`.

        Example:
            scaler = ml.GradScaler(init_scale=4.0)
            scaler.unscale({"weight": np.array([np.inf], np.float32)})
            scaler.update()
            assert scaler.get_scale() == 2.0
        """
        if not self._enabled:
            return
        if new_scale is not None:
            if not isinstance(new_scale, (int, float)):
                wrong_argument("update", "new_scale", "a number", new_scale)
            self._state.scale = new_scale
        elif self._found_inf:
            self._state.update(any(self._found_inf.values()))
        else:
            self._refuse("update: no gradients were unscaled since the last update")
        self._found_inf = {}

    @checked
    def get_scale(self) -> float:
        """Returns the current scale, or 1.0 if scaling is disabled.

        Example:
            assert ml.GradScaler(init_scale=1024.0).get_scale() == 1024.0
        """
        return self._state.scale if self._enabled else 1.0

    @checked
    def is_enabled(self) -> bool:
        """Returns whether scaling is enabled.

        Example:
            assert not ml.GradScaler(enabled=False).is_enabled()
        """
        return self._enabled

    @checked
    def state_dict(self) -> dict[str, Any]:
        """Returns the state as a dict with the entries of torch.amp.GradScaler.

        It is empty if scaling is disabled.

        Example:
            scale = ml.GradScaler(init_scale=1024.0).state_dict()["scale"]
        """
        if not self._enabled:
            return {}
        names = ("scale", "growth_factor", "backoff_factor", "growth_interval")
        state = {name: getattr(self._state, name) for name in names}
        return {**state, "_growth_tracker": self._state.growth_tracker}

    @checked
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned.

        Args:
            state: dict of numbers.

        Raises:
            StateError: If entries are missing.

        Example:
            scaler = ml.GradScaler()
            scaler.load_state_dict(ml.GradScaler(init_scale=4.0).state_dict())
            assert scaler.get_scale() == 4.0
        """
        if not self._enabled:
            return
        if not isinstance(state, dict):
            wrong_argument("load_state_dict", "state", "a dict", state)
        entries = ("scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker")
        missing = [entry for entry in entries if entry not in state]
        if missing:
            self._refuse("the state of the grad scaler lacks " + ", ".join(missing))
        for entry in entries:
            if not isinstance(state[entry], (int, float)):
                expected = f"a number as '{entry}'"
                wrong_argument("load_state_dict", "state", expected, state[entry])
        self._state = LossScale(*(state[entry] for entry in entries))
        self._found_inf = {}

    def _scaled(self, values: Any, depth: int) -> Any:
        if depth > MOST_NESTED:
            wrong_argument("scale", "values", f"at most {MOST_NESTED} levels of lists", values)
        if isinstance(values, dict):
            return {key: self._scaled(value, depth + 1) for key, value in values.items()}
        if isinstance(values, (list, tuple)):
            return type(values)(self._scaled(value, depth + 1) for value in values)
        return _multiplied("scale", "values", values, self._state.scale)

    def _unscaled(self, gradients: Iterable[Any]) -> tuple[list[Any], bool]:
        """Returns new tensors, and whether an inf or NaN is among them.

        They are new because several keys may share one tensor.
        """
        made = list(gradients)
        found_inf = _unscale_tensors_of_torch(made, self._state.inverse)
        for at, gradient in enumerate(made):
            if isinstance(gradient, np.ndarray):
                made[at] = gradient * self._state.inverse
                found_inf = found_inf or not np.isfinite(made[at]).all()
        return made, bool(found_inf)

    @staticmethod
    def _refuse(message: str) -> None:
        raise_error("StateError", "E0910", message)


def _multiplied(method: str, argument: str, value: Any, factor: float) -> Any:
    try:
        return value * factor
    except (TypeError, RecursionError):
        wrong_argument(method, argument, "a tensor or a number", value)


def _unscale_tensors_of_torch(gradients: list[Any], inverse: float) -> bool:
    """Replaces tensors of torch by unscaled ones; returns whether one has inf or NaN.

    It runs a few kernels for each device and dtype, and waits for each device once.
    """
    groups: dict[Any, list[int]] = {}
    for at, gradient in enumerate(gradients):
        if not isinstance(gradient, np.ndarray):
            groups.setdefault((gradient.device, gradient.dtype), []).append(at)
    if not groups:
        return False
    torch = sys.modules["torch"]
    found: dict[Any, Any] = {}  # by device
    for (device, dtype), places in groups.items():
        made = torch._foreach_mul([gradients[at] for at in places], inverse)
        for at, gradient in zip(places, made, strict=True):
            gradients[at] = gradient
        if not dtype.is_floating_point:
            continue
        if device not in found:
            found[device] = torch.zeros((), device=device)
        one = torch.ones((), device=device)
        checked_in_place = [gradient.detach() for gradient in made]
        torch._amp_foreach_non_finite_check_and_unscale_(checked_in_place, found[device], one)
    return any(bool(one.item()) for one in found.values())


def _refuse_unscalable(name: str, gradient: Any) -> None:
    if not (isinstance(gradient, np.ndarray) or hasattr(type(gradient), "isfinite")):
        wrong_argument("unscale", "gradients", f"an array or a tensor for {name}", gradient)
    if str(gradient.dtype).rsplit(".", maxsplit=1)[-1] != "float16":
        return
    raise_error(
        "TypeError",
        "E0386",
        f"the gradient of {name} is float16: it cannot be unscaled",
        help="keep parameters in float32, and let mixed precision cast them",
    )


def _check_optimizer(method: str, optimizer: Any, needed: str) -> None:
    if not hasattr(optimizer, needed):
        wrong_argument(method, "optimizer", "an optimizer of torch", optimizer)
