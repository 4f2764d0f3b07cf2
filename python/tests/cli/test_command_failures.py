"""Every command with files that it cannot read, a full disk and a closed pipe."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from command import (
    COMMAND,
    WITH_RIGHTS_OF_MODES,
    needs_command,
    run_command,
    text_of,
    write_network,
)
from processes import environment

pytestmark = needs_command

SIZES = ["--shape", "x=3,8"]
PARAMS = ["--params", "w.safetensors", *SIZES]
ONE_RUN = ["--runs", "1"]
TORCH = ["--backends", "cpu", "torch"]
HAS_TORCH = find_spec("torch") is not None and find_spec("mithril._torch") is not None
HAS_SERVER = find_spec("mithril._server") is not None
FULL = "No space left on device"

# Calls that read the file BAD.
READ = [
    ["inspect", "BAD"],
    ["run", "BAD"],
    ["run", "net.json", *SIZES, "--params", "BAD"],
    ["run", "net.json", *PARAMS, "--input", "x=BAD"],
    ["bench", "BAD"],
    ["bench", "net.json", *SIZES, "--params", "BAD", *ONE_RUN],
    ["verify", "BAD"],
    ["verify", "net.json", *SIZES, "--params", "BAD"],
    ["verify", "net.json", *PARAMS, "--data", "BAD"],
    ["verify", "BAD", *TORCH],
    ["diff", "BAD", "net.json"],
    ["diff", "net.json", "BAD"],
    ["convert", "BAD", "made.safetensors"],
    ["convert", "net.json", "made.zip", *SIZES, "--params", "BAD"],
    ["codegen", "BAD", "--output", "made.cpp"],
    ["compile", "BAD", "--output", "made"],
    ["compile", "net.json", "--output", "made", *SIZES, "--params", "BAD"],
    ["graph", "BAD", "--output", "made.html"],
    ["graph", "net.json", "--output", "made.html", "--params", "BAD"],
    ["graph", "net.json", "--output", "made.html", "--profile", "BAD"],
    ["package", "inspect", "BAD"],
    ["package", "verify", "BAD"],
    ["package", "extract", "BAD", "made"],
    ["package", "create", "BAD", "made"],
    ["serve", "BAD", "--port", "0"],
    ["serve", "BAD", "--port", "0", "--allow-native"],
]

# Calls that write the file OUT, with the extension of that file.
WRITE = [
    (".npy", ["run", "net.json", *PARAMS, "--output", "y=OUT"]),
    (".json", ["bench", "net.json", *PARAMS, *ONE_RUN, "--trace", "OUT"]),
    (".safetensors", ["convert", "net.json", "OUT", *PARAMS]),
    (".onnx", ["convert", "net.json", "OUT", *PARAMS]),
    (".zip", ["convert", "net.json", "OUT", *PARAMS]),
    (".cpp", ["codegen", "net.json", "--output", "OUT", *SIZES]),
    (".py", ["codegen", "net.json", "--output", "OUT", *SIZES]),
    (".mjs", ["codegen", "net.json", "--output", "OUT", *SIZES]),
    (".html", ["graph", "net.json", "--output", "OUT"]),
    (".dot", ["graph", "net.json", "--output", "OUT"]),
    (".mmd", ["graph", "net.json", "--output", "OUT"]),
    (".zip", ["package", "extract", "pkg", "OUT"]),
]

# Calls that only write to standard output.
SHOW = [
    ["--help"],
    ["--version"],
    ["inspect", "net.json"],
    ["run", "net.json", *PARAMS],
    ["bench", "net.json", *PARAMS, *ONE_RUN],
    ["verify", "net.json", *PARAMS],
    ["verify", "net.json", *PARAMS, *TORCH],
    ["diff", "net.json", "net.json"],
    ["convert", "net.json", "made.json", *PARAMS],
    ["codegen", "net.json", "--output", "made.mjs", *SIZES],
    ["compile", "net.json", "--output", "made", *PARAMS],
    ["graph", "net.json", "--output", "made.html"],
    ["package", "inspect", "pkg"],
    ["package", "verify", "pkg"],
    ["package", "extract", "pkg", "made"],
    ["serve", "pkg", "--port", "0"],
    ["serve", "pkg", "--port", "0", "--allow-native"],
    ["doctor"],
    ["completion", "bash"],
    ["manual", "man"],
]
# Those that `python -m mithril` has, too.
SHOW_IN_PYTHON = [
    call for call in SHOW if call[0] in ("--help", "--version", "verify", "package", "serve")
]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """net.json, w.safetensors, the package pkg, and files that no command can read."""
    folder = tmp_path_factory.mktemp("failures")
    model, _, _ = write_network(folder)
    np.save(folder / "x.npy", np.ones((3, 8), np.float32))
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    (folder / "cut.json").write_text(model.to_json()[:100], encoding="utf-8")
    (folder / "link").symlink_to("link")
    (folder / "locked").write_text("{}", encoding="utf-8")
    (folder / "locked").chmod(0)
    return folder


@pytest.fixture
def folder(sources, tmp_path):
    """A folder of the test with links to all of them."""
    for file in sources.iterdir():
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


def name_of(call):
    return " ".join(call[:2] if call[0] == "package" else call[:1])


def words_of(given):
    return "-".join(given) if isinstance(given, list) else str(given)


def skip_unless_built(call):
    if "torch" in call and not HAS_TORCH:
        pytest.skip("torch is not built")
    if call[0] == "serve" and not HAS_SERVER:
        pytest.skip("the server is not built")


def refused(ended, status=3):
    """The first line of an error: facts and advice follow, each in a line of its own."""
    assert ended.returncode == status, ended.stderr
    first, *rest = ended.stderr.splitlines()
    assert re.match(r"mithril\.\w+\[E\d{4}\]: ", first), ended.stderr
    assert all(line.startswith("  ") for line in rest), ended.stderr
    return first


def test_all_commands_are_here(folder):
    names = re.findall(r"^  (\w+)  ", text_of("--help", folder=folder), re.MULTILINE)
    assert set(names) == {call[0] for call in SHOW if not call[0].startswith("-")}
    without_files = {"doctor", "completion", "manual"}
    assert {call[0] for call in READ} == set(names) - without_files


@pytest.mark.sampled(3)  # shares no factor with the files
@pytest.mark.parametrize(
    "bad", ["folder", "none.json", "net.json/inside", "empty", "cut.json", "link", "locked"]
)
@pytest.mark.parametrize("call", READ, ids=words_of)
def test_a_file_that_cannot_be_read(folder, call, bad):
    skip_unless_built(call)
    if bad == "locked" and os.geteuid() == 0:
        pytest.skip("root may read all files")
    ended = run_command(*(word.replace("BAD", bad) for word in call), folder=folder)
    assert ended.stdout == "" and refused(ended) and bad in ended.stderr
    assert not list(folder.glob("made*"))


def test_a_folder_that_cannot_be_read(tmp_path):
    (tmp_path / "locked").mkdir(mode=0)
    as_user = WITH_RIGHTS_OF_MODES if os.geteuid() == 0 else []
    ended = subprocess.run(
        [*as_user, COMMAND, "inspect", tmp_path / "locked"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused(ended).endswith("/locked: the file cannot be read")
    assert ended.stderr.splitlines()[1:] == ["  why : Permission denied"]


@pytest.mark.parametrize(("ending", "call"), WRITE, ids=words_of)
def test_a_file_that_cannot_be_written(folder, ending, call):
    (folder / f"full{ending}").symlink_to("/dev/full")
    path = f"net.json/made{ending}"
    for out, why in [(f"full{ending}", FULL), (path, "Not a directory")]:
        ended = run_command(*(word.replace("OUT", out) for word in call), folder=folder)
        stem = out.removesuffix(ending)  # .mjs writes a .d.mts first
        assert ended.stdout == "" and stem in refused(ended)
        assert f"  why : {why}\n" in ended.stderr


@pytest.mark.parametrize("call", [["compile"], ["codegen", "--target", "wasm"]], ids=name_of)
def test_a_folder_that_cannot_be_written(folder, call):
    out = folder / "net.json" / "made"
    ended = run_command(*call, "net.json", "--output", out, *SIZES, folder=folder)
    if "wasm" in call and ended.returncode == 4:
        pytest.skip("no clang for WebAssembly")
    assert ended.stdout == "" and str(out) in refused(ended)
    assert "  why : Not a directory\n" in ended.stderr


def run_into(stdout, call, folder, is_python):
    if not is_python:
        return run_command(*call, folder=folder, stdout=stdout)
    return subprocess.run(
        [sys.executable, "-m", "mithril", *call],
        cwd=folder,
        env=environment(),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.sampled(3)  # shares no factor with the outputs
@pytest.mark.parametrize("output", ["full", "pipe"])
@pytest.mark.parametrize(
    ("call", "is_python"),
    [*((call, False) for call in SHOW), *((call, True) for call in SHOW_IN_PYTHON)],
    ids=words_of,
)
def test_a_full_disk_and_a_closed_pipe(folder, output, call, is_python):
    skip_unless_built(call)
    if output == "full":
        with open("/dev/full", "w", encoding="utf-8") as full:
            ended = run_into(full, call, folder, is_python)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            ended = run_into(writer, call, folder, is_python)
        finally:
            os.close(writer)
    assert (ended.returncode, ended.stderr) == (
        3,
        "mithril.InputError[E0831]: standard output: the file cannot be written\n"
        f"  why : {FULL if output == 'full' else 'Broken pipe'}\n",
    )
