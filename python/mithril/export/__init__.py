"""Compiled models as sources, modules, files and libraries for other programs: `ml.export`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from .. import _core
from .._core import CompiledModel, raise_error, unknown_member
from .._internal.arguments import checked_kinds

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["export"]


class _Target(NamedTuple):
    write: Callable[..., object]  # (compiled, path, **options)
    endings: tuple[str, ...]  # of paths; empty: the path is a folder
    options: tuple[str, ...] = ()  # what it takes of the keyword arguments of `export`


def _torchscript(compiled: CompiledModel, path: str, params: Any, data: Any = None) -> None:
    compiled.save_torchscript(path, params, data or {})


def _wasm(*args: Any, **options: Any) -> None:
    from .wasm import to_wasm  # noqa: PLC0415 - it starts compilers: imported when it is called

    to_wasm(*args, **options)


def _library(*args: Any, **options: Any) -> None:
    from .library import build_library  # noqa: PLC0415 - the same

    build_library(*args, **options)


TARGETS = {
    "cpp": _Target(_core.codegen, (".cpp", ".cc", ".cxx"), ("data",)),
    "jax": _Target(_core.to_jax, (".py",)),
    "javascript": _Target(_core.to_javascript, (".mjs", ""), ("data", "device")),
    "wasm": _Target(_wasm, ("",), ("data", "compiler")),
    "torchscript": _Target(_torchscript, (".pt", ".pth"), ("params", "data")),
    "library": _Target(_library, (".so",), ("params", "data", "compiler", "march")),
}


@checked_kinds
def export(
    compiled: CompiledModel,
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    params: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    compiler: str | None = None,
    march: str | None = None,
    device: str | None = None,
) -> Path:
    """Writes a compiled model for a program that needs no Mithril, and returns the path.

    Args:
        path: the file to write, or a folder for "wasm" and for "javascript" as an npm package.
        target: "cpp" (`.cpp`: a C++ file with the model and its gradients), "jax" (`.py`: pure
            functions), "javascript" (`.mjs`: one module), "wasm" (a folder: an npm package),
            "torchscript" (`.pt`: for torch.jit.load) or "library" (`.so`: a shared library with
            the C interface of mithril.h). None: the target that the ending of the path names.
        params: the parameters that "torchscript" and "library" store, by key; a model that
            `bind` made has its own.
        data: an example of each input whose sizes are unknown. "jax" keeps them open.
        compiler: the compiler of "wasm" and "library"; None: clang++, and the variable CXX or c++.
        march: the processors of "library"; None: those like the one of this machine.
        device: of "javascript": "cpu" (None), or "webgpu" for inference with WebGPU.

    Raises:
        NameError: If the target is unknown.
        ValueError: If no target has the ending of the path, or the target does not take an
            argument.
        BackendError: If an op has no spelling for the target, or the compiler is missing or fails.

    Example:
        ml.export(compiled, "net.py")
        ml.export(compiled, "net.cpp", data=data)

    See docs/semantics.md, "Export".
    """
    file = os.fspath(path)
    name = target if target is not None else _target_of(file)
    if name not in TARGETS:
        unknown_member("E0630", "export", "target", name, list(TARGETS))
    chosen = TARGETS[name]
    if not _fits(file, chosen):
        _refuse_path(
            f"the target '{name}' does not write '{file}'",
            [ending or "a folder" for ending in chosen.endings],
        )
    given = {
        "params": params,
        "data": data,
        "compiler": compiler,
        "march": march,
        "device": device,
    }
    options = {key: value for key, value in given.items() if value is not None}
    for key in options:
        if key not in chosen.options:
            facts = [("takes", ", ".join(chosen.options) or "no options")]
            message = f"export: the target '{name}' takes no {key}"
            raise_error("ValueError", "E0493", message, facts=facts)
    chosen.write(compiled, file, **options)
    return _path(file)


def _path(file: str) -> Path:
    from pathlib import Path  # noqa: PLC0415 - it is slow to import

    return Path(file)


def _fits(file: str, target: _Target) -> bool:
    """Whether the target writes such a path. A folder has no ending of another target."""
    ending = _path(file).suffix
    if ending in target.endings:
        return True
    of_files = {ending for target in TARGETS.values() for ending in target.endings}
    return "" in target.endings and ending not in of_files


def _target_of(file: str) -> str:
    """The target whose paths end like the file."""
    ending = _path(file).suffix
    for name, target in TARGETS.items():
        if ending and ending in target.endings:
            return name
    _refuse_path(
        f"the ending of '{file}' names no language",
        [target.endings[0] for target in TARGETS.values() if target.endings[0]],
        'name the target: target="wasm" and target="javascript" write folders',
    )


def _refuse_path(message: str, endings: list[str], help: str = "") -> NoReturn:
    facts = [("expected", ", ".join(endings))]
    raise_error("ValueError", "E0492", message, facts=facts, help=help)
