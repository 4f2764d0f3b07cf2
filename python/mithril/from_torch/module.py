"""A compiled model as a torch.nn.Module. Imports torch; imported by __init__.py only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import torch

from .._core import CompiledModel, raise_error


class Shared:
    """The compiled model, which copies of a module share because it is immutable."""

    def __init__(self, compiled: CompiledModel) -> None:
        self.compiled = compiled
        self.data_keys = compiled.data_keys

    def mode(self, training: bool, data: Mapping[str, Any]) -> CompiledModel:
        """The model of a mode. Without labels, inference returns no losses."""
        if training:
            return self.compiled
        whole = all(key in data for key in self.data_keys)
        return self.compiled.in_inference(outputs=self.compiled.output_keys if whole else None)

    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return self


class TorchModule(torch.nn.Module):  # type: ignore[misc]
    """A module of torch made by `ml.as_torch_module`, which documents it."""

    def __init__(
        self,
        compiled: CompiledModel,
        params: Mapping[str, Any] | None,
    ) -> None:
        super().__init__()
        self._shared = Shared(compiled)
        # Per key: its registered module and its name there. So a deep copy has its own.
        self._parameter_places: list[tuple[str, torch.nn.Module, str]] = []
        self._state_places: list[tuple[str, torch.nn.Module, str]] = []
        given = compiled.get_parameters() if params is None else params
        frozen = set(compiled.frozen_keys)
        for key, value in compiled.load_state_dict(given).items():
            holder, name = self._place(key)
            holder.register_parameter(name, as_parameter(given[key], value, key not in frozen))
            self._parameter_places.append((key, holder, name))
        for key, value in compiled.initial_state_dict.items():
            holder, name = self._place(key)
            holder.register_buffer(name, value.clone())
            self._state_places.append((key, holder, name))

    def forward(self, *inputs: Any, **named: Any) -> Any:
        data = self._data_of(inputs, named)
        mode = self._shared.mode(self.training, data)
        params = {key: getattr(holder, name) for key, holder, name in self._parameter_places}
        buffers = {key: getattr(holder, name) for key, holder, name in self._state_places}
        if not buffers:
            outputs = mode.evaluate(params, data)
            return outputs if len(outputs) > 1 else next(iter(outputs.values()))
        # A clone, because autograd may keep the input, and the buffer is written to below.
        state = {key: buffer.clone() for key, buffer in buffers.items()}
        outputs, next_state = mode.evaluate(params, data, state=state)
        with torch.no_grad():
            for key, value in next_state.items():
                buffers[key].copy_(value)
        return outputs if len(outputs) > 1 else next(iter(outputs.values()))

    def extra_repr(self) -> str:
        compiled = self._shared.compiled
        return f"{', '.join(compiled.data_keys)} -> {', '.join(compiled.output_keys)}"

    def _data_of(self, inputs: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        keys = self._shared.data_keys
        positional = dict(zip(keys, inputs, strict=False))
        twice = [key for key in positional if key in named]
        if len(inputs) <= len(keys) and not twice:
            return {**positional, **named}
        raise_error(
            "InputError",
            "E0809",
            f"{len(inputs)} inputs by position and {', '.join(named) or 'none'} by name do not fit",
            facts=[("expected", ", ".join(keys))],
        )

    def _place(self, key: str) -> tuple[torch.nn.Module, str]:
        """The module that holds the key, made where it is not there, and the name in it."""
        holder: torch.nn.Module = self
        *path, name = key.split(".")
        for part in path:
            if part not in holder._modules and not hasattr(holder, part):
                holder.add_module(part, torch.nn.Module())
            holder = holder._modules.get(part) or refuse_name(key, part)
        return (holder, name) if not hasattr(holder, name) else refuse_name(key, name)

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> Any:
        """Called by .to(), .double() and .cuda(): refuses what the model does not support."""
        backend: Any = self._shared.compiled.backend
        here = torch.empty(0, dtype=backend.dtype, device=backend.device)
        moved = fn(here)
        if (moved.dtype, moved.device) != (here.dtype, here.device):
            raise_error(
                "BackendError",
                "E1009",
                "a compiled model stays on its device and keeps its dtype",
                facts=[
                    ("compiled for", f"{here.dtype} on {here.device}"),
                    ("asked for", f"{moved.dtype} on {moved.device}"),
                ],
                help="compile for another TorchBackend, and load this module's state_dict()",
            )
        return super()._apply(fn, recurse)


def as_parameter(given: Any, converted: torch.Tensor, trained: bool) -> torch.nn.Parameter:
    """Returns the parameter itself if no conversion is needed."""
    same = isinstance(given, torch.nn.Parameter) and given.data_ptr() == converted.data_ptr()
    if same and (trained or not given.requires_grad):
        return given
    return torch.nn.Parameter(converted.detach(), requires_grad=trained)


def refuse_name(key: str, name: str) -> NoReturn:
    raise_error(
        "NameError",
        "E0617",
        f"{key!r} cannot be registered: a module of torch has {name!r} already",
        help="give the part or the key another name",
    )
