"""Import of PyTorch and of the backend library, after a check that they fit each other."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
from pathlib import Path
from typing import Any

from .. import _core

PACKAGE = Path(__file__).parents[1]


def _how_to_build() -> str:
    if (PACKAGE / "source").exists():
        return "python -m mithril.build_torch builds it for the torch that is installed"
    return "build Mithril with -DMITHRIL_TORCH=ON, where torch is installed"


def _how_to_install() -> str:
    if (PACKAGE / "source").exists():
        return (
            f"pip install mithril-cpp-torch, where it has a wheel for this torch; {_how_to_build()}"
        )
    return _how_to_build()


def _refuse_other(code: str, what: str, expected: str, got: str) -> None:
    _core.raise_error(
        "BackendError",
        code,
        f"the backend was built for {what}: {PACKAGE / 'libmithril_torch.so'}",
        facts=[("expected", expected), ("got", got)],
        help=_how_to_build(),
    )


def _check_build(torch_version: str) -> None:
    """Raises a BackendError if the library is missing or was built for another torch or Mithril.

    A note beside the library has its versions, because loading the library of another torch may end
    the process. The note of a build tree does not name Mithril, because both are built together.
    """
    note = PACKAGE / "_torch_build.json"
    if not note.exists():
        _core.raise_error(
            "BackendError",
            "E1014",
            "the backend on PyTorch has not been built",
            facts=[("torch", torch_version)],
            help=_how_to_install(),
        )
    built = json.loads(note.read_text(encoding="utf-8"))
    if built["torch"].split(".")[:2] != torch_version.split(".")[:2]:
        there = f"torch {torch_version.split('+', maxsplit=1)[0]}"
        _refuse_other("E1004", f"torch {built['torch']}", f"torch {built['torch']}", there)
    if built["core"]:
        import hashlib  # noqa: PLC0415 - it loads OpenSSL

        core = hashlib.sha256((PACKAGE / "libmithril_core.so").read_bytes()).hexdigest()
        if core != built["core"]:
            _refuse_other("E1003", "another Mithril", f"libmithril_core.so {built['core']}", core)


def require_torch(user: str) -> Any:
    """Imports PyTorch alone; `user` is the call that needs it."""
    if importlib.util.find_spec("torch") is None:
        _core.raise_error(
            "BackendError",
            "E1013",
            f"{user} needs PyTorch, which is not installed",
            help="pip install torch",
        )
    return importlib.import_module("torch")


@functools.cache
def import_torch() -> Any:
    """Imports PyTorch and loads its libraries, so that the plugin finds them."""
    torch = require_torch("TorchBackend")
    _check_build(str(torch.__version__))
    _core.use_bridge(importlib.import_module("mithril._torch").bridge)
    return torch
