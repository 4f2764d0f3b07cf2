"""Readers of files of rows: CSV, .npy and IDX."""

from __future__ import annotations

import csv
import gzip
import importlib
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from .._core import dtype as core_dtype
from .._core import raise_error, unknown_name
from .batches import Batch

Path = str | os.PathLike[str]
PIECE = 1 << 20  # bytes that are read at once
SAMPLE = 1000  # rows of a CSV file from which dtypes are inferred
INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
NUMBER = re.compile(
    r"\s*[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|nan|inf(inity)?)\s*",
    re.IGNORECASE,
)
TEXT = "str"
IDX_DTYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
READERS = ("pyarrow", "csv")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
CSV_DTYPES = (TEXT, *INTS, "float16", "float32", "float64")


def refuse_file(path: Path, message: str, *facts: tuple[str, str]) -> NoReturn:
    """Raises ParseError E0770."""
    raise_error("ParseError", "E0770", message, path=os.fspath(path), facts=list(facts))
    raise AssertionError


def refuse_reading(path: Path, error: Exception) -> NoReturn:
    """Raises InputError E0830."""
    why = [("why", getattr(error, "strerror", None) or str(error))]
    raise_error("InputError", "E0830", "the file cannot be read", path=os.fspath(path), facts=why)
    raise AssertionError


