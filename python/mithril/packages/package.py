"""Packages: a model, its parameters and its description as a folder or a .zip file of one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import _core
from .._core import CompiledModel, Model, compile
from .._internal.arguments import checked, checked_kinds
from ..backends import CpuBackend, TorchBackend
from ..export.library import build_library
from .file_kinds import refuse_as_package

__all__ = [
    "Package",
    "PackageFile",
    "PackageInfo",
    "PackagePort",
    "copy_package",
    "load_package",
    "save_package",
]

CHECKS = ("full", "lazy")


class PackagePort(NamedTuple):
    """An input or an output of a packaged model; dims has numbers, names of sizes, None and ..."""

    name: str
    dtype: Any
    dims: list[Any] | None


class PackageFile(NamedTuple):
    """A file of a package, by its relative path."""

    name: str
    bytes: int
    sha256: str


class PackageInfo(NamedTuple):
    """What a package says about itself."""

    name: str
    revision: str
    created_at: str
    model_type: str
    family: str
    licence: str
    source: str
    backends: list[str]
    inputs: list[PackagePort]
    outputs: list[PackagePort]
    sizes: dict[str, int]


class Package:
    """A loaded package. Its parameters are read-only arrays that share the mapped file.

    Example:
        package = ml.load_package("minilm")
        compiled = package.compile(ml.CpuBackend())
        outputs = compiled.evaluate({}, inputs)
    """

    @checked
    def __init__(self, loaded: Any, backend: Any = None) -> None:
        if not isinstance(loaded, _core._Package):
            _core.raise_error(
                "TypeError",
                "E0397",
                "Package cannot be constructed by calling the class",
                help="ml.load_package(path) makes it",
            )
        self._loaded = loaded
        self._backend = backend
        self._model: Any = None

    def __repr__(self) -> str:
        info = self.info
        names = ", ".join(port.name for port in info.inputs)
        return f"<Package {info.name} {info.revision}: {info.model_type} of {names}>"

    @property
    def path(self) -> str:
        """The path from which it was loaded."""
        return str(self._loaded.path())

    @property
    def info(self) -> PackageInfo:
        """The contents of metadata.json and model_info.json."""
        *texts, inputs, outputs, sizes = self._loaded.info()
        ports = [[PackagePort(*port) for port in ports] for ports in (inputs, outputs)]
        return PackageInfo(*texts, *ports, sizes)

    @property
    def files(self) -> list[PackageFile]:
        """The files with their sizes and checksums, without metadata.json."""
        return [PackageFile(*file) for file in self._loaded.files()]

    @property
    def has_model(self) -> bool:
        """Whether the package has a model.json; otherwise it has TorchScript."""
        return any(file.name == "model.json" for file in self.files)

    @property
    def model(self) -> Model:
        """The model of model.json."""
        if self._model is None:
            self._model = self._loaded.model()
        return self._model

    @property
    def params(self) -> dict[str, Any]:
        """The parameters: read-only arrays."""
        return self._loaded.params()

    @property
    def state(self) -> dict[str, Any]:
        """The state that was saved, for evaluate; empty if there was none."""
        return self._loaded.state()

    @property
    def assets(self) -> list[str]:
        """The names of further files, such as tokenizer.json."""
        return list(self._loaded.assets())

    @checked
    def file(self, name: str) -> bytes:
        """The contents of an asset or another file."""
        return self._loaded.file(name)

    @checked
    def backend_options(self, backend: str) -> dict[str, Any]:
        """The options that the package has for a backend of this name."""
        text = self._loaded.backend_options(backend)
        return json.loads(text) if text else {}

    @checked
    def native_file(self, name: str) -> str:
        """The path of a file of native code; only of a package that was loaded with
        allow_native_code=True."""
        return str(self._loaded.native_file(name))

    @checked
    def verify(self) -> None:
        """Compares the checksums of all files."""
        self._loaded.verify()

    @checked
    def compile(
        self,
        backend: Any = None,
        *,
        bind: bool = True,
        shapes: Mapping[Any, Any] | None = None,
        optimization_level: str = "default",
        jit: bool = True,
        cache: bool = False,
    ) -> CompiledModel:
        """The model in inference mode, with the parameters and the state in it.

        TorchScript of a package without model.json has no options, nor has a generated library,
        which runs in place of the model if the package was loaded with allow_native_code=True.

        Args:
            backend: where it runs; None: that of load_package, or ml.CpuBackend(); TorchScript:
                ml.TorchBackend().
            bind: False leaves the parameters as an argument of evaluate, which then reads them from
                the mapped file: evaluate(package.params, inputs). Bound parameters are copied, and
                a backend can rearrange them.
            shapes, optimization_level, jit, cache: as in ml.compile.
        """
        if backend is None:
            backend = self._usual_backend()
        self._loaded.check_backend(backend)
        if not self.has_model or self._loaded.runs_library(backend):
            return self._loaded.compile_bound(backend)
        keys = [port.name for port in self.info.inputs]
        outputs = [port.name for port in self.info.outputs]
        # Sizes of states need not follow from the shapes of inputs.
        sizes = {key: list(v.shape) for key, v in self.state.items() if _has(self.model, key)}
        compiled = compile(
            self.model,
            backend,
            data_keys=keys,
            outputs=outputs if set(outputs) <= set(self.model.output_keys) else None,
            inference=True,
            shapes={**sizes, **(shapes or {})},
            optimization_level=optimization_level,
            jit=jit,
            cache=cache,
        )
        self._loaded.check(compiled)
        return compiled.for_inference(self.params, self.state) if bind else compiled

    def _servable(self) -> tuple[Any, ...]:
        """For an engine: a compiled model, its parameters and its state."""
        backend = self._usual_backend()
        if self._loaded.runs_library(backend):
            return (self.compile(backend),)
        return self.compile(backend, bind=False), self.params, self.state

    def _usual_backend(self) -> Any:
        if isinstance(self._backend, _core.Backend):
            return self._backend
        runs_on_cpu = self.has_model or "cpu" in self.info.backends
        return CpuBackend() if runs_on_cpu else TorchBackend()


@checked_kinds
def save_package(
    path: str | os.PathLike[str],
    model: Model,
    params: Mapping[str, Any],
    *,
    state: Mapping[str, Any] | None = None,
    backends: Sequence[str] | Mapping[str, Any] = (),
    assets: Mapping[str, Any] | Sequence[Any] = (),
    data_keys: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    name: str = "",
    revision: str = "",
    model_type: str = "",
    family: str = "",
    licence: str = "",
    source: str = "",
    sizes: Mapping[str, int] | None = None,
    max_shard_bytes: int = 0,
) -> None:
    """Writes a package atomically, and replaces an older package.

    Args:
        path: of the folder, or of a file that ends with ".zip".
        state: as evaluate returned it; None: the initial states of the model.
        backends: names, or a dict: {"cpu": {"options": {...}, "files": {name: path or bytes}}}.
            {"cpu": {"library": data}} adds what ml.build_library makes of the model for inputs of
            the sizes of this example. It is native code, which runs in place of the model where
            the package is loaded with allow_native_code=True.
        assets: further files: a dict of names with paths or bytes, or a list of paths.
        data_keys: inputs of floats that are not parameters.
        outputs: the outputs of the package; None: all but losses and metrics. Inputs and
            parameters that only other outputs need are left out.
        family: EncoderOnly, DecoderOnly, EncoderDecoder, Vision or Multimodal.
        max_shard_bytes: larger parameters are written to several files.
    """
    texts = {
        "name": name,
        "revision": revision,
        "model_type": model_type,
        "family": family,
        "licence": licence,
        "source": source,
    }
    weights, states = dict(params), dict(state or {})
    made = _backends(
        backends,
        lambda data: _library(model, weights, states, data, data_keys=data_keys, outputs=outputs),
    )
    _core._save_package(
        path,
        model,
        weights,
        states,
        made,
        _assets(assets),
        list(data_keys),
        outputs,
        texts,
        dict(sizes or {}),
        max_shard_bytes,
    )


@checked_kinds
def load_package(
    path: str | os.PathLike[str],
    backend: Any = None,
    *,
    verify: str = "full",
    allow_native_code: bool = False,
) -> Package:
    """Reads and verifies a package, a folder or a .zip file. No code of it runs.

    Args:
        backend: a backend or its name, which the package must list.
        verify: "full" compares all checksums now; "lazy" compares those of the parameters before
            the first one is read.
        allow_native_code: whether native code of the package may run. Allow it only if you would
            run a program of the same author.
    """
    if verify not in CHECKS:
        _core.unknown_name("E0605", "way to verify", verify, list(CHECKS))
    wanted = backend if isinstance(backend, str) else ""
    try:
        loaded = _core._load_package(path, wanted, verify == "lazy", allow_native_code)
    except _core.Error as error:
        if error.code not in ("E0767", "E0860"):
            raise
        refuse_as_package(Path(path), error)
    if isinstance(backend, _core.Backend):
        loaded.check_backend(backend)
    return Package(loaded, backend)


@checked_kinds
def copy_package(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Verifies a package and writes it elsewhere, as a folder or as a .zip file."""
    _core._copy_package(source, target)


