"""Data sets as sources of rows, from arrays, files and PyTorch, for `fit` and loops of your own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._core import unknown_name, wrong_argument
from .._internal.arguments import checked_kinds
from ..files import load_safetensors
from .batches import Batch, checked_batch
from .files import csv_columns, read_csv, read_idx, read_npy
from .source import Arrays, Batches, DataSource, Field, Stream
from .torch import is_loader, is_map_style, loader_stream, map_style, sample_stream

__all__ = [
    "Batches",
    "DataSource",
    "Field",
    "from_arrays",
    "from_csv",
    "from_idx",
    "from_npy",
    "from_safetensors",
    "from_torch",
]


@checked_kinds
def from_arrays(arrays: Mapping[str, Any]) -> DataSource:
    """Rows of arrays, lists or tensors of PyTorch with first axes of one length."""
    return Arrays(checked_batch("from_arrays", arrays))


@checked_kinds
def from_csv(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    delimiter: str = ",",
    reader: str | None = None,
) -> DataSource:
    """Rows of a CSV file whose first line has the names of the columns.

    Columns are int64 or float64 if the first 1000 rows are such numbers, otherwise texts ("str").
    An empty cell is NaN in a column of floats. The file is read only as far as batches are
    requested.

    Args:
        columns: which to read; None: all.
        dtypes: by column, instead of the dtypes inferred from the first rows: "int64", "float32",
            "str".
        reader: "pyarrow" or "csv", the reader of Python; None: pyarrow if it is installed.
    """
    found = csv_columns(path, delimiter, columns, dtypes or {})

    def read(n: int) -> Iterator[Batch]:
        return read_csv(path, delimiter, found, n, reader)

    return Stream(read, os.fspath(path))


@checked_kinds
def from_npy(paths: Mapping[str, str | os.PathLike[str]]) -> DataSource:
    """Rows of .npy files by key, which are mapped and not read as a whole."""
    return Arrays(checked_batch("from_npy", _read_each("from_npy", paths, read_npy)))


@checked_kinds
def from_idx(paths: Mapping[str, str | os.PathLike[str]]) -> DataSource:
    """Rows of IDX files by key, the format of MNIST; those that end with ".gz" are decompressed.

    Example:
        ml.data.from_idx({"image": "images-idx3-ubyte.gz", "label": "labels-idx1-ubyte.gz"})
    """
    return Arrays(checked_batch("from_idx", _read_each("from_idx", paths, read_idx)))


@checked_kinds
def from_safetensors(path: str | os.PathLike[str], keys: Sequence[str] | None = None) -> DataSource:
    """Rows of the tensors of a file, which is mapped; keys: the tensors to read."""
    tensors = load_safetensors(path)
    for key in keys or ():
        if key not in tensors:
            unknown_name("E0606", "tensor", key, list(tensors))
    wanted = tensors if keys is None else {key: tensors[key] for key in keys}
    return Arrays(checked_batch("from_safetensors", wanted))


@checked_kinds
def from_torch(data: Any, names: Sequence[str] | None = None) -> DataSource:
    """Rows of a Dataset or a DataLoader of PyTorch.

    The batches of a DataLoader keep their order and its workers; reading them in its batch size
    copies nothing.

    Args:
        names: the keys of the parts of a sample or a batch, in their order; not for dicts.
    """
    if is_loader(data):
        return loader_stream(data, names)
    if is_map_style(data):
        return map_style(data, names)
    if hasattr(data, "__iter__"):
        return sample_stream(data, names)
    wrong_argument("from_torch", "data", "a Dataset or a DataLoader of PyTorch", data)
    raise AssertionError


def _read_each(call: str, paths: Mapping[str, Any], read: Callable[[Any], Any]) -> dict[str, Any]:
    for path in paths.values():
        if not isinstance(path, (str, os.PathLike)):
            wrong_argument(call, "paths", "a dict of paths", path)
    return {key: read(path) for key, path in paths.items()}
