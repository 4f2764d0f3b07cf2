"""Fused kernels of TorchBackend on a GPU. The kernels themselves run on the CPU in
tests/codegen and tests/torch_internal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from cuda_models import counts, in_a_process, needs_cuda  # noqa: E402

import mithril as ml  # noqa: E402


def chain() -> ml.Model:
    model = ml.Model()
    model |= ml.Multiply()(left="x", right="scale", output="scaled")
    model |= ml.Add()(left="scaled", right="shift", output="shifted")
    model |= ml.Gelu(approximate=True)(input="shifted", output="active")
    model |= ml.Add()(left="active", right="x", output="y")
    return model


def kernels(compiled: ml.CompiledModel) -> tuple[int, int]:
    """Returns the number of fused nodes and the number of their kernels."""
    found = re.search(r"CUDA kernels: (\d+) nodes run as (\d+)", compiled.summary())
    return (int(found[1]), int(found[2])) if found else (0, 0)


def compiled_chain(device: str, level: str, dtype: torch.dtype) -> ml.CompiledModel:
    backend = ml.TorchBackend(device=device, dtype=dtype)
    return ml.compile(chain(), backend, data_keys=["x", "scale", "shift"], optimization_level=level)


def given(device: str, dtype: torch.dtype, seed: int = 0) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    sizes = {"x": (33, 64), "scale": (64,), "shift": ()}
    return {name: torch.randn(size).to(device, dtype) for name, size in sizes.items()}


TOLERANCES = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.float16: 2e-3,
    torch.bfloat16: 2e-2,
}


@needs_cuda
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_kernel_gives_the_results_of_the_operators(dtype: torch.dtype):
    compiled = compiled_chain("cuda", "max", dtype)
    expected = compiled_chain("cuda", "standard", dtype)
    for seed in range(4):
        data = given("cuda", dtype, seed)
        for layout in (data, {**data, "x": data["x"].t().contiguous().t()}):
            got = compiled.evaluate({}, layout)["y"]
            tolerance = TOLERANCES[dtype]
            assert torch.allclose(
                got, expected.evaluate({}, layout)["y"], rtol=tolerance, atol=tolerance
            )
    assert kernels(compiled) == (4, 1)
    assert kernels(expected) == (0, 0)


def rows() -> ml.Model:
    model = ml.Model()
    model |= ml.Add()(left="x", right="residual", output="sum")
    model |= ml.LayerNorm(name="norm")(input="sum", output="normal")
    model |= ml.Multiply()(left="normal", right="scale", output="scaled")
    model |= ml.Add()(left="scaled", right="mask", output="masked")
    model |= ml.Softmax()(input="masked", output="y")
    return model


@needs_cuda
@pytest.mark.parametrize("width", [1, 31, 32, 127, 1024, 1025, 5000])
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_kernel_of_rows_gives_the_results_of_the_operators(dtype: torch.dtype, width: int):
    torch.manual_seed(0)
    sizes = {"x": (9, width), "residual": (9, width), "scale": (), "mask": (width,)}
    data = {name: torch.randn(size).to("cuda", dtype) for name, size in sizes.items()}
    results = []
    for level in ("max", "standard"):
        backend = ml.TorchBackend(device="cuda", dtype=dtype)
        compiled = ml.compile(
            rows(),
            backend,
            shapes={name: list(size) for name, size in sizes.items()},
            data_keys=[*data],
            optimization_level=level,
        )
        params = {
            key: torch.linspace(0.5, 1.5, width).to("cuda", dtype)
            for key in compiled.get_parameters()
        }
        results.append(compiled.evaluate(params, data)["y"])
        assert kernels(compiled) == ((5, 1) if level == "max" else (0, 0))
    tolerance = TOLERANCES[dtype]
    assert torch.allclose(*results, rtol=tolerance, atol=tolerance)


OPTIMIZERS: dict[str, Callable[[], ml.Optimizer]] = {
    "adam": lambda: ml.Adam(1e-2, weight_decay=0.01),
    "adam_w": lambda: ml.AdamW(1e-2),
    "sgd": lambda: ml.SGD(1e-2, momentum=0.9),
}


@needs_cuda
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_updates_all_parameters_in_one_launch(name: str):
    model = ml.Model()
    model |= ml.Linear(64)(input="x", output="first")
    model |= ml.Tanh()(input="first", output="hidden")
    model |= ml.Linear(3)(input="hidden", output="last")
    model |= ml.Square()(input="last", output="squares")
    model |= ml.Mean()(input="squares", output="loss")
    moved = []
    for level in ("max", "standard"):
        compiled = ml.compile(
            model,
            ml.TorchBackend(device="cuda"),
            shapes={"x": [None, 32]},
            optimization_level=level,
        )
        params = compiled.get_parameters(seed=1)
        step = ml.TrainingStep(compiled, OPTIMIZERS[name](), output_gradients={"loss": 1.0})
        x = torch.linspace(-1, 1, 8 * 32, device="cuda").reshape(8, 32)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            step(params, {"x": x})
        calls = {event.key: event.count for event in profile.key_averages()}
        assert calls.get("mithril::batch", 0) == (level == "max")
        assert ("aten::_foreach_copy_" in calls) == (level == "standard")  # "max" overwrites
        assert calls["aten::full"] <= 4  # a rate is moved once for all parameters
        for _ in range(4):
            step(params, {"x": x})
        moved.append(params)
    for key, param in moved[0].items():
        assert torch.allclose(param, moved[1][key], rtol=1e-5, atol=1e-6)


@needs_cuda
def test_a_recording_replays_kernels():
    compiled = compiled_chain("cuda", "max", torch.float32)
    expected = compiled_chain("cpu", "max", torch.float32)
    for seed in range(5):
        got = compiled.evaluate({}, given("cuda", torch.float32, seed))["y"]
        here = expected.evaluate({}, given("cpu", torch.float32, seed))["y"]
        assert torch.allclose(got.cpu(), here, rtol=1e-5, atol=1e-5)
    assert counts(compiled)[1] > 0
    assert kernels(compiled) == (4, 1)


@needs_cuda
def test_a_kernel_of_another_size_is_the_same_code(tmp_path: Path):
    code = """
