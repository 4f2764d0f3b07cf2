"""Writing, reading and refusing packages in Python, and the command line."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from package_models import X, answer, model, params, save
from processes import environment

import mithril as ml


def test_a_package_is_loaded_and_run_in_one_line(tmp_path: Path) -> None:
    save(tmp_path / "p")
    outputs = ml.load_package(tmp_path / "p").compile(ml.CpuBackend()).evaluate({}, {"x": X})
    np.testing.assert_allclose(outputs["y"], answer(), atol=1e-6)


def test_unbound_parameters_are_read_from_the_file(tmp_path: Path) -> None:
    package = ml.load_package(save(tmp_path / "p"), verify="lazy")
    compiled = package.compile(bind=False)
    np.testing.assert_array_equal(compiled.evaluate(package.params, {"x": X})["y"], answer())
    assert all(not array.flags.writeable for array in package.params.values())


def test_a_package_describes_itself(tmp_path: Path) -> None:
    path = save(
        tmp_path / "p",
        name="net",
        revision="7",
        model_type="mlp",
        family="EncoderOnly",
        licence="Apache-2.0",
        source="a test",
        sizes={"hidden_size": 3},
        assets={"a/b.txt": b"text"},
        backends={"cpu": {"options": {"threads": 2}, "files": {"x.bin": b"\0"}}},
    )
    package = ml.load_package(path, "cpu")
    info = package.info
    assert info[:2] + info[3:8] == (
        "net",
        "7",
        "mlp",
        "EncoderOnly",
        "Apache-2.0",
        "a test",
        ["cpu"],
    )
    assert info.inputs == [("x", ml.float32, ["N", 4])]
    assert info.outputs == [("y", ml.float32, ["N", 2])]
    assert info.sizes == {"hidden_size": 3, "parameters": 23, "parameter_bytes": 92}
    assert package.model == model()
    assert package.state == {}
    assert package.assets == ["a/b.txt"]
    assert package.file("a/b.txt") == b"text"
    assert package.backend_options("cpu") == {"threads": 2}
    assert package.backend_options("torch") == {}
    assert repr(package) == "<Package net 7: mlp of x>"
    assert package.path == str(path)


def test_a_package_lists_every_backend_that_can_run_it(tmp_path: Path) -> None:
    package = ml.load_package(save(tmp_path / "p"))
    assert package.info.backends == ["cpu", "torch", "jax"]
    pytest.importorskip("jax", reason="jax is not installed")
    outputs = package.compile(ml.JaxBackend()).evaluate({}, {"x": X})
    np.testing.assert_allclose(outputs["y"], answer(), atol=1e-6)


def test_ops_that_are_made_of_others_run_on_every_backend(tmp_path: Path) -> None:
    net = ml.Model()
    net |= ml.Linear(2)(input=ml.IOKey("x", shape=["N", 4]))
    net += ml.IsNan()(output="y")
    compiled = ml.compile(net, ml.CpuBackend(), inference=True)
    ml.save_package(tmp_path / "p", net, compiled.get_parameters())
    package = ml.load_package(tmp_path / "p")
    assert package.info.backends == ["cpu", "torch", "jax"]
    outputs = package.compile(ml.CpuBackend()).evaluate({}, {"x": X})
    np.testing.assert_array_equal(outputs["y"], np.zeros((2, 2), bool))


def shapeless() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="y")
    return net


@pytest.mark.parametrize("rows", ["N", None, 2])
def test_the_shapes_of_compile_are_kept(tmp_path: Path, rows: str | int | None) -> None:
    shapes = {"x": [rows, 4]}
    compiled = ml.compile(shapeless(), ml.CpuBackend(), shapes=shapes)
    ml.save_package(tmp_path / "p", compiled, compiled.get_parameters())
    ml.save_package(tmp_path / "q", shapeless(), compiled.get_parameters(), shapes=shapes)
    for name in ("p", "q"):
        package = ml.load_package(tmp_path / name)
        assert package.info.inputs == [("x", ml.float32, [rows, 4])]
        assert package.info.outputs == [("y", ml.float32, [rows, 2])]
        assert package.compile().shapes["x"] == [rows, 4]
        assert package.compile().evaluate({}, {"x": X})["y"].shape == (2, 2)


def test_the_data_keys_and_outputs_of_compile_are_kept(tmp_path: Path) -> None:
    x, scale = ml.IOKey("x"), ml.IOKey("scale", type=ml.Tensor[float])
    model = ml.Model.create(y=x * scale, z=x + scale)
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x", "scale"], outputs=["y"])
    ml.save_package(tmp_path / "p", compiled, {})
    info = ml.load_package(tmp_path / "p").info
    assert [port.name for port in info.inputs] == ["x", "scale"]
    assert [port.name for port in info.outputs] == ["y"]


def test_a_bound_model_is_no_model_to_save(tmp_path: Path) -> None:
    compiled = ml.compile(model(), ml.CpuBackend())
    with pytest.raises(ml.TypeError) as caught:
        ml.save_package(tmp_path / "p", compiled.bind(params()), {})
    assert caught.value.code == "E0395"
    with pytest.raises(ml.TypeError) as caught:
        ml.save_package(tmp_path / "p", compiled.in_inference(outputs=["y"]), params())
    assert caught.value.code == "E0395"


def test_a_compiled_model_is_saved_before_its_model_changes(tmp_path: Path) -> None:
    net = model()
    compiled = ml.compile(net, ml.CpuBackend())
    ml.save_package(tmp_path / "p", compiled, params())
    net |= ml.Tanh()(input="y", output="z")
    with pytest.raises(ml.InputError) as caught:
        ml.save_package(tmp_path / "p", compiled, params())
    assert str(caught.value) == (
        "mithril.InputError[E0821]: a compiled model cannot be saved after its model has changed\n"
        "  help: compile the model again"
    )
    assert [port.name for port in ml.load_package(tmp_path / "p").info.outputs] == ["y"]


def test_a_bound_model_outlives_its_package(tmp_path: Path) -> None:
    compiled = ml.load_package(save(tmp_path / "p")).compile(ml.CpuBackend())
    save(tmp_path / "p", seed=1)  # replaces the files
    np.testing.assert_allclose(compiled.evaluate({}, {"x": X})["y"], answer(), atol=1e-6)


def test_the_checksums_are_those_of_hashlib(tmp_path: Path) -> None:
    big = np.random.default_rng(0).bytes(1_000_003)
    package = ml.load_package(save(tmp_path / "p", assets={"big": big}))
    listed = json.loads((tmp_path / "p" / "metadata.json").read_text())["files"]
    names = {path.name for path in (tmp_path / "p").iterdir()} - {"metadata.json"}
    assert {file.name for file in package.files} == set(listed) == names
    for file in package.files:
        contents = (tmp_path / "p" / file.name).read_bytes()
        assert file.sha256 == hashlib.sha256(contents).hexdigest()
        assert file.bytes == len(contents)


def test_a_zip_file_is_one_that_others_read(tmp_path: Path) -> None:
    save(tmp_path / "p.zip", assets={"tokenizer.json": b"{}"})
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        assert archive.testzip() is None
        assert "metadata.json" in archive.namelist()
        archive.extractall(tmp_path / "p")
    for path in (tmp_path / "p", tmp_path / "p.zip"):
        compiled = ml.load_package(path).compile()
        np.testing.assert_allclose(compiled.evaluate({}, {"x": X})["y"], answer(), atol=1e-6)
    with zipfile.ZipFile(tmp_path / "q.zip", "w", zipfile.ZIP_STORED) as archive:
        for path in (tmp_path / "p").iterdir():
            archive.write(path, path.name)
    assert ml.load_package(tmp_path / "q.zip").file("tokenizer.json") == b"{}"


def test_a_state_is_kept(tmp_path: Path) -> None:
    net = ml.Model()
    net |= ml.BatchNorm1D()(input=ml.IOKey("x", shape=["N", 4]), output="y")
    compiled = ml.compile(net, ml.CpuBackend())
    state = {key: array + 2 for key, array in compiled.initial_state_dict.items()}
    weights = compiled.get_parameters()
    ml.save_package(tmp_path / "p", net, weights, state=state)
    package = ml.load_package(tmp_path / "p")
    assert package.state.keys() == state.keys()
    for key, array in state.items():
        np.testing.assert_array_equal(package.state[key], array)
    expected = compiled.bind(weights, state).evaluate({}, {"x": X})["y"]
    np.testing.assert_array_equal(package.compile().evaluate({}, {"x": X})["y"], expected)


def test_torch_runs_a_package(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    package = ml.load_package(save(tmp_path / "p"), ml.TorchBackend())
    got = package.compile().evaluate({}, {"x": X})["y"]
    np.testing.assert_allclose(np.asarray(got), answer(), rtol=1e-5)


# A request of a package that is mapped, bound, in an archive, or served by an engine, in turn.
MEMORY = """
import gc, sys
import mithril as ml
from package_models import X

