"""`mithril verify` and packages say what another kind of file is."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mithril.__main__ import main
from mithril.packages.file_kinds import JSON_MODEL, kind_of_path

import mithril as ml

WEIGHTS = {"w": np.ones((2, 3), np.float32)}


def npz() -> bytes:
    file = io.BytesIO()
    np.savez(file, w=np.ones(2))
    return file.getvalue()


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.ones(2))
    return file.getvalue()


def safetensors(folder: Path) -> bytes:
    ml.save_safetensors(folder / "w", WEIGHTS)
    return (folder / "w").read_bytes()


FILES: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "m.json": (lambda _: ml.Linear(2).to_json().encode(), "a model as JSON"),
    "other.json": (lambda _: b'{"a": 1}', "JSON"),
    "w.safetensors": (safetensors, "a safetensors file: tensors without a model"),
    "a.npz": (lambda _: npz(), "arrays of NumPy (.npz)"),
    "a.npy": (lambda _: npy(), "an array of NumPy (.npy)"),
    "a.gz": (lambda _: gzip.compress(b"a"), "a compressed file (gzip)"),
    "m.onnx": (lambda _: b"\x08\x07\x12\x07pytorch\xff", "an ONNX model"),
    "m.cpp": (lambda _: b"int main() {}", "C++ source"),
    "notes": (lambda _: b"hello", "a text"),
    "nothing": (lambda _: b"", "an empty file"),
    "noise": (lambda _: b"\xfe\xfd\xfc", "a binary file of an unknown format"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_package_is_named(name: str, tmp_path: Path) -> None:
    make, expected = FILES[name]
    path = tmp_path / name
    path.write_bytes(make(tmp_path))
    assert kind_of_path(path).text == expected
    with pytest.raises(ml.InputError) as caught:
        ml.load_package(path)
    assert str(caught.value).startswith(
        f"mithril.InputError[E0860]: {path}: this is not a package\n"
        f"  it is : {expected}\n  why   : "
    )


@pytest.mark.parametrize("name", ["w.safetensors", "a.npz", "a.npy", "a.gz", "noise"])
def test_verify_names_the_kind_of_a_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, expected = FILES[name]
    path = tmp_path / name
    path.write_bytes(make(tmp_path))
    assert main(["verify", str(path)]) == 3
    assert (
        f"{path}: this is not a model as JSON, a package or an ONNX file\n  it is : {expected}\n"
        in capsys.readouterr().err
    )


def test_an_onnx_model_is_not_a_package_but_can_be_converted(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(b"\x08\x07\x12\x07pytorch\xff")
    with pytest.raises(ml.InputError, match="E0860") as caught:
        ml.load_package(path)
    assert caught.value.help == "ml.from_onnx(path) makes a model of it"


def test_a_folder_that_is_no_package_is_named(tmp_path: Path) -> None:
    assert kind_of_path(tmp_path).text == "an empty folder"
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ml.InputError, match="it is : a folder of Hugging Face") as caught:
        ml.load_package(tmp_path)
    assert "`mithril package create" in caught.value.help


def test_a_package_is_one(tmp_path: Path) -> None:
    path = tmp_path / "p.zip"
    model = ml.Linear(2)
    ml.save_package(
        path, model, ml.compile(model, ml.CpuBackend(), shapes={"input": [1, 2]}).get_parameters()
    )
    assert kind_of_path(path).text == "a package"
    cut = tmp_path / "cut.zip"
    cut.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ml.ParseError, match="E0767"):
        ml.load_package(cut)


def test_a_checkpoint_of_torch_is_named(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt")
    assert kind_of_path(tmp_path / "a.pt").text == "a file of torch.save"


def test_verify_asks_for_sizes_of_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.json"
    path.write_text(ml.Linear(2).to_json())
    assert kind_of_path(path) == JSON_MODEL
    assert main(["verify", str(path)]) == 2
    assert "help: state the sizes of inputs: --shape input=8,4" in capsys.readouterr().err
