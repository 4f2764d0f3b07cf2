"""Builds with kernels for some processors only (MITHRIL_CPU_TARGETS), as `make demo` makes one."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import mithril as ml

ROOT = Path(__file__).parents[3]
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
# A processor with the instructions of the environment variable PROCESSOR.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "backends/cpu/kernels/instruction_set.hpp"
#include "backends/cpu/kernels/processor.hpp"
#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
const std::string_view processor = std::getenv("PROCESSOR");
bool processor_has_avx2() { return processor != "portable"; }
bool processor_has_avx512() { return processor == "avx512"; }
bool processor_has_amx() { return false; }
}  // namespace mithril::cpu_backend

int main() {
  try {
    std::puts(name(mithril::cpu_backend::best_instructions()).data());
  } catch (const mithril::Error& error) {
    std::puts(error.what());
  }
}
"""
HELP = "\n  help: configure the build with -DMITHRIL_CPU_TARGETS=all: kernels for every processor"


@pytest.fixture(scope="module")
def best_instructions(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """What best_instructions() returns or raises in a build for avx512, on a processor."""
    folder = tmp_path_factory.mktemp("cpu_targets")
    (folder / "main.cpp").write_text(PROGRAM, encoding="utf-8")
    libraries = Path(ml._core.__file__).resolve().parents[2]
    command = [COMPILER or "", "-std=c++20", "-O0", f"-I{ROOT}", "-o", str(folder / "program")]
    command += ["-DHWY_COMPILE_ONLY_STATIC", "-DHWY_BASELINE_TARGETS=HWY_AVX3"]
    command += [str(folder / "main.cpp"), str(ROOT / "backends/cpu/kernels/instruction_set.cpp")]
    command += [f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lmithril_core"]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr

    def run(processor: str, limit: str = "") -> str:
        environment = {**os.environ, "PROCESSOR": processor, "MITHRIL_INSTRUCTIONS": limit}
        program = [folder / "program"]
        return subprocess.check_output(program, env=environment, text=True).strip()

    return run


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_the_processor_has_the_instructions_of_the_build(best_instructions) -> None:
    assert best_instructions("avx512") == "avx512"
    assert best_instructions("avx512", "amx") == "avx512"


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("processor", ["portable", "avx2"])
def test_the_processor_lacks_the_instructions_of_the_build(best_instructions, processor) -> None:
    assert best_instructions(processor) == (
        "mithril.BackendError[E0447]: the kernels of this build need avx512, which this processor "
        "does not have" + HELP
    )


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_the_environment_excludes_the_instructions_of_the_build(best_instructions) -> None:
    assert best_instructions("avx512", "avx2") == (
        "mithril.BackendError[E0447]: the kernels of this build need avx512, and "
        "MITHRIL_INSTRUCTIONS limits them to avx2" + HELP
    )


def configured_by(folder: Path, targets: str, *given: str) -> list[str]:
    """The commands with which `make python` configures a tree that was built for these targets."""
    shutil.copy(ROOT / "Makefile", folder)
    for name in ("CMakePresets.json", ".venv/set-up", "build/release/build.ninja", "tools/setup"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    cache = f"MITHRIL_CPU_TARGETS:STRING={targets}\n"
    (folder / "build/release/CMakeCache.txt").write_text(cache, encoding="utf-8")
    # The set-up does not run, and leaves its stamp as it is.
    command = ["make", "-n", "-o", ".venv/set-up", *given, "python"]
    told = subprocess.check_output(command, cwd=folder, text=True)
    return [line for line in told.splitlines() if line.startswith("cmake --preset release")]


def test_make_compiles_the_other_kernels_after_a_demo(tmp_path: Path) -> None:
    assert configured_by(tmp_path, "native") == ["cmake --preset release -DMITHRIL_CPU_TARGETS=all"]
    assert configured_by(tmp_path, "all") == []
    assert configured_by(tmp_path, "native", "CPU_TARGETS=native") == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the processor is not an x86")
@pytest.mark.parametrize("targets", ["all", "portable", "avx2"])
def test_an_installation_names_the_processor_that_it_needs(tmp_path: Path, targets: str) -> None:
    # Without MITHRIL_UNITY the configuration leaves compile_commands.json at the root.
    options = [f"-DMITHRIL_CPU_TARGETS={targets}", "-DMITHRIL_UNITY=ON"]
    options += [f"-DMITHRIL_{part}=OFF" for part in ("PYTHON", "TESTS", "EXAMPLES", "TORCH")]
    command = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, *options]
    subprocess.run(command, check=True, capture_output=True)
    script = (tmp_path / "cmake_install.cmake").read_text(encoding="utf-8")
    # CMake parses all of a script before it runs its first command.
    (tmp_path / "parsed.cmake").write_text("return()\n" + script, encoding="utf-8")
    subprocess.run(["cmake", "-P", tmp_path / "parsed.cmake"], check=True, capture_output=True)
    assert ("needs a processor with avx2" in script) == (targets == "avx2")
