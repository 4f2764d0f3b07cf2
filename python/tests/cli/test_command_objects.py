"""What every command prints with --json, and what Ctrl-C leaves of its files."""

import json
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from command import COMMAND, needs_command, network, object_of, run_command, text_of
from processes import environment

import mithril as ml

pytestmark = needs_command

SIZES = ["--shape", "x=3,8"]
PARAMS = ["--params", "w.safetensors", *SIZES]
WRITTEN = ["file", "written"]
PORTS = ["inputs", "outputs"]
MODEL = ["file", "kind", *PORTS, "parameters", "operations", "bytes", "parts"]
BENCH = ["file", "load_ms", "peak_bytes"]
PEAKS = ["peak_operations_per_second", "peak_bytes_per_second", "timings"]
PACKAGE = ["name", "revision", "created_at", "model_type", "family", "licence", "source"]
VERIFIED = ["file", "backends", "agree", "nodes", "differences", "written"]

# The fields of schema 1, after "schema" and "command". A field that is removed, or that gets
# another meaning, needs another number of the schema; serve is in test_command_packages.py.
FIELDS = [
    (["inspect", "net.json"], MODEL),
    (["inspect", "pkg"], MODEL),
    (["inspect", "w.safetensors"], ["file", "kind", "elements", "bytes", "tensors"]),
    (["run", "net.json", *PARAMS], ["file", "outputs"]),
    (["bench", "net.json", *PARAMS, "--runs", "1"], [*BENCH, *PEAKS]),
    (["verify", "net.json", *PARAMS], VERIFIED),
    (["verify", "net.json", *PARAMS, "--backends", "cpu", "torch"], VERIFIED),
    (["diff", "net.json", "net.json"], ["a", "b", "equal", "largest_difference", "differences"]),
    (["convert", "net.json", "made.zip", *PARAMS], WRITTEN),
    (["codegen", "net.json", "--output", "made.mjs", *SIZES], WRITTEN),
    (["compile", "net.json", "--output", "made", *PARAMS], WRITTEN),
    (["graph", "net.json", "--output", "made.html"], WRITTEN),
    (["package", "inspect", "pkg"], ["file", *PACKAGE, "backends", *PORTS, "sizes", "files"]),
    (["package", "verify", "pkg"], ["verified"]),
    (["package", "extract", "pkg", "made"], WRITTEN),
    (["doctor"], ["findings"]),
    (["completion", "bash"], ["shell", "text"]),
    (["manual", "man"], ["format", "text"]),
]

# Calls that write the files "made*", and what they write.
WRITE = [
    (["run", "net.json", *PARAMS, "--output", "y=made.npy"], ["made.npy"]),
    (["convert", "net.json", "made.safetensors", *PARAMS], ["made.safetensors"]),
    (["convert", "net.json", "made.onnx", *PARAMS], ["made.onnx"]),
    (["codegen", "net.json", "--output", "made.cpp", *SIZES], ["made.cpp"]),
    (["graph", "net.json", "--output", "made.html"], ["made.html"]),
    (["package", "extract", "pkg", "made.zip"], ["made.zip"]),
]


@pytest.fixture
def folder(tmp_path):
    """net.json, w.safetensors and the package pkg."""
    model = network()
    (tmp_path / "net.json").write_text(model.to_json(), encoding="utf-8")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 8]})
    params = compiled.get_parameters(seed=3)
    ml.save_package(tmp_path / "pkg", model, params, shapes={"x": [None, 8]}, revision="1")
    ml.save(tmp_path / "w.safetensors", params)
    return tmp_path


def words_of(given):
    return "-".join(given)


@pytest.mark.parametrize(("call", "fields"), FIELDS, ids=words_of)
def test_the_object_of_a_command(folder, call, fields):
    if "torch" in call and find_spec("mithril._torch") is None:
        pytest.skip("torch is not built")
    found = object_of(*call, folder=folder)
    assert list(found) == ["schema", "command", *fields]
    assert (found["schema"], found["command"]) == (1, call[0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "call", [call for call, _ in FIELDS if call[0] in ("package", "verify")], ids=words_of
)
def test_python_prints_the_same_object(folder, call):
    def object_in_python():
        ended = subprocess.run(
            [sys.executable, "-m", "mithril", *call, "--json"],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return json.loads(ended.stdout)

    if "torch" in call and find_spec("mithril._torch") is None:
        pytest.skip("torch is not built")
    found = object_of(*call, folder=folder)
    shutil.rmtree(folder / "made", ignore_errors=True)
    assert object_in_python() == found


def test_every_command_has_an_object(folder):
    lines = text_of("--help", folder=folder).splitlines()
    lines = lines[lines.index("Commands:") + 1 : lines.index("Options:") - 1]
    assert {line.split()[0] for line in lines} == {call[0] for call, _ in FIELDS} | {"serve"}


@pytest.mark.parametrize(("call", "files"), WRITE, ids=words_of)
def test_ctrl_c_leaves_the_old_file_or_the_new_one(folder, call, files):
    start = time.monotonic()
    ended = run_command(*call, folder=folder)
    took = time.monotonic() - start
    assert ended.returncode == 0, ended.stderr
    (made,) = files
    whole = (folder / made).read_bytes()
    old = b"the old file"
    for step in range(8):
        (folder / made).write_bytes(old)
        process = subprocess.Popen(
            [COMMAND, *call],
            cwd=folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        time.sleep(took * step / 7)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGINT), errors
        assert (folder / made).read_bytes() in (old, whole)
        if process.returncode == 0:
            assert (folder / made).read_bytes() == whole
        # A name that begins with .mithril- is a file that the next command removes.
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".mithril-")}
        assert names == {"net.json", "w.safetensors", "pkg", made}