def lines_of(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the lines that have cells, with their numbers."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
    except (UnicodeDecodeError, csv.Error) as error:
        refuse_file(path, "the file is not a CSV in UTF-8", ("why", str(error)))
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        refuse_reading(path, error)


def csv_columns(
    path: Path, delimiter: str, columns: Sequence[str] | None, dtypes: Mapping[str, Any]
) -> dict[str, str]:
    """Returns the dtypes of the requested columns."""
    lines = lines_of(path, delimiter)
    _, names = next(lines, (0, []))
    if not names or len(set(names)) != len(names):
        refuse_file(path, "the first line has no names of columns, or a name twice")
    for name in [*(columns or ()), *dtypes]:
        if name not in names:
            unknown_name("E0606", "column", name, names)
    given = {name: column_dtype(dtype) for name, dtype in dtypes.items()}
    sample = [cells for _, cells in islice(lines, SAMPLE)]
    lines.close()  # type: ignore[attr-defined]
    wanted = names if columns is None else columns
    return {name: given.get(name) or inferred(sample, names.index(name)) for name in wanted}


def column_dtype(dtype: Any) -> str:
    """Returns the name of a dtype of Mithril, NumPy or Python."""
    if dtype is str or dtype == TEXT:
        return TEXT
    try:
        name = dtype.name if isinstance(dtype, core_dtype) else np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in CSV_DTYPES:
        unknown_name("E0605", "dtype of a column", name, list(CSV_DTYPES))
    return name


def inferred(sample: Sequence[Sequence[str]], column: int) -> str:
    """Infers the dtype of a column from its cells."""
    cells = [row[column] for row in sample if column < len(row)]
    full = [cell for cell in cells if cell]
    if not full or not all(NUMBER.fullmatch(cell) for cell in full):
        return TEXT
    is_int = len(full) == len(cells) and all(INTEGER.fullmatch(cell) for cell in full)
    return "int64" if is_int else "float64"


def read_csv(
    path: Path, delimiter: str, columns: Mapping[str, str], n: int, reader: str | None
) -> Iterator[Batch]:
    """Yields all rows in batches of about n rows."""
    if reader is not None and reader not in READERS:
        unknown_name("E0605", "reader", reader, list(READERS))
    if reader == "pyarrow" or (reader is None and find_spec("pyarrow") is not None):
        return read_csv_by_arrow(path, delimiter, columns)
    return read_csv_by_python(path, delimiter, columns, n)


def read_csv_by_python(
    path: Path, delimiter: str, columns: Mapping[str, str], n: int
) -> Iterator[Batch]:
    """Reads rows with the csv module of Python."""
    lines = lines_of(path, delimiter)
    _, names = next(lines, (0, []))
    places = [(names.index(name), name, dtype) for name, dtype in columns.items()]
    while several := list(islice(lines, n)):
        for line, cells in several:
            if len(cells) != len(names):
                refuse_file(path, f"line {line} has {len(cells)} cells, expected {len(names)}")
        yield {place[1]: column_of(path, several, *place) for place in places}


def column_of(
    path: Path, lines: Sequence[tuple[int, list[str]]], place: int, name: str, dtype: str
) -> Any:
    """Converts the cells of a column to an array."""
    texts = [cells[place] for _, cells in lines]
    if dtype == TEXT:
        return np.array(texts)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        texts = [text or "nan" for text in texts]
    pattern = NUMBER if kind.kind == "f" else INTEGER
    try:
        if all(map(pattern.fullmatch, texts)):
            # An array of texts would give every cell the room of the longest.
            numbers = list(map(float if kind.kind == "f" else int, texts))
            made = np.array(numbers, np.float64 if kind.kind == "f" else np.int64)
            if kind.kind == "f" or (made.astype(kind) == made).all():
                return made.astype(kind)
    except (ValueError, OverflowError):
        pass  # a number that does not fit: named below
    for line, cells in lines:
        cell = cells[place]
        if not pattern.fullmatch(cell or "nan") or not fits(cell, kind):
            refuse_file(path, f"line {line}: column '{name}' is {cell!r}, expected {dtype}")
    raise AssertionError


def fits(cell: str, kind: np.dtype[Any]) -> bool:
    if kind.kind == "f":
        return True
    info = np.iinfo(kind)
    try:
        return int(info.min) <= int(cell) <= int(info.max)
    except ValueError:  # more digits than Python reads
        return False


def read_csv_by_arrow(path: Path, delimiter: str, columns: Mapping[str, str]) -> Iterator[Batch]:
    """Reads rows with pyarrow. For an error, Python's reader finds the number of the line."""
    arrow, csv_of_arrow = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.csv"))
    types = {
        name: arrow.string() if dtype == TEXT else arrow.from_numpy_dtype(np.dtype(dtype))
        for name, dtype in columns.items()
    }
    numbers = ["", "nan", "NaN", "NAN"]
    try:
        with csv_of_arrow.open_csv(
            os.fspath(path),
            parse_options=csv_of_arrow.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=csv_of_arrow.ConvertOptions(
                column_types=types,
                include_columns=list(columns),
                null_values=numbers,
                strings_can_be_null=False,
            ),
        ) as batches:
            for batch in batches:
                arrays = {name: batch.column(name) for name in columns}
                if any(
                    arrays[name].null_count and np.dtype(dtype).kind != "f"
                    for name, dtype in columns.items()
                    if dtype != TEXT
                ):
                    raise arrow.ArrowInvalid("an empty cell in a column of ints")
                yield {
                    name: np.array(array.to_pylist())
                    if columns[name] == TEXT
                    else array.to_numpy(zero_copy_only=False).astype(columns[name], copy=False)
                    for name, array in arrays.items()
                }
    except arrow.ArrowInvalid as error:
        for _ in read_csv_by_python(path, delimiter, columns, SAMPLE):
            pass
        refuse_file(path, "pyarrow cannot read the file", ("why", str(error)))
    except OSError as error:
        refuse_reading(path, error)


def read_npy(path: Path) -> Any:
    """Maps the array of a .npy file. Arrays of objects are refused, because they are code."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        refuse_reading(path, error)
    except Exception as error:  # NumPy parses the header as Python
        refuse_file(path, "the file is no .npy file of numbers", ("why", str(error)))


def read_at_most(file: Any, count: int) -> bytes:
    """Reads at most `count` bytes, and allocates no more than the file has."""
    pieces = []
    while count > 0 and (piece := file.read(min(count, PIECE))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def read_idx(path: Path) -> Any:
    """Reads an array in the format of MNIST: a type, sizes and numbers, big-endian.

    It reads no more than the sizes say: a small .gz file may decompress to any number of bytes.
    """
    try:
        with gzip.open(path) if os.fspath(path).endswith(".gz") else open(path, "rb") as file:
            start = file.read(4)
            is_idx = len(start) == 4 and start[:2] == b"\0\0" and start[2] in IDX_DTYPES
            rank = start[3] if is_idx else 0  # of another file one more byte is read
            dtype = np.dtype(IDX_DTYPES[start[2]] if is_idx else ">u1")
            header = file.read(4 * rank)
            sizes = [int.from_bytes(header[at : at + 4], "big") for at in range(0, 4 * rank, 4)]
            expected = math.prod(sizes) * dtype.itemsize
            stored = read_at_most(file, expected + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        refuse_file(path, "the file is damaged", ("why", str(error)))
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        refuse_reading(path, error)
    if not is_idx:
        refuse_file(path, "the file is not an IDX file", ("begins with", start.hex(" ")))
    if len(header) < 4 * rank or len(stored) != expected:
        got = "more" if len(stored) > expected else f"{4 + len(header) + len(stored)} bytes"
        facts = ("expected", f"{4 + 4 * rank + expected} bytes"), ("got", got)
        refuse_file(path, "the file has another length than its sizes say", *facts)
    try:
        array = np.frombuffer(stored, dtype).reshape(sizes)
    except ValueError as error:  # more axes than NumPy has
        refuse_file(path, "no array has the sizes of the file", ("why", str(error)))
    return array.astype(dtype.newbyteorder("="))
