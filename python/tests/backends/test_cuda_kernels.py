"""NVRTC, which needs no GPU, compiles every CUDA kernel of the C++ tests: of ops, rows and
optimizers."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest

from mithril import _core

ROOT = Path(__file__).parents[3]
PRELUDE = ROOT / "codegen" / "cuda" / "prelude.cuh"
PROGRAM = Path(_core.__file__).resolve().parents[2] / "tests" / "mithril_tests"
OF_OPS, *GROUPS = ("cuda_kernels", "cuda_optimizer_kernels", "cuda_row_kernels")


def nvrtc() -> ctypes.CDLL:
    found = importlib.util.find_spec("nvidia")
    folders = list(found.submodule_search_locations or []) if found else []
    for folder in folders:
        for library in sorted(Path(folder).glob("*/lib/libnvrtc.so.*")):
            if ".alt" not in library.name:
                return ctypes.CDLL(str(library))
    pytest.skip("NVRTC is not installed")


def ptx_of(text: str, architecture: str) -> str:
    library = nvrtc()
    program = ctypes.c_void_p()
    made = library.nvrtcCreateProgram(
        ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None
    )
    assert made == 0
    options = [f"--gpu-architecture={architecture}".encode(), b"--std=c++17"]
    options.append(b"--fmad=false")
    array = (ctypes.c_char_p * len(options))(*options)
    status = library.nvrtcCompileProgram(program, len(options), array)
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    assert library.nvrtcGetPTX(program, ptx) == 0
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx.value.decode()


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has the files of all kernels in a folder for each kind."""
    nvrtc()
    if not PROGRAM.exists():
        pytest.skip("mithril_tests is not built")
    folder = tmp_path_factory.mktemp("kernels")
    command = [PROGRAM, "--test-case=the text of CUDA kernels for *"]
    environment = os.environ | {"MITHRIL_CUDA_KERNELS": str(folder)}
    run = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
    return folder


def text_of(kernels: Path, *kinds: str) -> str:
    """A file with the prelude and all kernels of these kinds."""
    files = [path for kind in kinds for path in sorted((kernels / kind).iterdir())]
    return "\n".join(path.read_text() for path in [PRELUDE, *files])


@pytest.mark.parametrize("architecture", ["compute_80", "compute_90"])
@pytest.mark.slow
def test_every_kernel_becomes_ptx(kernels: Path, architecture: str) -> None:
    text = text_of(kernels, OF_OPS, *GROUPS)
    bounds = re.findall(r"__global__ void __launch_bounds__\((\d+)\) (\w+)\(", text)
    assert len(bounds) > 800
    ptx = ptx_of(text, architecture)
    assert f".target {architecture.replace('compute', 'sm')}" in ptx
    entries = re.findall(r"\.visible \.entry (\w+)\([^)]*\)\s*\.maxntid (\d+)", ptx)
    assert entries == [(name, threads) for threads, name in bounds]
    assert ptx.count("ld.global.nc.v4.f32") > 0  # four neighbours at a time


@pytest.mark.slow
def test_a_kernel_copies_no_layout_to_memory_of_a_thread(kernels: Path) -> None:
    chain = PRELUDE.read_text() + (kernels / OF_OPS / "chain.cu").read_text()
    assert ".local" not in ptx_of(chain, "compute_80")
    groups = ptx_of(text_of(kernels, *GROUPS), "compute_80")
    assert ".local" not in groups
    assert "shfl.sync" in groups


def test_a_mistake_in_a_kernel_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no_such_function"):
        ptx_of("__global__ void wrong() { no_such_function(); }", "compute_80")
