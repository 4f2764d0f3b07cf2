"""`mithril verify`: backends of the native command, of Python, and ONNX Runtime."""

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import onnx_bytes as ob
import pytest
from command import needs_command, network, object_of, refusal_of, run_command, text_of

import mithril as ml

pytestmark = needs_command
NO_PYTHON = {"MITHRIL_PYTHON": "/nowhere/python3"}
needs_onnxruntime = pytest.mark.skipif(
    find_spec("onnxruntime") is None, reason="onnxruntime is not installed"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """net.json, net.onnx, the package pkg, and w.safetensors."""
    folder = tmp_path_factory.mktemp("verify")
    model = network()
    (folder / "net.json").write_text(model.to_json(), encoding="utf-8")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 8]}, inference=True)
    params = compiled.get_parameters(seed=3)
    ml.save_package(folder / "pkg", model, params, shapes={"x": [None, 8]}, revision="1")
    ml.save(folder / "w.safetensors", params)
    ml.to_onnx(compiled, folder / "net.onnx", params, check=False)
    return folder


@pytest.mark.parametrize("file", ["net.json", "pkg", "net.onnx"])
def test_backends_of_the_command_need_no_python(folder, file):
    ended = run_command("verify", file, "--shape", "x=3,8", folder=folder, **NO_PYTHON)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("reference, cpu agree on ")


def test_gradients_can_be_left_out(folder):
    shape = ["--shape", "x=3,8"]
    whole = object_of("verify", "net.json", *shape, folder=folder)
    outputs = object_of("verify", "net.json", *shape, "--no-gradients", folder=folder)
    inference = object_of("verify", "net.json", *shape, "--inference", folder=folder)
    assert whole["nodes"] > outputs["nodes"] == inference["nodes"] > 0
    assert whole == {
        "schema": 1,
        "command": "verify",
        "file": "net.json",
        "backends": ["reference", "cpu"],
        "agree": True,
        "nodes": whole["nodes"],
        "differences": [],
        "written": [],
    }


def test_parameters_and_inputs_are_those_of_files(folder, tmp_path):
    ml.save_safetensors(tmp_path / "x.safetensors", {"x": np.ones((2, 8), np.float32)})
    given = ["--params", "w.safetensors", "--data", tmp_path / "x.safetensors"]
    assert object_of("verify", "net.json", *given, folder=folder)["agree"]
    ml.save_safetensors(tmp_path / "x.safetensors", {"x": np.ones((2, 7), np.float32)})
    refused = refusal_of("verify", "net.json", *given, folder=folder, status=3)
    assert refused.startswith("mithril.")


def test_torch_runs_in_python(folder):
    shape = ["--shape", "x=3,8"]
    call = ["verify", "net.json", *shape, "--backends", "cpu", "torch"]
    ended = run_command(*call, folder=folder, **NO_PYTHON)
    assert (ended.returncode, ended.stderr) == (
        4,
        "mithril: `mithril verify` could not start /nowhere/python3: No such file or directory\n"
        "  help: install Python 3.10 or newer and mithril-cpp in it, or set MITHRIL_PYTHON\n",
    )
    if find_spec("torch") is None:
        pytest.skip("torch is not installed")
    found = object_of(*call, folder=folder)
    assert (found["schema"], found["agree"], found["written"]) == (1, True, [])


@pytest.mark.slow
def test_torch_runs_in_python_for_a_text_and_for_onnx_files(folder):
    pytest.importorskip("torch", reason="torch is not installed")
    shape = ["--shape", "x=3,8"]
    call = ["verify", "net.json", *shape, "--backends", "cpu", "torch"]
    assert text_of(*call, folder=folder).startswith("cpu, torch agree on ")
    onnx = ["verify", "net.onnx", *shape, "--backends", "cpu", "torch", "--inference"]
    assert object_of(*onnx, folder=folder)["agree"]


def test_wrong_calls_are_refused(folder):
    refused = refusal_of("verify", "net.json", folder=folder, status=2)
    assert refused.startswith("mithril: the sizes of ")
    refused = refusal_of("verify", "net.json", "--backends", "cpu", folder=folder, status=2)
    assert refused == (
        "mithril: --backends is 'cpu'\n  help: name at least two: --backends reference cpu\n"
    )
    refused = refusal_of(
        "verify", "net.json", "--backends", "onnxruntime", "cpu", folder=folder, status=2
    )
    assert refused == (
        "mithril: the first of --backends is the reference, and onnxruntime cannot be it\n"
        "  help: begin with reference or cpu\n"
    )
    refused = refusal_of("verify", "net.json", "--backends", "cpu", "cuda", folder=folder, status=2)
    assert refused.startswith(
        "mithril: --backends is 'cuda', expected one of reference, cpu, torch,"
    )


