"""Packages: a model, its parameters and its description in a folder or a .zip file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from .._core import CompiledModel, Model, compile
from .._internal.arguments import checked, checked_kinds
from ..backends import CpuBackend, TorchBackend
from ..export.library import build_library
from .compiled_source import source_of
from .file_kinds import refuse_as_package
from .info import PackageFile, PackageInfo, PackagePort

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


class Package(_core._Package):
    """A package that `ml.load_package` has loaded.

    Its parameters are read-only arrays that share the mapped file.

    Example:
        ml.save_package("linear.zip", model, params)
        package = ml.load_package("linear.zip")
        print(package.info.name, package)

    See docs/packages.md.
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
        super().__init__(loaded)
        self._backend = backend
        self._model: Any = None

    def __repr__(self) -> str:
        info = self.info
        names = ", ".join(port.name for port in info.inputs)
        return f"<Package {info.name} {info.revision}: {info.model_type} of {names}>"

    @property
    def info(self) -> PackageInfo:
        """The contents of metadata.json and model_info.json, as `PackageInfo`."""
        fields = self._info()
        for key in ("inputs", "outputs"):
            fields[key] = [PackagePort(**port) for port in fields[key]]
        return PackageInfo(**fields)

    @property
    def files(self) -> list[PackageFile]:
        """The files with sizes and checksums, without metadata.json."""
        return [PackageFile(**file) for file in self._files()]

    @property
    def has_model(self) -> bool:
        """Whether the package has a model.json. Otherwise it has TorchScript."""
        return any(file.name == "model.json" for file in self.files)

    @property
    def model(self) -> Model:
        """The model of model.json. It is made once; `make_model` of C++ makes one for each call."""
        if self._model is None:
            self._model = self._make_model()
        return self._model

    @checked
    def backend_options(self, backend: str) -> dict[str, Any]:
        """Returns the options of the package for a backend as a dict.

        Raises:
            BackendError: If the package does not list the backend.

        Example:
            backends = {"cpu": {"options": {"threads": 2}}}
            ml.save_package("linear", model, params, backends=backends)
            assert ml.load_package("linear").backend_options("cpu") == {"threads": 2}
        """
        text = super().backend_options(backend)
        return json.loads(text) if text else {}

    @checked
    def compile(
        self,
        backend: Any = None,
        *,
        bind: bool = True,
        shapes: Mapping[Any, Any] | None = None,
        optimization_level: str = "standard",
        jit: bool = True,
        cache: bool = False,
    ) -> CompiledModel:
        """Compiles the model in inference mode, with its parameters and state bound.

        TorchScript and generated libraries run in place of the model, and take no options. They
        need `allow_native_code=True` in `load_package`.

        Args:
            backend: backend to run on. None uses that of `load_package`; without one, CpuBackend,
                or TorchBackend for TorchScript.
            bind: whether the model contains the parameters. False leaves them an argument:
                evaluate(package.params, inputs) reads them from the mapped file.
            shapes, optimization_level, jit, cache: as in `ml.compile`.

        Raises:
            BackendError: If the package does not list the backend.

        Example:
            ml.save_package("linear", model, params)
            package = ml.load_package("linear")
            compiled = package.compile(ml.CpuBackend(), bind=False)
            outputs = compiled.evaluate(package.params, {"x": data["x"]})
        """
        backend = self._checked_backend(backend)
        if not self.has_model or self._runs_library(backend):
            return self._compile_bound(backend)
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
        self._check(compiled)
        return compiled.bind(self.params, self.state) if bind else compiled

    def _servable(self) -> tuple[Any, ...]:
        """Returns a compiled model, its parameters and its state, for an engine."""
        backend = self._usual_backend()
        if self._runs_library(backend):
            return (self.compile(backend),)
        return self.compile(backend, bind=False), self.params, self.state

    def _checked_backend(self, backend: Any) -> Any:
        """Returns the backend, or the usual one for None. BackendError if it is not listed."""
        chosen = self._usual_backend() if backend is None else backend
        if not isinstance(chosen, _core.Backend):
            expected = "a backend, such as ml.CpuBackend()"
            _core.wrong_argument("compile", "backend", expected, backend)
        self._check_backend(chosen)
        return chosen

    def _usual_backend(self) -> Any:
        if isinstance(self._backend, _core.Backend):
            return self._backend
        runs_on_cpu = self.has_model or "cpu" in self.info.backends
        return CpuBackend() if runs_on_cpu else TorchBackend()


