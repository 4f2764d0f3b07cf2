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
    files = [tensors, OrderedDict(tensors), {"model": tensors, "epoch": 3, "names": ["a"]}]
    for i, saved in enumerate(files):
        torch.save(saved, tmp_path / f"{i}.pt")
        loaded = ml.load(tmp_path / f"{i}.pt").params
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


def test_types_without_a_storage_class_are_read(tmp_path):
    values = torch.linspace(-3, 3, 24).reshape(4, 6)
    tensors = {
        "float8": values.to(torch.float8_e4m3fn),
        "transposed": values.to(torch.float8_e5m2).T,
        "uint16": torch.arange(60000, 60005, dtype=torch.int32).to(torch.uint16),
    }
    torch.save(tensors, tmp_path / "file.pt")
    loaded = ml.load(tmp_path / "file.pt").params
    for key, tensor in tensors.items():
        wanted = tensor.to(torch.float32).numpy()
        assert (np.asarray(loaded[key]).astype(np.float32) == wanted).all()
    assert loaded["transposed"].dtype == ml.float8_e5m2
    assert loaded["uint16"].dtype == np.uint16


def test_tied_tensors_have_elements_of_their_own(tmp_path):
    tied = torch.arange(6.0)
    torch.save({"a": tied, "b": tied, "c": tied[2:]}, tmp_path / "file.pt")
    loaded = ml.load(tmp_path / "file.pt").params
    loaded["a"][:] = 7
    loaded["b"][:] = 8
    assert (loaded["a"] == 7).all()
    assert (loaded["c"] == np.arange(2, 6)).all()


class Calls:
    """An object whose pickle calls a function."""

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
        "  why : Mithril has no elements of this type"
    )


def test_a_damaged_file_of_torch_is_refused(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(b"no zip")
    assert refusal(path) == (
        "mithril.ParseError[E0751]: model.pt: the file is not a .pt file\n"
        "  why : it is not a zip archive"
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
                assert error.code in ("E0748", "E0751", "E0752", "E0753", "E0754")
            except ml.NameError as error:  # a NUL in a name
                assert error.code == "E0622"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("model/data.pkl", pickled)
        made.writestr("model/data/0", elements[:-4])
    assert refusal(path) == (
        "mithril.ParseError[E0754]: model.pt: the tensor 'a' is not inside of its storage\n"
        "  stored : float32[2, 3] with the strides [3, 1] at the element 0\n"
        "  got    : 20 bytes\n"
        "  help: copy or download the file again"
    )


@pytest.mark.slow
def test_a_cut_file_of_torch_names_the_tensor_that_is_cut(tmp_path):
    tensors = {"first": torch.ones(40), "second": torch.ones(3, 50), "third": torch.ones(20)}
    torch.save(tensors, tmp_path / "whole.pt")
    whole = (tmp_path / "whole.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "whole.pt") as read:
        starts = [read.getinfo(f"whole/data/{i}").header_offset for i in range(3)]
    named = []
    for length in range(len(whole)):
        (tmp_path / "cut.pt").write_bytes(whole[:length])
        text = refusal(tmp_path / "cut.pt")
        assert "[E0745]" in text or "[E0751]" in text
        inside = [i for i in range(3) if length > starts[i]]
        if inside and "E0745" in text:
            named.append(text.split("'")[1])
    assert set(named) == set(tensors)
    (tmp_path / "cut.pt").write_bytes(whole[: starts[1] + 400])
    text = refusal(tmp_path / "cut.pt")
    assert text.startswith(
        "mithril.ParseError[E0745]: cut.pt: the file is cut in the tensor 'second'\n"
        "  stored : float32[3, 50] with the strides [50, 1] at the element 0\n"
    )