def test_onnx_runtime_needs_a_python(folder):
    call = ["verify", "net.onnx", "--shape", "x=3,8", "--backends", "cpu", "onnxruntime"]
    ended = run_command(*call, folder=folder, MITHRIL_PYTHON="/bin/false")
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        4,
        "",
        "mithril: /bin/false did not run ONNX Runtime: \n"
        "  help: pip install onnxruntime numpy, or name another Python in MITHRIL_PYTHON\n",
    )
    if find_spec("onnxruntime") is None:
        ended = run_command(*call, folder=folder)
        assert (ended.returncode, ended.stderr.split("\n")[0]) == (
            4,
            f"mithril: {sys.executable} has no module onnxruntime",
        )


@needs_onnxruntime
@pytest.mark.parametrize("file", ["net.json", "pkg", "net.onnx"])
def test_onnx_runtime_is_compared_value_by_value(folder, file):
    backends = ["--backends", "reference", "cpu", "onnxruntime"]
    found = object_of("verify", file, "--shape", "x=3,8", *backends, folder=folder)
    assert found["agree"] and found["backends"] == ["reference", "cpu", "onnxruntime"]
    tight = ["--backends", "reference", "onnxruntime", "--tolerance", "1e-12"]
    ended = run_command("verify", file, "--shape", "x=300,8", *tight, "--json", folder=folder)
    assert ended.returncode == 1
    (difference,) = json.loads(ended.stdout)["differences"]
    assert difference["backend"] == "onnxruntime" and 0 < difference["difference"] < 1e-5


@needs_onnxruntime
def test_onnx_runtime_has_exact_products_of_bytes(folder):
    """Sums of two products of bytes saturate in int16."""
    nodes = [
        ob.node("DynamicQuantizeLinear", "x", "q scale zero"),
        ob.node("MatMulInteger", "q w", "y"),
    ]
    weight = np.full((64, 3), 127, np.int8)
    file = ob.file(nodes, [ob.value("x", [2, 64])], [ob.value("y", [2, 3], "int32")], {"w": weight})
    (folder / "bytes.onnx").write_bytes(file)
    backends = ["--backends", "reference", "cpu", "onnxruntime"]
    found = object_of("verify", "bytes.onnx", *backends, folder=folder)
    assert found["agree"]


@needs_onnxruntime
def test_bench_times_onnx_runtime(folder):
    call = ["bench", "net.onnx", "--shape", "x=3,8", "--runs", "5", "--against", "onnxruntime"]
    (timing,) = object_of(*call, folder=folder)["timings"]
    assert timing["onnxruntime"]["runs"] == 5 and timing["onnxruntime"]["median_ms"] > 0
    assert "onnxruntime ms" in text_of(*call, folder=folder)


@pytest.mark.parametrize("file", ["net.json", "pkg", "net.onnx"])
def test_python_times_a_model_on_a_backend(folder, file):
    shapes = ["--shape", "x=1,8", "--shape", "x=64,8"]
    call = [sys.executable, "-m", "mithril", "bench", file, *shapes, "--runs", "3"]
    ended = subprocess.run([*call, "--json"], cwd=folder, capture_output=True, check=True)
    found = json.loads(ended.stdout)
    fields = ["schema", "command", "file", "backend", "load_ms", "peak_bytes", "timings"]
    assert list(found) == fields and found["schema"] == 1
    assert [timing["shapes"] for timing in found["timings"]] == ["x=1,8", "x=64,8"]
    native = object_of("bench", file, *shapes, "--runs", "1", folder=folder)
    for timing, other in zip(found["timings"], native["timings"], strict=True):
        assert set(timing) <= set(other) and timing["runs"] == 3
        assert 0 < timing["min_ms"] <= timing["median_ms"] <= timing["p90_ms"] <= timing["max_ms"]
        counts = ("operations", "bytes")
        assert [timing[key] for key in counts] == [other[key] for key in counts]
    for form, lines in (("csv", 3), ("markdown", 4), ("text", 5)):
        ended = subprocess.run(
            [*call, "--format", form], cwd=folder, capture_output=True, check=True
        )
        assert len(ended.stdout.decode().splitlines()) == lines


def test_bench_starts_python_for_torch_only(folder):
    call = ["bench", "net.json", "--shape", "x=3,8", "--runs", "1"]
    assert run_command(*call, folder=folder, **NO_PYTHON).returncode == 0
    ended = run_command(*call, "--backend", "torch", folder=folder, **NO_PYTHON)
    assert ended.returncode == 4 and "could not start /nowhere/python3" in ended.stderr
    assert refusal_of(*call, "--backend", "torch", "--ops", folder=folder, status=2).startswith(
        "mithril: --ops is for the backend cpu, not for torch\n"
    )


@pytest.mark.skipif(find_spec("mithril._torch") is None, reason="torch is not built")
def test_bench_times_torch(folder):
    call = ["bench", "net.json", "--shape", "x=3,8", "--runs", "2", "--backend", "torch"]
    found = object_of(*call, folder=folder)
    assert found["backend"] == "torch" and found["timings"][0]["runs"] == 2
