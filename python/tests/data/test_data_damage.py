"""Damaged files of rows: each is read, or refused with an error of Mithril."""

import gzip
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from test_data import idx

import mithril as ml

DAMAGES = 150  # of each file
PIECES = [
    b"",
    b"\0",
    b"\xff",
    b"-",
    b'"',
    b",",
    b"\n",
    b"\r",
    b"1e999",
    b"9" * 5000,
    b"nan",
    b"\xc3",
]


def csv_file() -> bytes:
    return b'n,f,name\n1,0.5,"a, b"\n-7,1e-3,c\n3,nan,\n'


def idx_file(folder: Path) -> bytes:
    int16 = 11
    array = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    return idx(folder / "seed.idx", array, int16).read_bytes()


def npy_file(folder: Path) -> bytes:
    np.save(folder / "seed.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    return (folder / "seed.npy").read_bytes()


def damaged(content: bytes, draw: random.Random) -> bytes:
    """Changes, removes, or doubles bytes, or replaces them by pieces that readers may not
    expect."""
    made = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 5))):
        at, size = draw.randrange(len(made) + 1), draw.choice((0, 1, 1, 2, 7))
        piece = draw.choice((*PIECES, bytes(made[at : at + 9]), draw.randbytes(1)))
        made[at : at + size] = piece
    return bytes(made)


def damages(content: bytes) -> Iterator[bytes]:
    draw = random.Random(1)
    for cut in range(len(content)):
        yield content[:cut]
    for _ in range(DAMAGES):
        yield damaged(content, draw)


def check(path: Path, content: bytes, read: Callable[[Path], object]) -> None:
    for number, damage in enumerate(damages(content)):
        path.write_bytes(damage)
        try:
            read(path)
        except ml.Error:
            pass
        except Exception as error:
            pytest.fail(f"damage {number}, {damage!r}: {error!r}")


def read_rows(source: object) -> None:
    for _ in source.read_batches(2):  # type: ignore[attr-defined]
        pass


@pytest.mark.parametrize("dtypes", [{}, {"n": "int32", "f": "float32", "name": "str"}])
@pytest.mark.parametrize("reader", ["csv", "pyarrow"])
def test_a_damaged_csv_file_is_read_or_refused(reader: str, dtypes: dict, tmp_path: Path) -> None:
    if reader == "pyarrow":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")

    def read(path: Path) -> None:
        read_rows(ml.data.from_csv(path, reader=reader, dtypes=dtypes))

    check(tmp_path / "damaged.csv", csv_file(), read)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_damaged_idx_file_is_read_or_refused(suffix: str, tmp_path: Path) -> None:
    content = idx_file(tmp_path)
    if suffix:
        content = gzip.compress(content, mtime=0)
    path = tmp_path / f"damaged.idx{suffix}"
    check(path, content, lambda path: read_rows(ml.data.from_idx({"x": path})))


def test_a_damaged_npy_file_is_read_or_refused(tmp_path: Path) -> None:
    content = npy_file(tmp_path)
    check(tmp_path / "damaged.npy", content, lambda path: read_rows(ml.data.from_npy({"x": path})))


@pytest.mark.parametrize(
    "sizes", [(0,) + (2**32 - 1,) * 3, (1,) * 200, (0,) * 200, (2**31, 2**31), (2**32 - 1,) * 70]
)
def test_sizes_of_an_idx_file_that_no_array_has_are_refused(
    sizes: tuple[int, ...], tmp_path: Path
) -> None:
    header = bytes((0, 0, 8, len(sizes))) + b"".join(size.to_bytes(4, "big") for size in sizes)
    path = tmp_path / "large.idx"
    path.write_bytes(header + b"\0")
    with pytest.raises(ml.ParseError, match=r"E0770.*large\.idx"):
        ml.data.from_idx({"x": path})