def _has(model: Model, key: str) -> bool:
    try:
        model[key]
    except _core.NameError:
        return False
    return True


def _assets(given: Mapping[str, Any] | Sequence[Any]) -> list[tuple[str, Any]]:
    if isinstance(given, Mapping):
        return list(given.items())
    for path in given:
        if not isinstance(path, (str, os.PathLike)):
            _core.wrong_argument("save_package", "assets", "paths, or a dict", path, "")
    return [(os.path.basename(os.fspath(path)), path) for path in given]


def _backends(
    given: Sequence[str] | Mapping[str, Any], library: Callable[[Any], list[Any]]
) -> list[tuple[str, str, list[Any]]]:
    """`library` makes the files of a generated library for an example of the inputs."""
    if not isinstance(given, Mapping):
        return [(name, "", []) for name in given]
    made = []
    for name, entry in given.items():
        if entry is not None and not isinstance(entry, Mapping):
            _core.wrong_argument("save_package", "backends", "a dict of dicts", entry, "")
        fields = dict(entry or {})
        options, files = fields.pop("options", None), _assets(fields.pop("files", {}))
        if name == "cpu" and "library" in fields:
            files += library(fields.pop("library"))
        if fields:
            known = ["options", "files", *(["library"] if name == "cpu" else [])]
            _core.unknown_name("E0605", "field of a backend", next(iter(fields)), known)
        made.append((name, json.dumps(options) if options else "", files))
    return made


def _library(
    model: Model,
    params: Mapping[str, Any],
    state: Mapping[str, Any],
    data: Any,
    *,
    data_keys: Sequence[str],
    outputs: Sequence[str] | None,
) -> list[tuple[str, bytes]]:
    """The files of a library for inputs of the sizes of `data`."""
    if not isinstance(data, Mapping):
        _core.wrong_argument("save_package", "library", "a dict of example inputs", data, "")
    compiled = compile(
        model, CpuBackend(), data_keys=list(data_keys), outputs=outputs, inference=True
    )
    if compiled.initial_state_dict:
        states = {**compiled.initial_state_dict, **state}
        compiled, params = compiled.for_inference(params, states), {}
    with tempfile.TemporaryDirectory(prefix="mithril_library_") as folder:
        library = Path(folder, "libmodel.so")
        weights = build_library(compiled, library, params, data=data)
        return [(each.name, each.read_bytes()) for each in (library, weights)]
