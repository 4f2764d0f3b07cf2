"""Models as modules of JavaScript and WebAssembly agree with the CPU backend, in Node."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from web_models import CASES
from web_tools import ROOT, needs_node, needs_wasm, node, web_package, write_case

COMPARE = ROOT / "tests" / "web" / "compare.mjs"
WITHOUT_GRADIENTS = ["batch norm in inference", "attention", "causal attention"]
TARGETS = ["javascript", pytest.param("wasm", marks=needs_wasm)]


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(15)
def test_modules_agree_with_the_cpu_backend(name: str, target: str, tmp_path: Path) -> None:
    write_case(name, tmp_path / "case.safetensors")
    module = web_package(target, name) / "model.mjs"
    found = json.loads(node(COMPARE, module, tmp_path / "case.safetensors"))
    assert found["outputs"]
    assert max(found["outputs"].values()) < 1e-5, found
    assert max(found["gradients"].values(), default=0) < 1e-4, found
    assert bool(found["gradients"]) != (name in WITHOUT_GRADIENTS)
