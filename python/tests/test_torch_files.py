"""Files that torch.save wrote, read without torch; and files that are not plain data."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")


def as_numpy(array):
    return np.frombuffer(array._bytes(), np.uint16) if hasattr(array, "_bytes") else array


def test_the_tensors_that_torch_saves_are_read(tmp_path):
    generator = torch.Generator().manual_seed(1)
    base = torch.randn(6, 5, generator=generator)
    tensors = {
        "float32": base,
        "transposed": base.T,
        "slice": base[1:4, ::2],
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 3),
        "parameter": torch.nn.Parameter(base.clone()),
        "bfloat16": base.bfloat16(),
    }
    for dtype in (torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.int8,
                  torch.uint8, torch.bool):  # fmt: skip
        tensors[str(dtype)] = (base * 50).to(dtype)
    for saved in (tensors, OrderedDict(tensors), {"model": tensors, "epoch": 3, "names": ["a"]}):
        torch.save(saved, tmp_path / "file.pt")
        loaded = ml.load(tmp_path / "file.pt").params
        prefix = "model." if "model" in saved else ""
        assert list(loaded) == [prefix + key for key in tensors]
        for key, tensor in tensors.items():
            wanted = tensor.detach().contiguous()
            wanted = wanted.view(torch.uint16).flatten() if key == "bfloat16" else wanted
            got = as_numpy(loaded[prefix + key])
            assert got.dtype == wanted.numpy().dtype
            assert (got == wanted.numpy()).all()
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    torch.save(module.state_dict(), tmp_path / "file.pth")
    loaded = ml.load(tmp_path / "file.pth").params
    assert list(loaded) == list(module.state_dict())


class Calls:
    """Its pickle calls a function."""

    def __reduce__(self):
        return os.system, ("exit 1",)


def refusal(path):
    with pytest.raises(ml.ParseError) as caught:
        ml.load(path)
    return str(caught.value).replace(f"{path.parent}/", "")


def archive(path: Path, pickled: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("archive/data.pkl", pickled)
    return path


def test_a_pickle_that_is_not_plain_data_is_refused(tmp_path):
    path = tmp_path / "model.pt"
    torch.save({"a": torch.ones(2), "b": Calls()}, path)
    assert refusal(path) == (
        f"mithril.ParseError[E0753]: model.pt: the pickle calls {os.name}.system\n"
        "  why : no code of a file runs"
    )
    torch.save(torch.nn.Linear(2, 2), path)
    assert "E0752" in refusal(path) or "E0753" in refusal(path)
    assert refusal(archive(path, pickle.dumps({1, 2}, 4))) == (
        "mithril.ParseError[E0752]: model.pt: the pickle has the opcode EMPTY_SET\n"
        "  why : it is not plain data"
    )
    torch.save({"a": torch.ones(2, dtype=torch.complex64)}, path)
    assert refusal(path) == (
        "mithril.ParseError[E0753]: model.pt: the pickle names torch.ComplexFloatStorage\n"
        "  why : Mithril has no such elements"
    )


def test_a_damaged_file_of_torch_is_refused(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"no zip")
    assert refusal(path) == (
        "mithril.ParseError[E0751]: model.pt: the file is no .pt file\n"
        "  why : File is not a zip file"
    )
    torch.save({"a": torch.arange(6.0).reshape(2, 3)}, path)
    whole = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as read:
        pickled = read.read("model/data.pkl")
        elements = read.read("model/data/0")
    for i in range(len(pickled)):
        for change in (0, 1, 255):
            changed = pickled[:i] + bytes([pickled[i] ^ change ^ 37]) + pickled[i + 1 :]
            with zipfile.ZipFile(path, "w") as made:
                made.writestr("model/data.pkl", changed)
                made.writestr("model/data/0", elements)
            try:
                ml.load(path)
            except ml.ParseError as error:
                assert error.code in ("E0751", "E0752", "E0753", "E0754")
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("model/data.pkl", pickled)
        made.writestr("model/data/0", elements[:-4])
    assert refusal(path) == (
        "mithril.ParseError[E0754]: model.pt: a tensor is not inside of its storage\n"
        "  why : (2, 3) at 0"
    )
    path.write_bytes(whole[: len(whole) // 2])
    assert "E0751" in refusal(path)
