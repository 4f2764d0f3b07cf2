"""`mithril package`, `serve` and `compile`, which need no Python."""

import json
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec

import numpy as np
import pytest
from c_library import Library
from command import COMMAND, needs_command, object_of, refusal_of, run_command, text_of
from processes import environment

import mithril as ml

pytestmark = needs_command
NO_PYTHON = {"MITHRIL_PYTHON": "/nowhere/python3"}
X = np.arange(6, dtype=np.float32).reshape(2, 3)
needs_server = pytest.mark.skipif(
    find_spec("mithril._server") is None, reason="the server is not built"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package pkg, net.json with net.safetensors, and y.npy: the output for X."""
    folder = tmp_path_factory.mktemp("packages")
    model = ml.Model()
    model |= ml.Linear(4)(input=ml.IOKey("x", shape=["N", 3]), output="y")
    model.expose_keys("y")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    params = compiled.get_parameters(seed=3)
    ml.save_package(folder / "pkg", model, params, name="net", revision="7", licence="MIT")
    (folder / "net.json").write_text(model.to_json(), encoding="utf-8")
    ml.save_safetensors(folder / "net.safetensors", params)
    np.save(folder / "y.npy", compiled.evaluate(params, {"x": X})["y"])
    return folder


def test_a_package_is_inspected_as_in_python(folder):
    ended = run_command("package", "inspect", "pkg", folder=folder, **NO_PYTHON)
    assert (ended.returncode, ended.stderr) == (0, "")
    python = subprocess.run(
        [sys.executable, "-m", "mithril", "package", "inspect", "pkg"],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == python.stdout
    found = object_of("package", "inspect", "pkg", folder=folder)
    assert found["inputs"] == [{"name": "x", "dtype": "float32", "dims": ["N", 3]}]
    assert (found["schema"], found["file"], found["licence"]) == (1, "pkg", "MIT")
    assert {file["name"] for file in found["files"]} >= {"model.json", "model.safetensors"}


def test_packages_are_copied_and_verified(folder, tmp_path):
    target = tmp_path / "copy.zip"
    assert text_of("package", "extract", "pkg", target, folder=folder) == f"wrote {target}\n"
    text_of("package", "extract", target, tmp_path / "again", folder=folder)
    assert "all checksums match" in text_of(
        "package", "verify", "pkg", target, tmp_path / "again", folder=folder
    )
    weights = tmp_path / "again" / "model.safetensors"
    contents = bytearray(weights.read_bytes())
    contents[-1] ^= 1
    weights.write_bytes(contents)
    refused = refusal_of("package", "verify", tmp_path / "again", folder=folder, status=3)
    assert refused.startswith("mithril.ParseError[E0766]: ")


def test_wrong_calls_of_package_are_refused(folder):
    assert refusal_of("package", "inspekt", "pkg", folder=folder, status=2) == (
        "mithril: ACTION is 'inspekt', expected one of create, inspect, verify, extract\n"
        "  help: did you mean 'inspect'?\n"
    )
    assert refusal_of("package", "extract", "pkg", folder=folder, status=2) == (
        "mithril: `mithril package extract PACKAGE TARGET` takes 2 paths, and got 1\n"
    )
    assert refusal_of("package", "verify", "pkg", "--name", "a", folder=folder, status=2) == (
        "mithril: --name is an option of `mithril package create`\n"
    )


def test_create_runs_in_python(folder, tmp_path):
    call = ["package", "create", folder, tmp_path / "p"]
    ended = run_command(*call, folder=folder, **NO_PYTHON)
    assert (ended.returncode, ended.stdout) == (4, "")
    ended = run_command(*call, folder=folder)
    assert "mithril.InputError[E0864]" in ended.stderr


def serving(folder, *arguments):
    return subprocess.Popen(
        [COMMAND, "serve", *map(str, arguments)],
        cwd=folder,
        env={**environment(), **NO_PYTHON},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def post(address, model):
    tensor = {"name": "x", "shape": X.shape, "datatype": "FP32", "data": X.ravel().tolist()}
    body = json.dumps({"inputs": [tensor]}).encode()
    request = urllib.request.Request(f"{address}/v2/models/{model}/infer", body)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())["outputs"][0]["data"]


@needs_server
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_packages_are_served_until_a_signal(folder, number):
    process = serving(folder, "pkg", "second=pkg", "--port", 0, "--max-batch-size", 8)
    try:
        line = process.stdout.readline()
        assert line.startswith("serving net, second at http://127.0.0.1:"), process.stderr.read()
        for name in ("net", "second"):
            answer = post(line.split()[-1], name)
            np.testing.assert_allclose(answer, np.load(folder / "y.npy").ravel(), rtol=1e-5)
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, output, errors) == (0, "stopping\n", "")


@needs_server
def test_serve_says_where_as_an_object(folder):
    process = serving(folder, "pkg", "--port", 0, "--json")
    try:
        text = ""
        while "}" not in text:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            text += line
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    found = json.loads(text)
    assert (found["schema"], found["command"], found["models"]) == (1, "serve", ["net"])
    assert (process.returncode, output, errors) == (0, "", "")


@needs_server
def test_wrong_calls_of_serve_are_refused(folder):
    assert refusal_of("serve", "pkg", "--max-delay", "soon", folder=folder, status=2) == (
        "mithril: --max-delay is 'soon', expected a number of at least 0\n"
    )
    assert refusal_of("serve", "pkg", "--max-delay", "1e300", folder=folder, status=2) == (
        "mithril: --max-delay is '1e300', expected a number of at most 1000000000\n"
    )
    assert refusal_of("serve", "pkg", "--port", "65536", folder=folder, status=2) == (
        "mithril: --port is '65536', expected a whole number of at most 65535\n"
    )
    assert refusal_of("serve", "name=", folder=folder, status=2) == (
        "mithril: PACKAGE is 'name=', expected [NAME=]PACKAGE\n"
    )
    refused = refusal_of("serve", "nothing", folder=folder, status=3)
    assert refused.startswith("mithril.InputError[")


@needs_server
@pytest.mark.parametrize("native", [[], ["--allow-native"]])
@pytest.mark.parametrize(
    ("options", "code", "status"),
    [
        (["--memory-limit", "much"], "ValueError[E0430]", 2),
        (["--mask", "mask"], "NameError[E1222]", 2),
        (["--host", "256.0.0.1"], "BackendError[E1236]", 4),
    ],
)
def test_serve_says_whose_fault_an_error_is(folder, options, code, status, native):
    call = ["serve", "pkg", "--port", "0", *options, *native]
    assert refusal_of(*call, folder=folder, status=status).startswith(f"mithril.{code}")


@needs_server
@pytest.mark.parametrize("native", [[], ["--allow-native"]])
@pytest.mark.parametrize("packages", [["pkg", "pkg"], ["a=pkg", "a=pkg"], ["net=pkg", "pkg"]])
def test_two_models_of_one_name_are_not_served(folder, packages, native):
    name = "a" if packages[0] == "a=pkg" else "net"
    call = ["serve", *packages, "--port", "0", *native]
    assert refusal_of(*call, folder=folder, status=2) == (
        f"mithril: two models have the name '{name}'\n  help: give one another name: other=pkg\n"
    )


def test_compile_builds_a_library(folder, tmp_path):
    built = tmp_path / "built"
    call = ["compile", "net.json", "--params", "net.safetensors", "--shape", "x=2,3", "-o", built]
    ended = run_command(*call, folder=folder, **NO_PYTHON)
    assert (ended.returncode, ended.stderr) == (0, "")
    names = ("model.weights", "model.so", "mithril.h")
    assert ended.stdout == "".join(f"wrote {built / name}\n" for name in names)
    assert "mithril_model_run" in (built / "mithril.h").read_text(encoding="utf-8")
    library = Library(built / "model.so")
    opened = library.opened("")
    np.testing.assert_allclose(
        library.answer(opened, {"x": X}), np.load(folder / "y.npy"), rtol=1e-5
    )
    library.dll.mithril_model_free(opened)


def test_compile_needs_sizes_and_a_compiler(folder, tmp_path):
    call = ["compile", "net.json", "--params", "net.safetensors", "-o", tmp_path / "built"]
    assert refusal_of(*call, folder=folder, status=2) == (
        "mithril: the sizes of 'x' are not known\n  help: state them: --shape x=8,4\n"
    )
    call += ["--shape", "x=2,3"]
    ended = run_command(*call, folder=folder, CXX="no-such-compiler")
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        4,
        "",
        "mithril: `mithril compile` needs a compiler, and found no 'no-such-compiler'\n"
        "  help: install one (apt-get install g++), or name one in CXX\n",
    )
    ended = run_command(*call, folder=folder, CXX="/bin/false")
    assert ended.returncode == 4 and "the compiler /bin/false failed" in ended.stderr
    ended = run_command(*call, folder=folder, CXX="/bin/true")
    assert ended.returncode == 3 and "model.so: the file cannot be read" in ended.stderr
    assert not (tmp_path / "built").exists()


def test_codegen_writes_webassembly_with_a_clang(folder, tmp_path):
    call = ["codegen", "net.json", "--target", "wasm", "--shape", "x=2,3", "-o", tmp_path / "web"]
    ended = run_command(*call, folder=folder, MITHRIL_WASM_CLANG="/bin/false")
    assert (ended.returncode, ended.stdout) == (4, "")
    assert "the compiler /bin/false failed" in ended.stderr and "MITHRIL_WASM_CLANG" in ended.stderr
    ended = run_command(*call, folder=folder, MITHRIL_WASM_CLANG="/bin/true")
    assert ended.returncode == 3 and "model.wasm: the file cannot be read" in ended.stderr
    assert not (tmp_path / "web").exists()
    ended = run_command(*call, folder=folder)
    if ended.returncode == 4:
        pytest.skip("no clang for WebAssembly")
    assert ended.stdout == f"wrote {tmp_path / 'web' / 'model.wasm'}\n"
    assert (tmp_path / "web" / "model.wasm").read_bytes().startswith(b"\0asm")
    assert json.loads((tmp_path / "web" / "package.json").read_text())["name"] == "web"
    call[-1] = f"{tmp_path}/slash/"
    assert text_of(*call, folder=folder) == f"wrote {tmp_path / 'slash' / 'model.wasm'}\n"
    assert json.loads((tmp_path / "slash" / "package.json").read_text())["name"] == "slash"