def resident():
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("RssAnon"))) * 1024

engine = ml.Engine()

def cycle(i):
    package = ml.load_package(sys.argv[1 + i % 2])
    if i % 4 == 0:
        package.compile(bind=False).evaluate(package.params, {"x": X})
        return
    if i % 4 == 1:
        package.compile().evaluate({}, {"x": X})
        return
    engine.register_model("net", package, max_batch_size=1 + i % 3, max_delay=0.0)
    engine.infer("net", {"x": X})
    engine.unload("net")

def cycles(count):
    for i in range(count):
        cycle(i)
    gc.collect()

cycles(100)
before = resident()
cycles(500)
print(resident() - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_over_500_cycles_of_load_answer_and_unload(tmp_path: Path) -> None:
    paths = [save(tmp_path / "p"), save(tmp_path / "p.zip")]
    printed = subprocess.run(
        [sys.executable, "-c", MEMORY, *paths],
        env=environment(PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), *sys.path])),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert int(printed) < 5_000_000


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.Package("p")
    assert caught.value.code == "E0397"
    with pytest.raises(ml.NameError) as caught:
        ml.load_package(save(tmp_path / "p"), verify="ful")
    assert str(caught.value).startswith("mithril.NameError[E0605]: there is no way to verify 'ful'")
    with pytest.raises(ml.BackendError) as caught:
        ml.load_package(tmp_path / "p", "cuda")
    assert caught.value.code == "E1040"
    with pytest.raises(ml.NameError) as caught:
        save(tmp_path / "q", backends={"cpu": {"option": {}}})
    assert caught.value.code == "E0605"
    with pytest.raises(ml.InputError) as caught:
        ml.save_package(tmp_path / "q", model(), {**params(), "w": np.ones(2, np.float32)})
    assert caught.value.code == "E0862"
    assert os.listdir(tmp_path) == ["p"]


