"""The corpora of tests/fuzz: an archive of inputs for each fuzzer.

Equal inputs give equal archives: the names are sorted, all times are the same, and nothing is
compressed, because compressed bytes depend on the version of zlib.
"""

import hashlib
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path

from tracked import ROOT

ARCHIVES = ROOT / "tests" / "fuzz" / "corpus"


def archive(name: str) -> Path:
    return ARCHIVES / f"{name}.zip"


def read_corpus(name: str) -> list[bytes]:
    """The inputs of a fuzzer; none if it has no archive."""
    if not archive(name).exists():
        return []
    with zipfile.ZipFile(archive(name)) as packed:
        return [packed.read(entry) for entry in packed.namelist()]


def write_corpus(name: str, inputs: Iterable[bytes]) -> int:
    """Replaces the archive of a fuzzer, and returns how many inputs it has. As in the folders of
    libFuzzer, the name of an input is its SHA-1, so equal inputs become one."""
    entries = {f"{hashlib.sha1(data).hexdigest()}.input": data for data in inputs}
    ARCHIVES.mkdir(exist_ok=True)
    with zipfile.ZipFile(archive(name), "w") as packed:
        for entry in sorted(entries):
            header = zipfile.ZipInfo(entry)  # of 1980, not compressed
            header.create_system = 3  # Unix
            header.external_attr = 0o644 << 16
            packed.writestr(header, entries[entry])
    return len(entries)


def unpack_corpus(name: str, folder: Path) -> None:
    """Makes a folder that has the inputs of a fuzzer and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if archive(name).exists():
        with zipfile.ZipFile(archive(name)) as packed:
            packed.extractall(folder)
