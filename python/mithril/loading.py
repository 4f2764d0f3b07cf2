"""`ml.load`, and a registry of models by name, which loads them when they are first used."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, overload

from ._core import (
    Backend,
    CompiledModel,
    Model,
    compile,
    raise_error,
    wrong_argument,
)
from ._internal.arguments import checked, checked_kinds
from ._internal.registry import LazyRegistry
from .backends.cpu import CpuBackend
from .backends.jax import JaxBackend
from .backends.torch import TorchBackend
from .files import Checkpoint, load_checkpoint
from .packages.file_kinds import is_hugging_face
from .packages.function_source import model_of_function
from .packages.package import Package, load_package
from .packages.torchscript import TorchScriptModel
from .text.loading import load as load_text
from .text.model import TextModel

__all__ = ["ModelsRegistry", "models_registry"]

Loaded = CompiledModel | TorchScriptModel | TextModel
BACKENDS: dict[str, Callable[[], Backend]] = {
    "cpu": CpuBackend,
    "torch": TorchBackend,
    "pytorch": TorchBackend,
    "jax": JaxBackend,
}
WEIGHTS = (".pt", ".pth", ".bin", ".safetensors", ".npz")


class ModelsRegistry(LazyRegistry[Loaded]):
    """Maps names to models, and loads them when they are first used.

    `ml.models_registry` is the registry of the program. A registry is thread-safe.

    Example:
        registry = ml.ModelsRegistry()
        registry.register("digits", lambda: (compiled, params))
        outputs = registry.load("digits").evaluate({}, {"x": data["x"]})

    See docs/data.md.
    """

    _noun = "model"

    @checked
    def __init__(self) -> None:
        super().__init__()

    @checked_kinds
    def register(
        self,
        name: str,
        source: Any,
        *,
        backend: Backend | None = None,
        model: Model | None = None,
        allow_native_code: bool = False,
        text: bool = False,
        replace: bool = False,
    ) -> None:
        """Registers a model under a name. The model is loaded when it is first used.

        With `replace` callers that have loaded the old model keep it.

        Args:
            name: the name.
            source: path of a package, or a loaded package; "torch:path" (or "pytorch:path"),
                "jax:path" or "cpu:path" to choose a backend; a folder of Hugging Face with
                config.json; a file of TorchScript (.pt); a file of parameters (.pt, .safetensors,
                .npz) with `model`; or a function that returns a compiled model, a package, a
                tuple (compiled, params, state), or an `ml.text.TextModel`.
            backend: backend to run on. None uses that of the prefix, TorchBackend for TorchScript,
                and CpuBackend otherwise.
            model: model for a file of parameters.
            allow_native_code: whether native code may run, as in `load_package`.
            text: whether the model is loaded with its tokenizer, as `ml.text.load` does.
            replace: whether the model replaces an older one of this name.

        Raises:
            NameError: If the name is registered already, unless `replace` is set.

        Example:
            registry = ml.ModelsRegistry()
            ml.save("weights.safetensors", params)
            registry.register("digits", "weights.safetensors", model=model)
            outputs = registry.load("digits").evaluate({}, {"x": data["x"]})
        """
        opened = _opener(source, _Options(backend, model, allow_native_code, text))
        self._add(name, opened, replace)

    @checked_kinds
    def load(self, name: str) -> Any:  # a text model has other methods
        """Returns a model in inference mode with its parameters bound.

        The first call loads it; other threads wait for it. After an error the next call tries
        again.

        Args:
            name: a registered name.

        Returns:
            The compiled model, for `evaluate({}, inputs)`; or the text model.

        Raises:
            NameError: If the name is not registered.
            StateError: If the source of the model loads the model itself.

        Example:
            registry = ml.ModelsRegistry()
            registry.register("digits", lambda: (compiled, params))
            outputs = registry.load("digits").evaluate({}, {"x": data["x"]})
        """
        return self._loaded(name)


class _Options(NamedTuple):
    backend: Backend | None
    model: Model | None
    allow_native_code: bool
    text: bool


def _opener(source: Any, options: _Options) -> Callable[[], Loaded]:
    """Returns the function that loads the source."""
    if isinstance(source, Package):
        return lambda: _of_package(source, options, options.backend)
    if isinstance(source, (str, os.PathLike)):
        prefix, _, rest = os.fspath(source).partition(":")
        if isinstance(source, str) and prefix in BACKENDS:
            return lambda: _open(Path(rest), options, BACKENDS[prefix])
        return lambda: _open(Path(source), options, None)
    if callable(source) and not isinstance(source, (CompiledModel, Model)):
        return lambda: _of_function(source(), options.backend)
    wrong_argument("register", "source", "a path, a package or a function", source)
    raise AssertionError


def _open(path: Path, options: _Options, named: Callable[[], Backend] | None) -> Loaded:
    """Loads the model of a file or a folder."""
    backend = options.backend or (named and named())
    if options.text:
        return _text_model(path, options, backend)
    if path.suffix == ".pt" and _is_torchscript(path):
        return _torchscript(path, options, backend or TorchBackend())
    if path.suffix in WEIGHTS:
        return _of_weights(path, options, backend or CpuBackend())
    if is_hugging_face(path):
        return _of_hugging_face(path, backend or CpuBackend())
    package = load_package(path, allow_native_code=options.allow_native_code)
    if backend is None and package.info.backends == ["torch"]:
        backend = TorchBackend()
    return package.compile(backend)


def _of_package(package: Package, options: _Options, backend: Backend | None) -> Loaded:
    return _text_model(package, options, backend) if options.text else package.compile(backend)


def _text_model(source: Any, options: _Options, backend: Backend | None) -> TextModel:
    return load_text(source, backend=backend, allow_native_code=options.allow_native_code)


def _is_torchscript(path: Path) -> bool:
    """Returns whether it is an archive with code, as torch.jit.save writes."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.split("/")[1:2] == ["code"] for name in archive.namelist())


