"""Packages of TorchScript, which the Torch backend runs in place of a model of Mithril."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from . import _core
from .calls import checked

__all__ = ["TorchScriptModel", "save_torchscript_package"]

FILE = "backends/torch/model.pt"
TEXTS = ("name", "revision", "model_type", "family", "licence", "source")


class TorchScriptModel:
    """TorchScript with the calls of a compiled model: load_package(path,
    allow_native_code=True).compile(ml.TorchBackend()) makes it of a package.

    Ports are those of the package. Without them the inputs are the arguments of `forward`, and the
    outputs are "output", "output_0", "output_1", ..., or the keys of a dict.
    """

    def __init__(
        self, stored: bytes, where: str, backend: Any, inputs: Any = None, outputs: Any = None
    ) -> None:
        import torch  # noqa: PLC0415 - only who has a TorchBackend has torch

        self._torch = torch
        self._where = where
        self.backend = backend
        try:
            self._module = torch.jit.load(io.BytesIO(stored), backend.device).eval()
        except RuntimeError as error:
            self._fail(error)
        if inputs is None:
            _, *arguments = self._module.forward.schema.arguments
            inputs = [_Port(each.name) for each in arguments]
        self._inputs = {port.name: port for port in inputs}
        self._outputs = None if outputs is None else [port.name for port in outputs]

    def __repr__(self) -> str:
        made = "" if self._outputs is None else f" -> {', '.join(self._outputs)}"
        return f"<TorchScriptModel: {', '.join(self._inputs)}{made}>"

    @property
    def data_keys(self) -> list[str]:
        """The names of the inputs."""
        return list(self._inputs)

    @property
    def output_keys(self) -> list[str]:
        """The names of the outputs; empty if they are not known before a call."""
        return list(self._outputs or ())

    @checked
    def evaluate(self, params: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs for inputs by name; `params` is empty, because the parameters are inside."""
        unknown = [*params, *(key for key in data if key not in self._inputs)]
        if unknown:
            known = ", ".join(self._inputs)
            _refuse("E0802", f"there is no data input '{unknown[0]}'", known)
        missing = [key for key in self._inputs if key not in data]
        if missing:
            _refuse("E0801", f"data lacks {', '.join(missing)}", ", ".join(data))
        sizes: dict[str, int] = {}
        tensors = {key: self._tensor(key, array, sizes) for key, array in data.items()}
        with self._torch.inference_mode():
            try:
                made = self._module(**tensors)
            except RuntimeError as error:
                self._fail(error)
        return self._named(made)

    def _tensor(self, key: str, array: Any, sizes: dict[str, int]) -> Any:
        port = self._inputs[key]
        tensor = self._torch.as_tensor(array, device=self.backend.device)
        if port.dtype is None:
            return tensor
        wanted = getattr(self._torch, port.dtype.name)
        if _kind(tensor.dtype) != _kind(wanted):
            _refuse("E0805", f"'{key}' is {str(tensor.dtype)[6:]}, expected {port.dtype.name}")
        if port.dims is not None and len(port.dims) != tensor.ndim:
            _refuse("E0803", f"'{key}' has rank {tensor.ndim}, expected {len(port.dims)}")
        for axis, (size, dim) in enumerate(zip(tensor.shape, port.dims or (), strict=False)):
            expected = sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            if expected is not None and size != expected:
                _refuse("E0804", f"'{key}' has {size} in dim {axis}, expected {expected}")
        converted = tensor.to(wanted)
        held = tensor.dtype.is_floating_point or bool(
            (converted.to(self._torch.int64) == tensor.to(self._torch.int64)).all()
        )
        if not held:
            _refuse("E0805", f"'{key}' has values that {port.dtype.name} cannot hold")
        return converted

    def _named(self, made: Any) -> dict[str, Any]:
        several = isinstance(made, (tuple, list))
        if isinstance(made, dict):
            given = {str(key): value for key, value in made.items()}
        elif self._outputs is not None and len(self._outputs) == (len(made) if several else 1):
            given = dict(zip(self._outputs, made if several else [made], strict=True))
        else:
            given = {f"output_{i}": each for i, each in enumerate(made)} if several else {}
            given = given or {"output": made}
        if self._outputs is None:
            return given
        if set(given) != set(self._outputs):
            stated = ", ".join(self._outputs)
            facts = [("stated", stated), ("model", ", ".join(given))]
            text = "the model has other outputs than stated"
            _core.raise_error("ParseError", "E0769", text, path=self._where, facts=facts)
        return {key: given[key] for key in self._outputs}

    def _fail(self, error: RuntimeError) -> None:
        lines = str(error).strip().splitlines()
        _core.raise_error(
            "BackendError",
            "E1044",
            "the TorchScript of the package failed",
            path=self._where,
            facts=[("torch", lines[-1] if lines else "no message")],
        )


class _Port(NamedTuple):
    """An argument of `forward`, which nothing else is known about."""

    name: str
    dtype: Any = None
    dims: Any = None


def of_package(package: Any, backend: Any) -> TorchScriptModel:
    """The TorchScript of a package. BackendError E1041 without permission for native code."""
    package.native_file(FILE)
    ports = package.info.inputs, package.info.outputs
    return TorchScriptModel(package.file(FILE), f"{package.path}/{FILE}", backend, *ports)


@checked
def save_torchscript_package(
    path: str | os.PathLike[str],
    module: Any,
    inputs: Sequence[tuple[str, Any, Sequence[Any]]],
    outputs: Sequence[tuple[str, Any, Sequence[Any]]],
    *,
    assets: Mapping[str, Any] | Sequence[Any] = (),
    **texts: str,
) -> None:
    """Writes a package whose model is TorchScript: a file, or a module of torch.jit.

    It is native code, so loading it needs allow_native_code=True.

    Args:
        inputs: a name, a dtype and dims of each argument of `forward`, dims as numbers, names of
            sizes, or None for any size.
        outputs: likewise, in the order in which `forward` returns them, or by the keys of its dict.
        texts: name, revision, model_type, family, licence and source, as in save_package.
    """
    unknown = [key for key in texts if key not in TEXTS]
    if unknown:
        _core.unknown_name("E0605", "argument of save_torchscript_package", unknown[0], list(TEXTS))
    from .packages import _assets  # noqa: PLC0415 - packages imports this module

    stored = module if isinstance(module, (str, os.PathLike)) else _bytes_of(module)
    _core._save_native_package(
        path,
        [tuple(port) for port in inputs],
        [tuple(port) for port in outputs],
        [("torch", "", [("model.pt", stored)])],
        _assets(assets),
        {key: texts.get(key, "") for key in TEXTS},
    )


def _bytes_of(module: Any) -> bytes:
    buffer = io.BytesIO()
    import torch  # noqa: PLC0415 - the module is one of torch

    torch.jit.save(module, buffer)
    return buffer.getvalue()


def _kind(dtype: Any) -> str:
    if dtype.is_floating_point:
        return "float"
    return "bool" if str(dtype) == "torch.bool" else "int"


def _refuse(code: str, message: str, known: str = "") -> None:
    facts = [("known", known)] if known else []
    _core.raise_error("InputError", code, message, facts=facts)
