"""TorchScript of other programs: packages, and files that do not state their ports."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._internal.arguments import checked
from .package import _assets

__all__ = ["TorchScriptModel", "save_torchscript_package"]

TEXTS = ("name", "revision", "model_type", "family", "licence", "source")


class TorchScriptModel:
    """A file of TorchScript with the calls of a compiled model.

    `ml.models_registry` loads it. The inputs are the arguments of `forward`. The outputs are
    "output", or "output_0", "output_1" and so on for a tuple, or the keys of a dict.
    """

    def __init__(self, stored: bytes, where: str, backend: Any) -> None:
        import torch  # noqa: PLC0415 - only who has a TorchBackend has torch

        self._torch = torch
        self._where = where
        self.backend = backend
        try:
            self._module = torch.jit.load(io.BytesIO(stored), backend.device).eval()
        except RuntimeError as error:
            self._fail(error)
        _, *arguments = self._module.forward.schema.arguments
        self._inputs = [argument.name for argument in arguments]

    def __repr__(self) -> str:
        return f"<TorchScriptModel: {', '.join(self._inputs)}>"

    @property
    def data_keys(self) -> list[str]:
        """The names of the inputs."""
        return list(self._inputs)

    @property
    def output_keys(self) -> list[str]:
        """Empty: the names of the outputs are not known before a call."""
        return []

    @checked
    def evaluate(self, params: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
        """Evaluates the module.

        Args:
            params: an empty dict, because the parameters are in the module.
            data: dict of the inputs.

        Returns:
            Dict of the outputs.

        Raises:
            InputError: If an input is missing or unknown.
            BackendError: If the TorchScript fails.
        """
        unknown = [*params, *(key for key in data if key not in self._inputs)]
        if unknown:
            known = ", ".join(self._inputs)
            _refuse("E0802", f"there is no data input '{unknown[0]}'", known)
        missing = [key for key in self._inputs if key not in data]
        if missing:
            _refuse("E0801", f"data lacks {', '.join(missing)}", ", ".join(data))
        device = self.backend.device
        tensors = {key: self._torch.as_tensor(array, device=device) for key, array in data.items()}
        with self._torch.inference_mode():
            try:
                made = self._module(**tensors)
            except RuntimeError as error:
                self._fail(error)
        if isinstance(made, dict):
            return {str(key): value for key, value in made.items()}
        if isinstance(made, (tuple, list)):
            return {f"output_{i}": result for i, result in enumerate(made)}
        return {"output": made}

    def _fail(self, error: RuntimeError) -> None:
        lines = str(error).strip().splitlines()
        _core.raise_error(
            "BackendError",
            "E1044",
            "the TorchScript failed",
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
    """Saves TorchScript as a package.

    TorchScript is native code: loading the package needs `allow_native_code=True`.

    Args:
        path: path of a folder, or of a file that ends with ".zip".
        module: a module of torch.jit, or the path of a file.
        inputs: a tuple (name, dtype, shape) for each argument of `forward`. Shapes have numbers,
            names of sizes, and None for any size.
        outputs: such a tuple for each output, in the order in which `forward` returns them, or by
            the keys of its dict.
        assets: further files, as in `save_package`.
        texts: name, revision, model_type, family, licence and source, as in `save_package`.

    Raises:
        NameError: If `texts` has another name.
        InputError: If the package cannot be written.

    Example:
        import torch

        module = torch.jit.script(torch.nn.Linear(4, 2))
        inputs, outputs = [("input", ml.float32, ["N", 4])], [("y", ml.float32, ["N", 2])]
        ml.save_torchscript_package("scripted", module, inputs, outputs)

    See docs/packages.md.
    """
    unknown = [key for key in texts if key not in TEXTS]
    if unknown:
        _core.unknown_member(
            "E0605", "save_torchscript_package", "argument", unknown[0], list(TEXTS)
        )

    stored = module if isinstance(module, (str, os.PathLike)) else _bytes_of(module)
    _core._save_native_package(
        path,
        [tuple(port) for port in inputs],
        [tuple(port) for port in outputs],
        [{"name": "torch", "options": "", "files": [("model.pt", stored)]}],
        _assets(assets),
        {key: texts.get(key, "") for key in TEXTS},
    )


def _bytes_of(module: Any) -> bytes:
    buffer = io.BytesIO()
    import torch  # noqa: PLC0415 - the module is one of torch

    torch.jit.save(module, buffer)
    return buffer.getvalue()


def _refuse(code: str, message: str, known: str = "") -> None:
    facts = [("known", known)] if known else []
    _core.raise_error("InputError", code, message, facts=facts)