def _torchscript(path: Path, options: _Options, backend: Backend) -> Loaded:
    if not options.allow_native_code:
        raise_error(
            "BackendError",
            "E1041",
            "the file is native code",
            path=str(path),
            help="if you trust its author, register it with allow_native_code=True",
        )
    if not isinstance(backend, TorchBackend):
        raise_error(
            "BackendError",
            "E1040",
            f"TorchScript does not run on the backend '{backend.name}'",
            path=str(path),
            help='register it with "torch:" before the path',
        )
    return TorchScriptModel(path.read_bytes(), str(path), backend)


def _of_weights(path: Path, options: _Options, backend: Backend) -> Loaded:
    saved = load_checkpoint(path)
    model = options.model if options.model is not None else saved.model
    if model is None:
        raise_error(
            "InputError",
            "E0871",
            f"register: '{path}' has parameters, but no model",
            help="pass model=, or save a package",
        )
    compiled = compile(model, backend, inference=True)
    params = compiled.load_state_dict(saved.params)
    return compiled.bind(params, saved.state or compiled.initial_state_dict)


def _of_hugging_face(path: Path, backend: Backend) -> Loaded:
    from .packages.huggingface import composed  # noqa: PLC0415 - it imports the architectures

    checkpoint = composed(path, backend)
    return checkpoint.compiled.bind(checkpoint.params, checkpoint.state)


def _of_function(made: Any, backend: Backend | None) -> Loaded:
    return made if isinstance(made, TextModel) else model_of_function("register", made, backend)


models_registry = ModelsRegistry()
NAME = re.compile(r"[\w-]+")  # of a model of the registry that was mistyped


@overload
def load(path: os.PathLike[str]) -> Checkpoint: ...
@overload
def load(path: str) -> Any: ...
@checked
def load(path: str | os.PathLike[str]) -> Any:
    """Loads a checkpoint from a path, or a model by its name in `ml.models_registry`.

    A registered name takes precedence over a file: pass "./name" for the file. No code of a file
    runs.

    Args:
        path: path of a checkpoint of `ml.save`; of another safetensors file, index or folder; of an
            .npz file; or of a .pt, .pth or .bin file of PyTorch. Or a registered name.

    Returns:
        A `Checkpoint`, or the compiled model or text model of the name. The tensors of other files
        are the `params` of a checkpoint, a dict of arrays with the shapes of the file.

    Raises:
        InputError: If the file cannot be read.
        ParseError: If the file is damaged, or is of another format.

    Example:
        ml.save("run.safetensors", params, optimizer=optimizer, step=step)
        saved = ml.load("run.safetensors")
        params = compiled.load_state_dict(saved.params)

    See docs/checkpoints.md.
    """
    if isinstance(path, str):
        is_name = models_registry.names and NAME.fullmatch(path) and not os.path.exists(path)
        if path in models_registry or is_name:
            return models_registry.load(path)
    return load_checkpoint(path)