import torch
from test_torch_cuda_kernels import compiled_chain, given, kernels
compiled = compiled_chain("cuda", "max", torch.float32)
expected = compiled_chain("cuda", "standard", torch.float32)
for rows in (1, 7, 1000):
    data = given("cuda", torch.float32)
    data["x"] = torch.randn(rows, 64, device="cuda")
    got = compiled.evaluate({}, data)["y"]
    assert torch.allclose(got, expected.evaluate({}, data)["y"], rtol=1e-5, atol=1e-5)
    assert kernels(compiled)[1] > 0
"""
    done = in_a_process(code, MITHRIL_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 1


@needs_cuda
def test_compiled_kernels_are_kept_for_the_next_process(tmp_path: Path):
    code = """
import torch
from test_torch_cuda_kernels import compiled_chain, given, kernels
compiled = compiled_chain("cuda", "max", torch.float32)
compiled.evaluate({}, given("cuda", torch.float32))
assert kernels(compiled) == (4, 1)
"""
    entries = []
    for _ in range(2):
        done = in_a_process(code, MITHRIL_CACHE_DIR=str(tmp_path))
        assert done.returncode == 0, done.stderr
        entries.append([(entry.name, entry.stat().st_ino) for entry in tmp_path.iterdir()])
    assert len(entries[0]) == 1
    assert entries[1] == entries[0]  # a second compilation would write another file


def test_there_are_no_cuda_kernels_on_the_cpu():
    compiled = compiled_chain("cpu", "max", torch.float32)
    compiled.evaluate({}, given("cpu", torch.float32))
    assert "CUDA kernels" not in compiled.summary()
