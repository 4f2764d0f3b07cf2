"""The native command: what it says about mistakes, and its exit status."""

import os

import numpy as np
import pytest
from command import needs_command, refusal_of, run_command

import mithril as ml

pytestmark = needs_command

USAGE, BAD_FILE = 2, 3
READS = "  it reads : models as JSON, packages, .onnx, .safetensors, .npz, .npy and .pt files\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    (folder / "net.json").write_text(model.to_json(), encoding="utf-8")
    np.save(folder / "x.npy", np.ones((3, 8), np.float32))
    np.savez(folder / "w.npz", a=np.ones(3, np.float32))
    return folder


BAD_SHAPES = ["x=1,8", "x=2,8", "h=1,4", "h=2,4", "h=3,4"]
RUN = "  help: usage: mithril run [OPTIONS] FILE\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "mithril: missing command\n  help: mithril --help lists the commands\n"),
        (["inspec"], "mithril: there is no command 'inspec'\n  help: did you mean 'inspect'?\n"),
        (
            ["\x1b[31m"],
            "mithril: there is no command '\\x1b[31m'\n  help: mithril --help lists the commands\n",
        ),
        (
            ["inspect", "net.json", "--dept", "3"],
            "mithril: '--dept' is not an option of `mithril inspect`\n"
            "  help: did you mean '--depth'?\n",
        ),
        (["run"], "mithril: missing argument FILE\n" + RUN),
        (["run", "net.json", "more"], "mithril: unexpected argument 'more'\n" + RUN),
        (["run", "net.json", "--seed"], "mithril: --seed takes one value, once\n" + RUN),
        (
            ["run", "net.json", "--seed", "1", "--seed", "2"],
            "mithril: --seed takes one value, once\n" + RUN,
        ),
        (
            ["run", "net.json", "--dtype", "float23"],
            "mithril: --dtype is 'float23', expected one of float32, float64, float16, bfloat16\n"
            "  help: did you mean 'float32', 'float64' or 'float16'?\n",
        ),
        (
            ["run", "net.json", "--threads", "0"],
            "mithril: --threads is '0', expected a whole number of at least 1\n",
        ),
        (
            ["convert", "net.json", "net.onnx", "--opset", "12"],
            "mithril: --opset is '12', expected a whole number of at least 13\n",
        ),
        (
            ["convert", "net.json", "net.onnx", "--opset", "26"],
            "mithril: --opset is '26', expected a whole number of at most 25\n",
        ),
        (["run", "net.json", "--shape", "x"], "mithril: --shape is 'x', expected KEY=...\n"),
        (
            ["run", "net.json", "--shape", "x=a,2"],
            "mithril: --shape is 'x=a,2', expected KEY=SIZES\n"
            "  help: write the sizes with commas: x=8,4\n",
        ),
        (
            ["run", "net.json"],
            "mithril: the sizes of the parameters follow from the sizes of inputs, which are "
            "open\n  help: state them: --shape x=8,4\n",
        ),
        (
            ["run", "net.json", "--input", "linear.wieght=x.npy"],
            "mithril: the model has no input 'linear.wieght'\n"
            "  help: did you mean 'linear.weight'?\n",
        ),
        (
            ["run", "net.json", "--input", "image=x.npy"],
            "mithril: the model has no input 'image'\n  help: inputs: 'x'\n",
        ),
        (
            ["run", "net.json", "--input", "linear.weight=x.npy"],
            "mithril: 'linear.weight' is a parameter\n"
            "  help: give parameters in one file: --params weights.safetensors\n",
        ),
        (
            ["run", "net.json", "--shape", "x=3,8", "--output", "y.npy"],
            "mithril: the model has 2 outputs, and --output is 'y.npy'\n"
            "  help: name one: --output h=y.npy\n",
        ),
        (
            ["run", "net.json", "--constant", "x=abc"],
            "mithril: --constant has the value 'abc', expected a number, true or false\n",
        ),
        (
            ["bench", "net.json", *(f"--shape={text}" for text in BAD_SHAPES)],
            "mithril: --shape gives 'x' 2 times, and another input 3 times\n"
            "  help: give each input once, or as often as the others\n",
        ),
        (
            ["diff", "net.json", "w.npz"],
            "mithril: A is a model as JSON, and B is arrays of NumPy (.npz)\n"
            "  help: give two models, or two files of tensors\n",
        ),
        (
            ["convert", "w.npz", "w.pt"],
            "mithril: arrays of NumPy (.npz) cannot be written as 'w.pt'\n"
            "  help: end the path with .safetensors\n",
        ),
        (
            ["convert", "net.json", "net.pb"],
            "mithril: a model as JSON cannot be written as 'net.pb'\n"
            "  help: end the path with .json, .onnx, .safetensors or .zip, or name a folder\n",
        ),
        (
            ["graph", "net.json"],
            "mithril: missing option --output\n"
            "  help: name the file to write: --output model.html\n",
        ),
        (
            ["graph", "net.json", "--output", "net.png"],
            "mithril: --output is 'net.png'\n  help: end it with .html, .dot, .mmd or .svg\n",
        ),
        (
            ["graph", "net.json", "--output", "net.dot", "--passes"],
            "mithril: --passes is for pages, and --output is 'net.dot'\n"
            "  help: end it with .html\n",
        ),
        (["completion", "fish"], "mithril: SHELL is 'fish', expected bash or zsh\n"),
    ],
)
def test_wrong_usage(folder, arguments, text):
    assert refusal_of(*arguments, folder=folder, status=USAGE) == text