@checked_kinds
def save_package(
    path: str | os.PathLike[str],
    model: Model | CompiledModel,
    params: Mapping[str, Any],
    *,
    state: Mapping[str, Any] | None = None,
    backends: Sequence[str] | Mapping[str, Any] = (),
    assets: Mapping[str, Any] | Sequence[Any] = (),
    data_keys: Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
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
    """Saves a model and its parameters as a package, and replaces an older package atomically.

    Args:
        path: path of a folder, or of a file that ends with ".zip".
        model: the model, or a compiled model. The package of a compiled model has the shapes,
            `data_keys` and outputs that were given to `ml.compile`, unless others are given here.
        params: dict of exactly the parameters of the model.
        state: dict of the state that `evaluate` returned. None uses the initial state.
        backends: names, or a dict {"cpu": {"options": {...}, "files": {name: path or bytes}}}.
            By default those of cpu, torch and jax that have all ops of the model.
            {"cpu": {"library": data}} adds the library that `ml.build_library` makes for inputs of
            the sizes of `data`.
        assets: dict of names with paths or bytes, or a list of paths.
        data_keys: floating-point inputs that are not parameters.
        shapes: shapes of inputs, as in `ml.compile`: {"x": [None, 4]}.
        outputs: outputs of the package. None uses all but losses and metrics.
        name, revision, model_type, licence, source, sizes: descriptions that are stored.
        family: EncoderOnly, DecoderOnly, EncoderDecoder, Vision or Multimodal.
        max_shard_bytes: larger parameters are split into several files. 0 writes one file.

    Raises:
        InputError: If the parameters do not fit, or the path cannot be written.

    Example:
        ml.save_package("linear.zip", model, params, licence="Apache-2.0")
        package = ml.load_package("linear.zip")

    See docs/packages.md.
    """
    texts = {
        "name": name,
        "revision": revision,
        "model_type": model_type,
        "family": family,
        "licence": licence,
        "source": source,
    }
    if isinstance(model, CompiledModel):
        model, options = source_of(model)
        data_keys = data_keys or options["data_keys"]
        shapes = options["shapes"] if shapes is None else shapes
        outputs = options["outputs"] or None if outputs is None else outputs
    weights, states = dict(params), dict(state or {})
    made = _backends(
        backends,
        lambda data: _library(
            model, weights, states, data, data_keys=data_keys, shapes=shapes, outputs=outputs
        ),
    )
    _core._save_package(
        path,
        model,
        weights,
        states,
        made,
        _assets(assets),
        list(data_keys),
        dict(shapes or {}),
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
    """Loads and verifies a package. No code of it runs.

    Args:
        path: path of a folder or a .zip file.
        backend: a backend or its name, which the package must list. None checks nothing.
        verify: "full" verifies all checksums now. "lazy" verifies those of the parameters before
            the first one is read.
        allow_native_code: whether native code of the package may run. Allow it only if you would
            run a program of the same author.

    Raises:
        InputError: If the path is not a package.
        ParseError: If the package is damaged, or of another format version.
        BackendError: If the backend is not listed, or the package needs native code.

    Example:
        ml.save_package("linear", model, params)
        compiled = ml.load_package("linear").compile(ml.CpuBackend())
        outputs = compiled.evaluate({}, {"x": data["x"]})

    See docs/packages.md.
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
        loaded._check_backend(backend)
    return Package(loaded, backend)


@checked_kinds
def copy_package(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Verifies a package and copies it, as a folder or as a .zip file."""
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
) -> list[dict[str, Any]]:
    """Returns fields of backends. `library` makes the files of a generated library for inputs."""
    if not isinstance(given, Mapping):
        return [{"name": name, "options": "", "files": []} for name in given]
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
            _core.unknown_member("E0605", "a backend", "field", next(iter(fields)), known)
        text = json.dumps(options) if options else ""
        made.append({"name": name, "options": text, "files": files})
    return made


def _library(
    model: Model,
    params: Mapping[str, Any],
    state: Mapping[str, Any],
    data: Any,
    *,
    data_keys: Sequence[str],
    shapes: Mapping[str, Any] | None,
    outputs: Sequence[str] | None,
) -> list[tuple[str, bytes]]:
    """Builds a library for inputs of the sizes of `data`, and returns its files."""
    if not isinstance(data, Mapping):
        _core.wrong_argument("save_package", "library", "a dict of example inputs", data, "")
    keys, known = list(data_keys), dict(shapes or {})
    compiled = compile(
        model, CpuBackend(), data_keys=keys, shapes=known, outputs=outputs, inference=True
    )
    if compiled.initial_state_dict:
        states = {**compiled.initial_state_dict, **state}
        compiled, params = compiled.bind(params, states), {}
    with tempfile.TemporaryDirectory(prefix="mithril_library_") as folder:
        library = Path(folder, "libmodel.so")
        weights = build_library(compiled, library, params, data=data)
        return [(path.name, path.read_bytes()) for path in (library, weights)]
