"""Shared libraries of compiled models, with the C interface of mithril.h."""

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

__all__ = ["build_library"]

# -O3 and vectors of this processor, as for other generated files. The runtime of C++ is inside.
FLAGS = ["-std=c++17", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-w"]
STATIC = ["-static-libstdc++", "-static-libgcc"]


@checked_kinds
def build_library(
    compiled: CompiledModel,
    path: str | os.PathLike[str],
    params: Mapping[str, Any] | None = None,
    *,
    data: Mapping[str, Any] | None = None,
    compiler: str | None = None,
    march: str = "native",
) -> Path:
    """Builds a shared library that runs the model for inputs of one size.

    The library has the functions of mithril.h. It needs neither Mithril nor a C++ runtime.
    `ml.export` does this for every target.

    Args:
        compiled: the compiled model.
        path: path of the library, such as "model.so". The weights are stored beside it, in
            "model.weights".
        params: dict of parameters. None for a bound model, whose constants are in the library.
        data: dict of an example of each input whose sizes are unknown.
        compiler: a C++ compiler. None uses the environment variable CXX, or c++.
        march: target processors. "native" are processors like that of this machine.

    Returns:
        The path of the weights.

    Raises:
        BackendError: If there is no compiler, or it fails.

    Example:
        deployed = compiled.in_inference()
        weights = ml.build_library(deployed, "model.so", params, data={"x": data["x"]})

    See docs/packages.md.
    """
    library = Path(os.fspath(path))
    weights = library.with_suffix(".weights")
    chosen = shlex.split(compiler or os.environ.get("CXX") or "c++")
    if not chosen or shutil.which(chosen[0]) is None:
        _refuse("there is no C++ compiler", compiler or "c++")
    with tempfile.TemporaryDirectory(prefix="mithril_library_") as folder:
        source, exports = Path(folder, "model.cpp"), Path(folder, "exports.map")
        made, stored = Path(folder, "made.so"), Path(folder, weights.name)
        _core._write_library(
            compiled, dict(params or {}), dict(data or {}), source, stored, exports, library.stem
        )
        command = [*chosen, *FLAGS, f"-march={march}", source, "-o", made]
        command += [f"-Wl,--version-script={exports}", *STATIC]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            _refuse("the compiler failed", result.stderr.strip()[-2000:])
        # The weights first: a library without them refuses to open.
        for file, target in ((stored, weights), (made, library)):
            _core._write_file(target, [file.read_bytes()])
    library.chmod(0o755)
    return weights


def _refuse(message: str, why: str) -> None:
    _core.raise_error(
        "BackendError", "E1043", f"build_library: {message}", facts=[("compiler", why)]
    )
