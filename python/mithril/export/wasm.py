"""WebAssembly packages of compiled models."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import _core
from .._core import CompiledModel
from .._internal.arguments import checked_kinds

__all__ = ["to_wasm"]

FLAGS, PACKAGES = _core._wasm_compiler()


@checked_kinds
def to_wasm(
    compiled: CompiledModel,
    folder: str | os.PathLike[str],
    *,
    data: Mapping[str, Any] | None = None,
    compiler: str | None = None,
) -> Path:
    """Builds an npm package that runs the model with WebAssembly SIMD, for inputs of one size.

    The package contains `model.wasm`, loaders for `import` and `require`, and types. Its functions
    are those of the module that `to_javascript` writes. It needs clang with wasm-ld and WebAssembly
    libraries for C and C++. `ml.export` does this for every target.

    Args:
        compiled: the compiled model.
        folder: folder of the package.
        data: dict of an example of each input whose sizes are unknown.
        compiler: a clang. None uses the environment variable MITHRIL_WASM_CLANG, or clang++.

    Returns:
        The path of `model.wasm`.

    Raises:
        BackendError: If there is no clang, or it fails.

    Example:
        ml.to_wasm(compiled, "web", data=data)

    See docs/web.md.
    """
    given = dict(data or {})
    target = Path(os.fspath(folder))
    chosen = shlex.split(compiler or os.environ.get("MITHRIL_WASM_CLANG") or "clang++")
    if not chosen or shutil.which(chosen[0]) is None:
        _refuse("there is no clang", compiler or "clang++")
    with tempfile.TemporaryDirectory(prefix="mithril_wasm_") as build:
        source, made = Path(build, "model.cpp"), Path(build, "model.wasm")
        source.write_text(_core._wasm_source(compiled, given, target.name), encoding="utf-8")
        command = [*chosen, *FLAGS, str(source), "-o", str(made)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            _refuse("the compiler failed", result.stderr.strip()[-2000:])
        _core._write_wasm_loaders(compiled, given, target)
        _core._write_file(target / "model.wasm", [made.read_bytes()])
    return target / "model.wasm"


def _refuse(message: str, why: str) -> None:
    _core.raise_error(
        "BackendError",
        "E1046",
        f"to_wasm: {message}",
        facts=[("compiler", why)],
        help=f"install the Debian packages {PACKAGES}",
    )