@pytest.mark.parametrize(
    ("contents", "what"),
    [
        (b"", "an empty file"),
        (b"hello\n", "a text"),
        (b"\xff\xd8\xff\xe0", "a binary file of an unknown format"),
    ],
)
def test_files_of_other_kinds(tmp_path, contents, what):
    (tmp_path / "file").write_bytes(contents)
    assert refusal_of("inspect", "file", folder=tmp_path, status=BAD_FILE) == (
        "mithril.InputError[E1350]: file: no command reads this file\n"
        f"  it is    : {what}\n" + READS
    )


@pytest.mark.parametrize("command", ["inspect", "run", "bench", "codegen", "graph"])
def test_a_folder_and_a_missing_file(folder, tmp_path, command):
    arguments = ["--output", "out.dot" if command == "graph" else "out.cpp"]
    arguments = arguments if command in ("codegen", "graph") else []
    assert refusal_of(command, tmp_path, *arguments, folder=folder, status=BAD_FILE) == (
        f"mithril.InputError[E1350]: {tmp_path}: no command reads this file\n"
        "  it is    : a folder\n" + READS
    )
    assert refusal_of(command, "missing", *arguments, folder=folder, status=BAD_FILE) == (
        "mithril.InputError[E0830]: missing: the file cannot be read\n"
        "  why : No such file or directory\n"
    )


@pytest.mark.parametrize("call", [["inspect", "nte.json"], ["diff", "net.json", "nett.json"]])
def test_a_missing_file_is_refused_with_its_nearest_names(folder, call):
    text = refusal_of(*call, folder=folder, status=BAD_FILE)
    assert text == (
        f"mithril.InputError[E0830]: {call[-1]}: the file cannot be read\n"
        "  why : No such file or directory\n"
        "  help: did you mean 'net.json'?\n"
    )
    (folder / "sub").mkdir(exist_ok=True)
    text = refusal_of("inspect", "sub/nte.json", folder=folder, status=BAD_FILE)
    assert "did you mean" not in text


def test_a_file_without_a_model_and_one_without_tensors(folder):
    assert refusal_of("run", "w.npz", folder=folder, status=BAD_FILE) == (
        "mithril.InputError[E1351]: w.npz: this file has no model\n"
        "  it is : arrays of NumPy (.npz)\n"
        "  help: give a model as JSON, as to_json writes it, a package or an ONNX file\n"
    )
    arguments = ["run", "net.json", "--params", "net.json"]
    assert refusal_of(*arguments, folder=folder, status=BAD_FILE) == (
        "mithril.InputError[E1351]: net.json: this file has no tensors by themselves\n"
        "  it is : a model as JSON\n"
        "  help: give a .safetensors, .npz, .npy or .pt file\n"
    )


def test_damaged_files(folder, tmp_path):
    (tmp_path / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:-5])
    assert refusal_of("inspect", "cut.npy", folder=tmp_path, status=BAD_FILE) == (
        "mithril.ParseError[E0745]: cut.npy: the file is cut in the tensor 'array'\n"
        "  expected : 96 bytes\n"
        "  got      : 91 bytes\n"
        "  help: copy or download the file again\n"
    )
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00\x02\x00{}")
    assert refusal_of("inspect", "bad.npy", folder=tmp_path, status=BAD_FILE) == (
        "mithril.ParseError[E0750]: bad.npy: the file is not a .npy file of an array\n"
        "  why : it is an array with a damaged header\n"
    )
    (tmp_path / "bad.json").write_text('{"naem": 1}', encoding="utf-8")
    text = refusal_of("inspect", "bad.json", folder=tmp_path, status=BAD_FILE)
    assert text.startswith(
        "mithril.NameError[E0640]: /: there is no field 'naem'\n  file  : bad.json\n"
    )


def test_a_full_disk_and_a_closed_pipe(folder):
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = run_command("inspect", "net.json", folder=folder, stdout=full)
    assert (ended.returncode, ended.stderr) == (
        BAD_FILE,
        "mithril.InputError[E0831]: standard output: the file cannot be written\n"
        "  why : No space left on device\n",
    )
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = run_command("--help", folder=folder, stdout=writer)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (
        BAD_FILE,
        "mithril.InputError[E0831]: standard output: the file cannot be written\n"
        "  why : Broken pipe\n",
    )


def test_an_output_that_cannot_be_written(folder):
    arguments = ["run", "net.json", "--shape", "x=3,8", "--output", "y=/nonexistent/y.npy"]
    assert refusal_of(*arguments, folder=folder, status=BAD_FILE) == (
        "mithril.InputError[E0831]: /nonexistent/y.npy: the file cannot be written\n"
        "  why : No such file or directory\n"
    )
