"""Packages of TorchScript, which the Torch backend runs in place of a model of Mithril."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from .calls import checked

__all__ = ["TorchScriptModel", "save_torchscript_package"]

FILE = "backends/torch/model.pt"
TEXTS = ("name", "revision", "model_type", "family", "licence", "source")


class TorchScriptModel:
    """TorchScript of a package, with the calls of a compiled model: load_package(path,
    allow_native_code=True).compile(ml.TorchBackend()) makes it."""

    def __init__(self, package: Any, backend: Any) -> None:
        import torch  # noqa: PLC0415 - only who has a TorchBackend has torch

        package.native_file(FILE)  # refuses without permission
        self._torch = torch
        self._inputs = {port.name: port for port in package.info.inputs}
        self._outputs = [port.name for port in package.info.outputs]
        self._where = f"{package.path}/{FILE}"
        self.backend = backend
        try:
            self._module = torch.jit.load(io.BytesIO(package.file(FILE)), backend.device).eval()
        except RuntimeError as error:
            self._fail(error)

    def __repr__(self) -> str:
        return f"<TorchScriptModel: {', '.join(self._inputs)} -> {', '.join(self._outputs)}>"

    @property
    def data_keys(self) -> list[str]:
        """The names of the inputs."""
        return list(self._inputs)

    @property
    def output_keys(self) -> list[str]:
        """The names of the outputs."""
        return list(self._outputs)

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
        wanted = getattr(self._torch, port.dtype.name)
        if _kind(tensor.dtype) != _kind(wanted):
            _refuse("E0805", f"'{key}' is {str(tensor.dtype)[6:]}, expected {port.dtype.name}")
        if port.dims is not None and len(port.dims) != tensor.ndim:
            _refuse("E0803", f"'{key}' has rank {tensor.ndim}, expected {len(port.dims)}")
        for axis, (size, dim) in enumerate(zip(tensor.shape, port.dims or (), strict=False)):
            expected = sizes.setdefault(dim, size) if isinstance(dim, str) else dim
            if expected is not None and size != expected:
                _refuse("E0804", f"'{key}' has {size} in dim {axis}, expected {expected}")
        return tensor.to(wanted)

    def _named(self, made: Any) -> dict[str, Any]:
        if isinstance(made, dict):
            given = {str(key): value for key, value in made.items()}
        else:
            several = isinstance(made, (tuple, list))
            given = dict(zip(self._outputs, made if several else [made], strict=False))
            if several and len(made) != len(self._outputs):
                given = {str(i): value for i, value in enumerate(made)}
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
