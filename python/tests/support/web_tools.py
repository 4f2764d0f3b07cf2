"""Node, TypeScript and clang for WebAssembly, and generated modules in Node and Chromium."""

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
from web_browser import browser, needs_chromium, served
from web_models import CASES, WebCase

import mithril as ml

ROOT = Path(__file__).parents[3]

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@cache
def has_wasm() -> bool:
    """Returns whether clang on this machine builds C++ for WebAssembly."""
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
ENGINES = [
    pytest.param("node", marks=needs_node),
    pytest.param("chromium", marks=needs_chromium),
]


def write_module(target: str, compiled: ml.CompiledModel, folder: Path, **options: Any) -> Path:
    """The ES module of a package."""
    if target == "wasm":
        ml.to_wasm(compiled, folder, **options)
    else:
        ml.to_javascript(compiled, folder, **options)
    return folder / "model.mjs"


def node(script: str | Path, *arguments: str | Path, flags: tuple[str, ...] = ()) -> str:
    """Runs a script, or the text of an ES module, and returns its output."""
    if isinstance(script, Path):
        command = ["node", *flags, script, *arguments]
    else:
        command = ["node", *flags, "--input-type=module", "-e", script, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout


IMPORT = """
const { createModel, readSafetensors, writeSafetensors, Adam, SGD } =
  await import(new URL(%r, folder));
"""
READ_IN_NODE = """
const { readFile } = await import("node:fs/promises");
const read = async (name) => new Uint8Array(await readFile(new URL(name, folder)));
const heap = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
"""
READ_IN_A_PAGE = """
const read = async (name) =>
  new Uint8Array(await (await fetch(new URL(name, folder))).arrayBuffer());
// With the elements of arrays, without the memory of WebAssembly, which Node counts.
const heap = () => performance.memory.usedJSHeapSize;
"""
TOOLS = """
const used = async () => {
  for (let i = 0; i < 5; ++i) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return heap();
};
const refused = async (action) => {
  try {
    await action();
  } catch (error) {
    return error.message;
  }
  return "nothing";
};
"""


def run_in_page(folder: Path, script: str, with_webgpu: bool = False) -> list[str]:
    """The lines that a script prints in Chromium. `folder` is the address of the folder there."""
    page = browser(with_webgpu)
    with served(folder) as (address, _):
        page.open(f"{address}/")
        found: list[str] = page.evaluate(
            f"""(async () => {{
            const lines = [];
            const console = {{ log: (...all) => lines.push(all.join(" ")) }};
            const folder = "{address}/";
            {READ_IN_A_PAGE}{TOOLS}{script}
            return lines;
            }})()"""
        )
        return found


def run_in(engine: str, folder: Path, script: str) -> list[str]:
    """The lines that a script prints, which uses `read` for the files of the folder, `refused`,
    and `used`, the bytes of the heap."""
    if engine == "chromium":
        return run_in_page(folder, script)
    head = f"const folder = {folder.as_uri() + '/'!r};\n"
    return node(head + READ_IN_NODE + TOOLS + script, flags=("--expose-gc",)).splitlines()


def run(module: Path, script: str, engine: str = "node") -> list[str]:
    """Returns the lines that a script prints. The script can use the names of the module."""
    return run_in(engine, module.parent, IMPORT % module.name + script)


@cache
def web_package(target: str, name: str) -> Path:
    """The package of a case of web_models, built once."""
    folder = Path(tempfile.mkdtemp(prefix="mithril-web-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return write_module(target, CASES[name].compiled(), folder / "model").parent


def write_case(name: str, file: Path) -> None:
    write_results(CASES[name], file)


def write_results(case: WebCase, file: Path, with_gradients: bool = True) -> None:
    """Writes the results of the CPU backend, with which tests/web/comparison.mjs compares a
    module."""
    compiled = case.compiled()
    params = compiled.get_parameters(1)
    data, random = case.data(), np.random.default_rng(7)
    state = compiled.initial_state_dict
    given = {"state": state} if state else {}
    outputs = compiled.evaluate(params, data, **given)
    outputs = outputs[0] if state else outputs
    seeds = {}
    if with_gradients and params and not case.options.get("inference"):
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