def command(*arguments: object, status: int = 0) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "mithril", "package", *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stderr
    return result.stdout if status == 0 else result.stderr


def test_inspect_verify_and_extract(tmp_path: Path) -> None:
    path = save(tmp_path / "p", name="net", revision="7", licence="MIT")
    lines = command("inspect", path).splitlines()
    assert lines[0].split() == ["package", "net", "7"]
    assert ["input", "x:", "float32[N,", "4]"] in [line.split() for line in lines]
    fields = json.loads(command("inspect", "--json", path))
    assert fields["inputs"] == [{"name": "x", "dtype": "float32", "dims": ["N", 4]}]
    assert fields["licence"] == "MIT"

    command("extract", path, tmp_path / "p.zip")
    command("extract", tmp_path / "p.zip", tmp_path / "again")
    assert "all checksums match" in command("verify", tmp_path / "again", tmp_path / "p.zip")
    for file in path.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()

    weights = tmp_path / "again" / "model.safetensors"
    contents = bytearray(weights.read_bytes())
    contents[-1] ^= 1
    weights.write_bytes(contents)
    refused = command("verify", tmp_path / "again", status=3)
    assert refused.startswith("mithril.ParseError[E0766]: ")
    assert str(weights) in refused


def test_create_refuses_files_that_are_no_checkpoint(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    from mithril.packages.huggingface import create_package  # noqa: PLC0415

    with pytest.raises(ml.InputError) as caught:
        create_package("", "p")
    assert str(caught.value).startswith(
        "mithril.InputError[E0864]: config.json: the folder is not a checkpoint of Hugging Face"
    )
    (tmp_path / "config.json").write_text('{"model_type": "bert2"}')
    with pytest.raises(ml.NameError) as caught:
        create_package(tmp_path, "p")
    assert str(caught.value).startswith(
        "mithril.NameError[E0627]: there is no architecture 'bert2'"
    )
