"""The native command: its results."""

import shlex
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from command import COMMAND, needs_command, network, object_of, run_command, text_of, write_network

import mithril as ml

pytestmark = needs_command
PAGE = Path(__file__).parents[3] / "docs" / "cli.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """net.json, the package pkg, w.safetensors, w.npz, x.npy, and the expected outputs."""
    folder = tmp_path_factory.mktemp("command")
    _, compiled, params = write_network(folder)
    np.savez(folder / "w.npz", **params)
    x = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", compiled.evaluate(params, {"x": x})["y"])
    return folder


def test_inspect_shows_the_parts_and_their_sums(folder):
    assert text_of("inspect", "net.json", "--shape", "x=3,8", folder=folder) == (
        "net.json: a model as JSON\n\n"
        "port    key  shape\n"
        "input   x    [3, 8]\n"
        "output  y    [3, 4]\n\n"
        "part      class   parameters  operations  bytes\n"
        "linear    Linear         144         768    864\n"
        "relu      Relu             0          48    384\n"
        "linear_1  Linear          68         384    512\n"
        "total                    212       1,200  1,760\n"
    )


def test_tables_escape_control_characters(tmp_path):
    net = ml.Model()
    net |= ml.Relu()(input="a\x1b[31m", output="y")
    (tmp_path / "net.json").write_text(net.to_json())
    text = text_of("inspect", "net.json", folder=tmp_path)
    assert "\x1b" not in text
    assert "input   a\\x1b[31m" in text


def test_inspect_counts_no_open_sizes(folder):
    text = text_of("inspect", "net.json", folder=folder)
    assert "total                      ?           ?      ?\n" in text
    assert text.endswith("?: sizes are open. State them to count: --shape KEY=SIZES\n")


def test_inspect_of_a_package_counts_its_parameters(folder):
    found = object_of("inspect", "pkg", "--ops", folder=folder)
    assert found == {
        "schema": 1,
        "command": "inspect",
        "file": "pkg",
        "kind": "a package",
        "inputs": [{"name": "x", "dtype": "float32", "shape": "[?1, 8]"}],
        "outputs": [{"name": "y", "dtype": "float32", "shape": "[?1, 4]"}],
        "parameters": 212,
        "operations": None,
        "bytes": None,
        "parts": [
            {"path": path, "class": kind, "parameters": count, "operations": None, "bytes": None}
            for path, kind, count in [
                ("linear", "Linear", 144),
                ("relu", "Relu", 0),
                ("linear_1", "Linear", 68),
            ]
        ],
        "ops": {"PrimitiveLinear": 2, "Relu": 1},
    }


def test_inspect_shows_nested_parts_down_to_a_depth(folder, tmp_path):
    outer = ml.Model()
    outer |= network()(x="x", y="y")
    (tmp_path / "outer.json").write_text(outer.to_json(), encoding="utf-8")
    arguments = ["inspect", "outer.json", "--shape", "x=3,8"]
    parts = object_of(*arguments, folder=tmp_path)["parts"]
    assert [part["path"] for part in parts] == [
        "model",
        "model.linear",
        "model.relu",
        "model.linear_1",
    ]
    assert [part["parameters"] for part in parts] == [212, 144, 0, 68]
    shown = object_of(*arguments, "--depth", 1, folder=tmp_path)
    assert [part["path"] for part in shown["parts"]] == ["model"]


@pytest.mark.parametrize("name", ["w.safetensors", "w.npz"])
def test_inspect_lists_tensors(folder, name):
    found = object_of("inspect", name, folder=folder)
    assert (found["elements"], found["bytes"]) == (212, 848)
    assert [tensor["shape"] for tensor in found["tensors"]] == [[16, 8], [16], [4, 16], [4]]
    assert text_of("inspect", name, folder=folder).endswith("212 elements    848\n")


def test_run_computes_what_python_computes(folder, tmp_path):
    made = tmp_path / "made.npy"
    text_of("run", "pkg", "--input", "x=x.npy", "--output", made, folder=folder)
    np.testing.assert_array_equal(np.load(made), np.load(folder / "y.npy"))
    text_of(
        *("run", "net.json", "--params", "w.npz", "--input", "x=x.npy", "--output", f"y={made}"),
        folder=folder,
    )
    np.testing.assert_array_equal(np.load(made), np.load(folder / "y.npy"))


def test_run_draws_what_is_not_given_from_a_seed(folder):
    arguments = ["run", "net.json", "--shape", "x=3,8", "--dtype", "float64", "--seed"]
    first = object_of(*arguments, 1, folder=folder)
    assert first == object_of(*arguments, 1, folder=folder)
    assert first != object_of(*arguments, 2, folder=folder)
    (output,) = first["outputs"]
    assert list(output) == ["name", "dtype", "shape", "min", "mean", "max", "not_finite"]
    assert (output["dtype"], output["shape"], output["not_finite"]) == ("float64", [3, 4], 0)


def test_run_fixes_constants(tmp_path):
    x, scale = ml.IOKey("x"), ml.IOKey("scale")
    (tmp_path / "net.json").write_text(ml.Model.create(y=x * scale).to_json(), encoding="utf-8")
    np.save(tmp_path / "x.npy", np.array([1, 2], np.float32))
    found = object_of(
        *("run", "net.json", "--input", "x=x.npy", "--constant", "scale=3"), folder=tmp_path
    )
    assert (found["outputs"][0]["min"], found["outputs"][0]["max"]) == (3, 6)


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3)])
def test_npy_files_pass_through_a_model(tmp_path, dtype, shape):
    kind = {"b": bool, "i": int, "f": float}[np.dtype(dtype).kind]
    model = ml.Model.create(y=ml.Buffer()(ml.IOKey("x", type=ml.Tensor[kind])))
    (tmp_path / "net.json").write_text(model.to_json(), encoding="utf-8")
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    np.save(tmp_path / "x.npy", values)
    arguments = ["--dtype", dtype] if dtype.startswith("float") else []
    text_of(
        *("run", "net.json", "--input", "x=x.npy", "--output", "y.npy", *arguments),
        folder=tmp_path,
    )
    made = np.load(tmp_path / "y.npy")
    assert made.shape == shape
    np.testing.assert_array_equal(made, values)


@pytest.mark.parametrize("name", ["float8_e5m2", "float4_e2m1fn", "int4", "uint2"])
def test_npy_files_of_few_bits_pass_through_a_model(tmp_path, name):
    dtype = getattr(ml_dtypes, name)
    x = ml.IOKey("x", type=ml.Tensor[ml.dtype(name)])
    model = ml.Model.create(y=ml.Buffer()(x))
    (tmp_path / "net.json").write_text(model.to_json(), encoding="utf-8")
    values = np.array([0, -1, 1.5, 1]).astype(dtype)
    np.save(tmp_path / "x.npy", values)
    text_of("run", "net.json", "--input", "x=x.npy", "--output", "y.npy", folder=tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy").view(dtype), values)


def test_bench_times_each_shape(folder):
    arguments = ["bench", "net.json", "--shape", "x=1,8", "--shape", "x=64,8", "--runs", 5]
    found = object_of(*arguments, folder=folder)
    assert [timing["shapes"] for timing in found["timings"]] == ["x=1,8", "x=64,8"]
    for timing in found["timings"]:
        assert timing["runs"] == 5
        assert 0 < timing["min_ms"] <= timing["median_ms"] <= timing["p90_ms"] <= timing["max_ms"]
    assert [timing["operations"] for timing in found["timings"]] == [400, 25600]
    csv = text_of(*arguments, "--format", "csv", folder=folder)
    assert [line.count(",") for line in csv.splitlines()] == [11, 12, 12]  # "x=1,8" is quoted
    markdown = text_of(*arguments, "--format", "markdown", folder=folder)
    assert len(markdown.splitlines()) == 4


def test_bench_compares_with_the_peak_of_the_machine(folder):
    arguments = ["bench", "net.json", "--shape", "x=1,8", "--runs", 3]
    found = object_of(*arguments, folder=folder)
    assert found["peak_operations_per_second"] > 0 and found["peak_bytes_per_second"] > 0
    (timing,) = found["timings"]
    assert timing["share_of_peak"] > 0 and timing["run_bytes"] > 0 and "ops" not in timing
    assert "\npeak of this machine, measured now: " in text_of(*arguments, folder=folder)


def test_bench_shows_how_the_time_is_spread_over_the_ops(folder):
    arguments = ["bench", "net.json", "--shape", "x=1,8", "--runs", 3, "--ops"]
    (timing,) = object_of(*arguments, folder=folder)["timings"]
    assert all(row["calls"] % 3 == 0 and row["ms"] >= 0 for row in timing["ops"])
    assert sum(row["operations"] for row in timing["ops"]) == 3 * timing["operations"]
    text = text_of(*arguments, folder=folder)
    assert "\nx=1,8\nops" in text and "\nevaluate, between steps" in text
    csv = text_of(*arguments, "--format", "csv", folder=folder).split("\n\n")
    assert csv[1].startswith('shapes,ops,calls,time ms,operations,bytes,threads\n"x=1,8",')
    markdown = text_of(*arguments, "--format", "markdown", folder=folder).split("\n\n")
    assert markdown[1].startswith("| shapes | ops |") and "\n| x=1,8 | linear" in markdown[1]


def test_diff_finds_equal_files(folder):
    assert text_of("diff", "w.npz", "w.safetensors", folder=folder) == "equal\n"
    assert text_of("diff", "pkg", "pkg", folder=folder) == "equal\n"


def test_diff_names_what_differs(folder, tmp_path):
    weights = dict(np.load(folder / "w.npz"))
    weights["linear.bias"] = weights["linear.bias"] + np.float32(0.5)
    weights["new"] = weights.pop("linear_1.bias")
    ml.save(tmp_path / "other.safetensors", weights)
    arguments = ["diff", "w.safetensors", tmp_path / "other.safetensors"]
    ended = run_command(*arguments, folder=folder)
    assert (ended.returncode, ended.stdout) == (
        1,
        "what      name           a                  b\n"
        "tensor    linear_1.bias  float32[4]         -\n"
        "tensor    new            -                  float32[4]\n"
        "elements  linear.bias    max |a - b| = 0.5\n",
    )
    del weights["new"]
    weights["linear_1.bias"] = np.load(folder / "w.npz")["linear_1.bias"]
    ml.save(tmp_path / "other.safetensors", weights)
    assert text_of(*arguments, "--tolerance", 0.6, folder=folder) == "equal\n"


def test_diff_compares_models(folder, tmp_path):
    other = ml.Model()
    other |= ml.Linear(16)(input="x", output="h")
    other |= ml.Gelu()(input="h", output="a")
    other |= ml.Linear(4)(input="a", output="y")
    other.expose_keys("y")
    (tmp_path / "other.json").write_text(other.to_json(), encoding="utf-8")
    ended = run_command("diff", "net.json", tmp_path / "other.json", folder=folder)
    assert (ended.returncode, ended.stdout) == (
        1,
        "what  name  a     b\npart  relu  Relu  -\npart  gelu  -     Gelu\n",
    )


def test_diff_finds_another_option(tmp_path):
    for name, slope in [("a", 0.1), ("b", 0.2)]:
        model = ml.Model()
        model |= ml.LeakyRelu()(input="x", slope=slope, output="y")
        (tmp_path / f"{name}.json").write_text(model.to_json(), encoding="utf-8")
    ended = run_command("diff", "a.json", "b.json", folder=tmp_path)
    assert ended.returncode == 1
    assert "an option, a connection or a statement" in ended.stdout


def test_convert_writes_each_form(folder, tmp_path):
    def convert(source, target, *arguments):
        made = object_of("convert", source, tmp_path / target, *arguments, folder=folder)
        return [path.removeprefix(f"{tmp_path}/") for path in made["written"]]

    assert convert("w.npz", "w.safetensors") == ["w.safetensors"]
    assert text_of("diff", "w.npz", tmp_path / "w.safetensors", folder=folder) == "equal\n"
    assert convert("pkg", "back.json") == ["back.json", "back.safetensors"]
    assert convert("pkg", "only.safetensors") == ["only.safetensors"]
    assert convert("pkg", "copy.zip") == ["copy.zip"]
    assert text_of("diff", "pkg", tmp_path / "copy.zip", folder=folder) == "equal\n"
    made = ["--params", tmp_path / "back.safetensors"]
    assert convert(tmp_path / "back.json", "again", *made) == ["again"]
    assert text_of("diff", "pkg", tmp_path / "again", folder=folder) == "equal\n"


def test_convert_writes_an_onnx_file(folder, tmp_path):
    path = tmp_path / "net.onnx"
    arguments = ["convert", "pkg", path, "--opset", "17"]
    assert object_of(*arguments, folder=folder)["written"] == [str(path)]
    model, params, _ = ml.from_onnx(path)
    x = np.ones((3, 8), np.float32)
    compiled = ml.compile(model, ml.CpuBackend())
    assert compiled.evaluate(params, {"x": x})["y"].shape == (3, 4)


def test_codegen_writes_a_program(folder, tmp_path):
    for name in ["net.cpp", "net.py", "net.mjs"]:
        path = tmp_path / name
        arguments = ["codegen", "net.json", "--output", path, "--shape", "x=3,8"]
        assert text_of(*arguments, folder=folder) == f"wrote {path}\n"
        assert path.stat().st_size > 0
    assert "net_evaluate" in (tmp_path / "net.cpp").read_text(encoding="utf-8")


def test_doctor_says_what_is_there(folder):
    found = {each["what"]: each for each in object_of("doctor", folder=folder)["findings"]}
    assert found["mithril"]["found"] == ml.__version__
    assert found["Python"]["found"] == sys.executable
    assert set(found) >= {"processor", "instructions", "threads", "memory", "cache", "torch"}


def test_a_command_of_python_needs_python(folder, tmp_path):
    variables = {"MITHRIL_PYTHON": None, "VIRTUAL_ENV": None, "PATH": str(tmp_path)}
    call = ["verify", "net.json", "--backends", "cpu", "torch"]
    ended = run_command(*call, folder=folder, **variables)
    assert (ended.returncode, ended.stderr) == (
        4,
        "mithril: `mithril verify` needs Python, and none was found\n"
        "  help: install Python 3.10 or newer and mithril-cpp in it, or set MITHRIL_PYTHON\n",
    )


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_names_every_command(folder, shell):
    text = text_of("completion", shell, folder=folder)
    for command in ["inspect", "run", "bench", "diff", "convert", "graph", "doctor", "serve"]:
        assert command in text


def test_bash_completes(folder):
    script = f"""
        eval "$('{COMMAND}' completion bash)"
        complete_words() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mithril; }}
        complete_words mithril ins; echo "${{COMPREPLY[@]}}"
        complete_words mithril run --in; echo "${{COMPREPLY[@]}}"
        complete_words mithril run --dtype b; echo "${{COMPREPLY[@]}}"
        complete_words mithril inspect net; echo "${{COMPREPLY[@]}}"
    """
    shell = ["bash", "--norc", "-c", script]
    ended = subprocess.run(shell, cwd=folder, capture_output=True, text=True, check=True)
    assert ended.stdout == "inspect\n--input\nbfloat16\nnet.json\n"


def commands_of_page():
    """The commands of docs/cli.md that show their output, in order."""
    block: list[str] = []
    for line in [*PAGE.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("    $ mithril "):
            if block:
                yield block
            block = [line]
        elif block and (line.startswith("    ") or not line):
            block.append(line)
        elif block:
            yield block
            block = []


def test_the_page_shows_what_commands_print(folder):
    shown = list(commands_of_page())
    assert len(shown) > 5
    for head, *lines in shown:
        expected = "\n".join(line[4:] for line in lines).rstrip("\n") + "\n"
        assert text_of(*shlex.split(head)[2:], folder=folder) == expected


def test_the_reference_of_the_page_is_up_to_date(folder):
    assert PAGE.read_text(encoding="utf-8").endswith(text_of("manual", "markdown", folder=folder))
