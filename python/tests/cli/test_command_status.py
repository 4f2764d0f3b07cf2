"""The exit status of errors: of the call, of a file, or of the machine."""

import subprocess
import sys

import numpy as np
import pytest
from command import COMMAND, needs_command, refusal_of, write_network
from mithril.__main__ import main
from processes import environment

import mithril as ml

USAGE, BAD_FILE, MISSING = 2, 3, 4
SIZES = ["--shape", "x=3,8"]
UNKNOWN, OTHER_SIZE, OTHER_RANK = "E0606", "E0202", "E0201"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """net.json, w.safetensors, pkg, net.onnx, x.npy and narrow.npy."""
    folder = tmp_path_factory.mktemp("status")
    _, compiled, params = write_network(folder)
    ml.to_onnx(compiled, folder / "net.onnx", params, check=False)
    np.save(folder / "x.npy", np.ones((3, 8), np.float32))
    np.save(folder / "narrow.npy", np.ones((3, 7), np.float32))
    return folder


def code_of(*arguments, folder, status):
    """The code of the error that a command ends with, with this status."""
    text = refusal_of(*arguments, folder=folder, status=status)
    return text.split("[")[1].split("]")[0]


READERS = [
    ["inspect"],
    ["run"],
    ["bench", "--runs", "1"],
    ["verify"],
    ["convert", "made.zip"],
    ["codegen", "--output", "made.cpp"],
    ["compile", "--output", "made"],
    ["graph", "--output", "made.html"],
    ["graph", "--output", "made.dot"],
]


@needs_command
@pytest.mark.parametrize(
    ("file", "shape", "code"),
    [
        ("net.json", "q=3", UNKNOWN),
        ("net.json", "x=3", OTHER_RANK),
        ("net.onnx", "q=3", UNKNOWN),
        ("net.onnx", "x=3,7", OTHER_SIZE),
        ("pkg", "x=3", OTHER_RANK),
    ],
)
@pytest.mark.parametrize("call", READERS, ids=" ".join)
def test_a_shape_that_the_model_does_not_take(folder, call, file, shape, code):
    command, *options = call
    arguments = [command, file, *options, "--shape", shape]
    assert code_of(*arguments, folder=folder, status=USAGE) == code
    assert not list(folder.glob("made*"))


@needs_command
def test_parameters_that_fit_other_sizes(folder):
    arguments = ["run", "net.json", "--params", "w.safetensors"]
    assert code_of(*arguments, "--shape", "x=3,7", folder=folder, status=USAGE) == "E0901"
    np.savez(folder / "other.npz", a=np.ones(3, np.float32))
    arguments = ["run", "net.json", "--params", "other.npz", *SIZES]
    assert code_of(*arguments, folder=folder, status=BAD_FILE) == "E0901"


@needs_command
def test_an_array_that_does_not_fit(folder):
    arguments = ["run", "net.onnx", "--input", "x=narrow.npy"]
    assert code_of(*arguments, folder=folder, status=BAD_FILE) == OTHER_SIZE
    assert refusal_of(*arguments, "--shape", "x=3,8", folder=folder, status=USAGE) == (
        "mithril: --shape is 'x=3,8', and the array of --input has the shape [3, 7]\n"
        "  help: give one of both\n"
    )


@needs_command
@pytest.mark.parametrize(
    ("file", "constant", "code"),
    [("net.json", "q=1", UNKNOWN), ("net.onnx", "q=1", "E1312"), ("net.onnx", "x=1", "E1313")],
)
@pytest.mark.parametrize("command", ["run", "bench", "verify"])
def test_a_constant_that_the_model_does_not_take(folder, command, file, constant, code):
    arguments = [command, file, "--constant", constant, *SIZES]
    assert code_of(*arguments, folder=folder, status=USAGE) == code


