"""Generated C++ that a compiler of this machine builds, called with ctypes."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

COMPILER = shutil.which("g++") or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
MEMBER = re.compile(r"\* (\w+); *// (?:of|data|output|parameter) (\S+) \[")


class GeneratedCpp:
    """The functions of a compiled model as C++."""

    def __init__(self, compiled: ml.CompiledModel, folder: Path) -> None:
        ml.codegen(compiled, folder / "net.cpp")
        self.text = (folder / "net.cpp").read_text()
        command = [COMPILER, "-shared", "-fPIC", "-O1", "-std=c++17", *WARNINGS]
        subprocess.run([*command, folder / "net.cpp", "-o", folder / "net.so"], check=True)
        self.library = ctypes.CDLL(str(folder / "net.so"))

    def keys(self, struct: str) -> list[str]:
        """The keys of the members of a struct of pointers, in order."""
        body = self.text.split(f"typedef struct net_{struct} {{")[1].split("} net_")[0]
        return [key for _, key in MEMBER.findall(body)]

    def call(self, function: str, *structs: Mapping[str, np.ndarray]) -> None:
        names = {2: ["inputs", "outputs"]}.get(
            len(structs), ["inputs", "output_gradients", "outputs", "gradients"]
        )
        given = [
            (ctypes.c_void_p * max(1, len(values)))(
                *[values[key].ctypes.data for key in self.keys(name)]
            )
            for name, values in zip(names, structs, strict=True)
        ]
        run = getattr(self.library, f"net_{function}")
        run.restype = ctypes.c_char_p
        assert run(*given, None) is None

    def evaluate(self, inputs: Mapping[str, Any], like: Mapping[str, np.ndarray]) -> Any:
        outputs = {key: np.full_like(value, 77) for key, value in like.items()}
        self.call("evaluate", contiguous(inputs), outputs)
        return outputs

    def gradients(
        self,
        inputs: Mapping[str, Any],
        seeds: Mapping[str, Any],
        like: Mapping[str, np.ndarray],
        wanted: Mapping[str, np.ndarray],
    ) -> Any:
        outputs = {key: np.full_like(value, 77) for key, value in like.items()}
        made = {key: np.full_like(value, 77) for key, value in wanted.items()}
        self.call("evaluate_gradients", contiguous(inputs), contiguous(seeds), outputs, made)
        return outputs, made


def contiguous(values: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {key: np.ascontiguousarray(value) for key, value in values.items()}
