"""The archives of inputs of the fuzzers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
ARCHIVES = sorted((ROOT / "tests" / "fuzz" / "corpus").iterdir())


@pytest.fixture
def corpora(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Loads the module, which writes its archives to tmp_path."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = import_module("fuzz_corpus")
    monkeypatch.setattr(module, "ARCHIVES", tmp_path / "corpus")
    return module


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_an_archive_has_the_bytes_that_its_inputs_give(
    corpora: ModuleType, monkeypatch: pytest.MonkeyPatch, archive: Path
) -> None:
    with monkeypatch.context() as tracked:
        tracked.setattr(corpora, "ARCHIVES", archive.parent)
        inputs = corpora.read_corpus(archive.stem)
    assert corpora.write_corpus(archive.stem, reversed(inputs)) == len(inputs) > 0
    assert corpora.archive(archive.stem).read_bytes() == archive.read_bytes()


def test_an_unpacked_corpus_has_its_inputs_alone(corpora: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / "left over").touch()
    assert corpora.write_corpus("dims", [b"one", b"two\0\r\n", b"", b"one"]) == 3
    corpora.unpack_corpus("dims", folder)
    assert {path.read_bytes() for path in folder.iterdir()} == {b"one", b"two\0\r\n", b""}
    assert {path.suffix for path in folder.iterdir()} == {".input"}


def test_a_fuzzer_without_an_archive_has_no_inputs(corpora: ModuleType, tmp_path: Path) -> None:
    assert corpora.read_corpus("arrays") == []
    corpora.unpack_corpus("arrays", tmp_path / "unpacked")
    assert not any((tmp_path / "unpacked").iterdir())