@needs_command
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["codegen", "net.json", "--target", "cpp", "--output", "made.py", *SIZES],
            "mithril.ValueError[E0492]: the target 'cpp' does not write 'made.py'\n"
            "  expected : .cpp\n",
        ),
        (
            ["codegen", "net.json", "--target", "wasm", "--output", "made.mjs", *SIZES],
            "mithril: --target wasm writes a folder, and '.mjs' ends a file\n"
            "  help: name a folder: --output built\n",
        ),
        (
            ["codegen", "net.json", "--output", "made.rs", *SIZES],
            "mithril: --output is 'made.rs'\n  help: end it with .cpp, .py or .mjs, or name the "
            "language: --target javascript\n",
        ),
        (
            ["codegen", "net.json", "--output", "made.pt", *SIZES],
            "mithril: --output is 'made.pt'\n  help: end it with .cpp, .py or .mjs, or name the "
            "language: --target javascript\n",
        ),
        (
            ["codegen", "net.json", "--output", "made.mjs"],
            "mithril: the sizes of 'x' are not known\n  help: state them: --shape x=8,4\n",
        ),
        (
            ["codegen", "net.json", "--output", "made.mjs", "--dtype", "float16", *SIZES],
            "mithril.BackendError[E1032]: x: JavaScript has no type for float16\n"
            "  help: compile for a backend of float32 or float64\n",
        ),
        (
            ["run", "net.json", "--input", "x=x.npy", "--input", "x=x.npy"],
            "mithril: --input gives 'x' more than once\n",
        ),
        (
            ["run", "net.json", *SIZES, "--output", "y="],
            "mithril: --output is 'y=', expected KEY=FILE\n",
        ),
        (
            ["run", "net.onnx", "--shape", "x=9223372036854775807,8"],
            "mithril.ValueError[E0481]: a tensor of dims [9223372036854775807, 8] has more "
            "elements than 64 bits can count the bytes of\n",
        ),
        (
            ["run", "net.json", *SIZES, "--threads", "2147483648"],
            "mithril: --threads is '2147483648', expected a whole number of at most 2147483647\n",
        ),
        (
            ["verify", "net.json", *SIZES, "--backends", "cpu", "cpu"],
            "mithril: --backends names cpu 2 times\n",
        ),
    ],
)
def test_options_that_do_not_fit(folder, arguments, text):
    assert refusal_of(*arguments, folder=folder, status=USAGE) == text
    assert not list(folder.glob("made*"))


@needs_command
def test_processors_that_the_compiler_does_not_know(folder):
    arguments = ["compile", "net.json", "--output", "made", *SIZES, "--march", "nonsense"]
    text = refusal_of(*arguments, folder=folder, status=USAGE)
    assert text.startswith("mithril: --march is 'nonsense': the compiler ")


@needs_command
def test_what_the_machine_lacks(folder):
    arguments = ["run", "net.json", "--shape", "x=1000000000000,8"]
    assert code_of(*arguments, folder=folder, status=MISSING) == "E1102"


@pytest.mark.parametrize("command", [["bench", "--runs", "1"], ["verify"]], ids=" ".join)
@pytest.mark.parametrize(
    ("call", "code"),
    [
        (["net.json", "--shape=q=3"], UNKNOWN),
        (["net.json", "--shape=x=3"], OTHER_RANK),
        (["net.onnx", "--shape=x=3,7"], OTHER_SIZE),
        (["net.json", "--constant=q=1"], UNKNOWN),
        (["net.onnx", "--constant=q=1"], "E1312"),
    ],
)
def test_commands_of_python(folder, capsys, command, call, code):
    file, option = call
    assert main([command[0], str(folder / file), *command[1:], option]) == USAGE
    assert f"[{code}]" in capsys.readouterr().err


# Fills a small disk for temporary files, and runs the command.
ON_A_FULL_DISK = """
mount -t tmpfs -o size=16k none disk && head -c 12288 /dev/zero > disk/full || exit 1
TMPDIR=$PWD/disk exec "$@"
"""


@needs_command
@pytest.mark.parametrize(
    ("call", "named"),
    [
        (["compile", "net.json", "--output", "made", *SIZES], "made"),
        (["codegen", "net.json", "--target", "wasm", "--output", "made", *SIZES], "made"),
        (["verify", "net.json", "--shape", "x=300,8", "--backends", "cpu", "onnxruntime"], ""),
        (["verify", "net.onnx", "--shape", "x=300,8", "--backends", "cpu", "onnxruntime"], ""),
    ],
    ids=" ".join,
)
def test_a_full_disk_of_temporary_files(folder, tmp_path, call, named):
    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    disk = tmp_path / "disk"
    disk.mkdir()
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", ON_A_FULL_DISK, "sh", COMMAND, *call],
        cwd=tmp_path,
        env=environment(MITHRIL_PYTHON=sys.executable),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.stderr.startswith(("unshare:", "mount:")):
        pytest.skip("no file system can be mounted here")
    if "wasm" in call and ended.returncode == MISSING:
        pytest.skip("no clang for WebAssembly")
    why = "No space left on device"
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        BAD_FILE,
        "",
        f"mithril.InputError[E0831]: {named or disk}: the file cannot be written\n"
        f"  why : {f'{why} in {disk}' if named else why}\n"
        "  help: set TMPDIR to a folder for temporary files with more room\n",
    )
    assert not (tmp_path / "made").exists()
