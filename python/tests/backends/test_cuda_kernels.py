"""Every CUDA kernel of the table of ops is compiled by NVRTC, which needs no GPU."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PRELUDE = ROOT / "codegen" / "cuda" / "prelude.cuh"
CODEGEN = ROOT / "tests" / "codegen"
KERNELS = sorted((CODEGEN / "cuda_kernels").iterdir())
GROUPS = [
    path
    for folder in ("cuda_optimizer_kernels", "cuda_row_kernels")
    for path in sorted((CODEGEN / folder).iterdir())
]
TEXT = "\n".join(path.read_text() for path in [PRELUDE, *KERNELS, *GROUPS])


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


@pytest.mark.parametrize("architecture", ["compute_80", "compute_90"])
@pytest.mark.slow
def test_every_kernel_becomes_ptx(architecture: str) -> None:
    bounds = re.findall(r"__global__ void __launch_bounds__\((\d+)\) (\w+)\(", TEXT)
    assert len(bounds) > 100
    ptx = ptx_of(TEXT, architecture)
    assert f".target {architecture.replace('compute', 'sm')}" in ptx
    entries = re.findall(r"\.visible \.entry (\w+)\([^)]*\)\s*\.maxntid (\d+)", ptx)
    assert entries == [(name, threads) for threads, name in bounds]
    assert ptx.count("ld.global.nc.v4.f32") > 0  # four neighbours at a time


def test_a_kernel_copies_no_layout_to_memory_of_a_thread() -> None:
    chain = PRELUDE.read_text() + (KERNELS[0].parent / "chain.cu").read_text()
    assert ".local" not in ptx_of(chain, "compute_80")
    groups = ptx_of("\n".join(path.read_text() for path in [PRELUDE, *GROUPS]), "compute_80")
    assert ".local" not in groups
    assert "shfl.sync" in groups


def test_a_mistake_in_a_kernel_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no_such_function"):
        ptx_of("__global__ void wrong() { no_such_function(); }", "compute_80")
