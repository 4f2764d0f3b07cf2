"""Node, TypeScript and clang for WebAssembly, and generated modules that run in Node."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from web_models import CASES

import mithril as ml

ROOT = Path(__file__).parents[2]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@cache
def has_wasm() -> bool:
    """Whether clang builds C++ for WebAssembly here."""
    clang = shutil.which("clang++")
    if clang is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "a.cpp")
        source.write_text("#include <vector>\n#include <cmath>\nint main() {}\n")
        command = [clang, "--target=wasm32-wasi", "-nostartfiles", "-Wl,--no-entry", source]
        made = subprocess.run(
            [*command, "-o", Path(folder, "a.wasm")], capture_output=True, check=False
        )
    return made.returncode == 0


needs_wasm = pytest.mark.skipif(not has_wasm(), reason="clang builds no WebAssembly")
TARGETS = ["javascript", pytest.param("wasm", marks=needs_wasm)]


def write_module(target: str, compiled: ml.CompiledModel, folder: Path, **options: Any) -> Path:
    """The ES module of a package."""
    if target == "wasm":
        ml.to_wasm(compiled, folder, **options)
    else:
        ml.to_javascript(compiled, folder, **options)
    return folder / "model.mjs"


def node(script: str | Path, *arguments: str | Path, flags: tuple[str, ...] = ()) -> str:
    """What a script prints, or the text of an ES module."""
    if isinstance(script, Path):
        command = ["node", *flags, script, *arguments]
    else:
        command = ["node", *flags, "--input-type=module", "-e", script, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout


IMPORT = "const { createModel, readSafetensors, writeSafetensors, Adam, SGD } = await import(%r);\n"
REFUSED = """
const refused = async (action) => {
  try {
    await action();
  } catch (error) {
    return error.message;
  }
  return "nothing";
};
"""


def run(module: Path, script: str, flags: tuple[str, ...] = ()) -> list[str]:
    """The lines that a script prints, which uses the names of a module, and `refused`."""
    return node(IMPORT % module.as_uri() + REFUSED + script, flags=flags).splitlines()


@cache
def web_package(target: str, name: str) -> Path:
    """The package of a case of web_models, built once."""
    folder = Path(tempfile.mkdtemp(prefix="mithril-web-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return write_module(target, CASES[name].compiled(), folder / "model").parent


def write_case(name: str, file: Path) -> None:
    """What tests/web/comparison.mjs compares a module with: results of the CPU backend."""
    case = CASES[name]
    compiled = case.compiled()
    params = compiled.get_parameters(1)
    data, random = case.data(), np.random.default_rng(7)
    state = compiled.initial_state_dict
    given = {"state": state} if state else {}
    outputs = compiled.evaluate(params, data, **given)
    outputs = outputs[0] if state else outputs
    seeds = {}
    if params and not case.options.get("inference"):
        seeds = {
            key: random.standard_normal(value.shape).astype(np.float32)
            for key, value in outputs.items()
            if value.dtype == np.float32
        }
    found: Any = (outputs,)
    if seeds:
        found = compiled.evaluate(params, data, output_gradients=seeds, **given)
    tensors = {f"param:{key}": value for key, value in params.items()}
    tensors |= {f"param:state:{key}": np.asarray(value) for key, value in state.items()}
    tensors |= {f"data:{key}": np.asarray(value) for key, value in data.items()}
    tensors |= {f"seed:{key}": value for key, value in seeds.items()}
    tensors |= {f"output:{key}": value for key, value in found[0].items()}
    tensors |= {f"gradient:{key}": value for key, value in (found[1] if seeds else {}).items()}
    ml.save(file, tensors)
