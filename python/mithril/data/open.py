"""The functions that open sources: arrays, files, data sets of PyTorch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .._core import unknown_name, wrong_argument
from .._internal.arguments import checked_kinds
from ..files import load_safetensors
from .batches import Batch, checked_batch
from .files import csv_columns, read_csv, read_idx, read_npy
from .rows import Arrays, Stream
from .source import DataSource
from .torch import is_dataset, is_loader, is_map_style, loader_stream, map_style, sample_stream


@checked_kinds
def from_arrays(arrays: Mapping[str, Any]) -> DataSource:
    """Creates a source of the rows of arrays.

    Args:
        arrays: dict of arrays, lists or tensors of PyTorch with the same number of rows.

    Raises:
        InputError: If the arrays differ in length.

    Example:
        source = ml.data.from_arrays(data).shuffle(seed=1)
        for batch in source.read_batches(4):
            step(params, batch)

    See docs/data.md.
    """
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
    """Creates a source of the rows of a CSV file, whose first line names the columns.

    Columns are int64 or float64 if the first 1000 rows contain such numbers, and strings otherwise.
    An empty cell is NaN in a column of floats. The file is read as batches are requested.

    Args:
        path: path of the file.
        columns: columns to read. None reads all.
        dtypes: dict of dtypes such as "int64", "float32" and "str", instead of the inferred ones.
        delimiter: character between two cells.
        reader: "pyarrow" or "csv" (the reader of Python). None uses pyarrow if it is installed.

    Raises:
        ParseError: If the file is damaged.
        NameError: If there is no such column.

    Example:
        rows = [[31, 1.5], [42, 2.5]]
        np.savetxt("rows.csv", rows, delimiter=",", header="age,score", comments="")
        source = ml.data.from_csv("rows.csv", dtypes={"age": "float32"})
        batch = next(source.read_batches(2))

    See docs/data.md.
    """
    found = csv_columns(path, delimiter, columns, dtypes or {})

    def read(n: int) -> Iterator[Batch]:
        return read_csv(path, delimiter, found, n, reader)

    return Stream(read, os.fspath(path))


@checked_kinds
def from_npy(paths: Mapping[str, str | os.PathLike[str]]) -> DataSource:
    """Creates a source of the rows of .npy files, which are mapped into memory.

    Args:
        paths: dict of paths.

    Raises:
        InputError: If a file cannot be read, or the arrays differ in length.

    Example:
        np.save("x.npy", data["x"])
        source = ml.data.from_npy({"x": "x.npy"})

    See docs/data.md.
    """
    return Arrays(checked_batch("from_npy", _read_each("from_npy", paths, read_npy)))


@checked_kinds
def from_idx(paths: Mapping[str, str | os.PathLike[str]]) -> DataSource:
    """Creates a source of the rows of IDX files, the format of MNIST.

    Args:
        paths: dict of paths. Files that end with ".gz" are decompressed.

    Raises:
        InputError: If a file cannot be read, or the arrays differ in length.
        ParseError: If a file is damaged.

    Example:
        with open("labels", "wb") as file:
            file.write(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]))
        source = ml.data.from_idx({"label": "labels"})

    See docs/data.md.
    """
    return Arrays(checked_batch("from_idx", _read_each("from_idx", paths, read_idx)))


@checked_kinds
def from_safetensors(path: str | os.PathLike[str], keys: Sequence[str] | None = None) -> DataSource:
    """Creates a source of the rows of the tensors of a file, which is mapped into memory.

    Args:
        path: path of a safetensors file.
        keys: keys of the tensors to read. None reads all.

    Raises:
        InputError: If the file cannot be read, or the tensors differ in length.
        NameError: If there is no such tensor.

    Example:
        ml.save_safetensors("rows.safetensors", data)
        source = ml.data.from_safetensors("rows.safetensors", keys=["x"])

    See docs/data.md.
    """
    tensors = load_safetensors(path)
    for key in keys or ():
        if key not in tensors:
            unknown_name("E0606", "tensor", key, list(tensors))
    wanted = tensors if keys is None else {key: tensors[key] for key in keys}
    return Arrays(checked_batch("from_safetensors", wanted))


@checked_kinds
def from_torch(data: Any, names: Sequence[str] | None = None) -> DataSource:
    """Creates a source of the rows of a Dataset or a DataLoader of PyTorch.

    The batches of a DataLoader keep their order and its workers. Reading them in its batch size
    copies nothing.

    Args:
        data: a Dataset, an IterableDataset or a DataLoader.
        names: keys of the parts of a sample or a batch, in order. None if they are dicts.

    Raises:
        TypeError: If `data` is something else.
        InputError: While reading, if the number of names and of parts differ.

    Example:
        from torch import from_numpy
        from torch.utils.data import TensorDataset

        dataset = TensorDataset(from_numpy(data["x"]), from_numpy(data["target"]))
        source = ml.data.from_torch(dataset, names=["x", "target"])

    See docs/data.md.
    """
    if not is_dataset(data):
        wrong_argument("from_torch", "data", "a Dataset or a DataLoader of PyTorch", data)
    if is_loader(data):
        return loader_stream(data, names)
    return map_style(data, names) if is_map_style(data) else sample_stream(data, names)


def _read_each(call: str, paths: Mapping[str, Any], read: Callable[[Any], Any]) -> dict[str, Any]:
    for path in paths.values():
        if not isinstance(path, (str, os.PathLike)):
            wrong_argument(call, "paths", "a dict of paths", path)
    return {key: read(path) for key, path in paths.items()}


# By the suffix of the file.
OPENED_FILES: dict[str, Callable[[str | os.PathLike[str]], DataSource]] = {
    ".csv": from_csv,
    ".safetensors": from_safetensors,
}
