"""Identifies the contents of a file or folder, for errors about a path of the wrong kind."""

from __future__ import annotations

import codecs
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

from .. import _core


class FileKind(NamedTuple):
    """A kind of file, and advice on what to do with one."""

    text: str
    advice: str = ""


LOAD = "ml.load(path) reads its tensors"
EXPORTED = "it is written for other programs: Model.to_json and ml.save_package write models"
DAMAGED = FileKind("a damaged .zip file")
MAGIC = {
    b"\x93NUMPY": FileKind("an array of NumPy (.npy)", "numpy.load reads it"),
    b"\x1f\x8b": FileKind("a compressed file (gzip)", "decompress it first"),
    b"\x28\xb5\x2f\xfd": FileKind("a compressed file (zstd)", "decompress it first"),
    b"\x89HDF": FileKind("an HDF5 file, as Keras writes", "save the weights as .safetensors there"),
    b"GGUF": FileKind("a GGUF file", "load the .safetensors files of the same model"),
    b"\x7fELF": FileKind("a program or a shared library"),
    b"\x00asm": FileKind("a WebAssembly module", EXPORTED),
    b"\x80\x02": FileKind("a pickle, as older releases of PyTorch write", LOAD),
    b"PK": DAMAGED,
    b"%PDF": FileKind("a PDF document"),
    b"\x89PNG": FileKind("a picture"),
    b"\xff\xd8\xff": FileKind("a picture"),
}
ENDINGS = {
    ".onnx": FileKind("an ONNX model", "ml.from_onnx(path) makes a model of it"),
    ".cpp": FileKind("C++ source", EXPORTED),
    ".py": FileKind("Python source", EXPORTED),
    ".mjs": FileKind("JavaScript source", EXPORTED),
    ".js": FileKind("JavaScript source", EXPORTED),
}
PACKAGE = FileKind("a package")
JSON_MODEL = FileKind("a model as JSON", "ml.Model.from_json reads its text")


def kind_of_path(path: Path) -> FileKind:
    """Returns the kind of an existing file or folder, by its first bytes, entries and suffix."""
    if path.is_dir():
        return _kind_of_folder(path)
    if zipfile.is_zipfile(path):
        return _kind_of_zip(path)
    with path.open("rb") as file:
        head = file.read(4096)
    is_safetensors = head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 27
    if is_safetensors:
        return FileKind("a safetensors file: tensors without a model", LOAD)
    known = [kind for magic, kind in MAGIC.items() if head.startswith(magic)]
    return known[0] if known else ENDINGS.get(path.suffix) or _kind_of_text(head)


def is_hugging_face(path: Path) -> bool:
    """Returns whether the path is a folder with config.json that is not a package."""
    return os.path.isfile(path / "config.json") and not os.path.isfile(path / "metadata.json")


def contents_of(path: Path) -> bytes | None:
    """Returns the bytes of a file; None if there is none. InputError E0830."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        why = [("why", error.strerror or str(error))]
        _core.raise_error(
            "InputError", "E0830", "the file cannot be read", path=str(path), facts=why
        )


def _kind_of_text(head: bytes) -> FileKind:
    if not head:
        return FileKind("an empty file")
    if head.lstrip()[:1] in (b"{", b"["):
        is_model = head.lstrip()[:1] == b"{" and (b'"name":' in head or b'"submodels":' in head)
        return JSON_MODEL if is_model else FileKind("JSON")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < 4096)
    except UnicodeDecodeError:
        return FileKind("a binary file of an unknown format")
    return FileKind("a text")


# By the entries of a .zip file: the first one that fits.
ARCHIVES: list[tuple[Callable[[list[str]], bool], FileKind]] = [
    (lambda names: "metadata.json" in names, PACKAGE),
    (
        lambda names: any(name.endswith("/constants.pkl") for name in names),
        FileKind("a TorchScript file", "torch.jit.load reads it"),
    ),
    (
        lambda names: any(name.endswith("data.pkl") for name in names),
        FileKind("a file of torch.save", LOAD),
    ),
    (
        lambda names: bool(names) and all(name.endswith(".npy") for name in names),
        FileKind("arrays of NumPy (.npz)", LOAD),
    ),
    (
        lambda names: "model.weights.h5" in names,
        FileKind("a model of Keras", "compose it here, and copy its weights by key"),
    ),
]


def _kind_of_zip(path: Path) -> FileKind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return DAMAGED
    fitting = [kind for fits, kind in ARCHIVES if fits(names)]
    return fitting[0] if fitting else FileKind("a .zip file")


def _kind_of_folder(path: Path) -> FileKind:
    if (path / "metadata.json").exists():
        return PACKAGE
    if (path / "config.json").exists():
        advice = f"`mithril package create {path} NAME.zip` makes a package of it"
        return FileKind("a folder of Hugging Face", advice)
    if (path / "last.safetensors").exists():
        return FileKind("a folder of checkpoints of ml.fit", "ml.load reads last.safetensors in it")
    if (path / "saved_model.pb").exists():
        return FileKind("a SavedModel of TensorFlow")
    return FileKind("a folder" if any(path.iterdir()) else "an empty folder")


def refuse_as_package(path: Path, error: _core.Error) -> NoReturn:
    """Raises an error that says what the path is, or the error of a faulty package."""
    kind = kind_of_path(path) if path.exists() else None
    if kind is None or kind in (PACKAGE, DAMAGED):
        raise error
    _core.raise_error(
        "InputError",
        "E0860",
        "this is not a package",
        path=str(path),
        facts=[("it is", kind.text), *((label, text) for label, text, _ in error.facts)],
        help=kind.advice,
    )
    raise AssertionError
