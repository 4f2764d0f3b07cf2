"""Random projections of the gradients of samples, written to a folder in chunks."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _core
from .._core import raise_error, wrong_argument
from .._internal.arguments import checked
from ..training.fit_arguments import made_folder
from . import PerSample, Projections
from .step import host_array

if TYPE_CHECKING:
    from .._stubs.types import Arrays

__all__ = ["ProjectionWriter"]

INDEX = "projections.json"
FLOATS: dict[Any, Any] = {
    _core.dtype.float16: np.float16,
    _core.dtype.bfloat16: None,  # NumPy has no bfloat16
    _core.dtype.float32: np.float32,
    _core.dtype.float64: np.float64,
}


def indices_of(indices: Any, samples: int) -> Any:
    """The numbers of the samples as int64 [B]."""
    numbers = np.asarray(host_array(indices))
    if numbers.shape != (samples,) or numbers.dtype.kind not in "iu":
        got = f"{numbers.dtype}{list(numbers.shape)}"
        raise_error(
            "InputError", "E0833", f"add: indices are {got}, expected ints of dims [{samples}]"
        )
    return numbers.astype(np.int64)


def write_array(path: Path, array: Any) -> None:
    """Writes a .npy file, which is complete or absent."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    _core._write_file(path, [header.getbuffer(), array.reshape(-1)])


class ProjectionWriter:
    """Writes random projections of the gradients of many samples to a folder.

    Each `add` writes one file such as "chunk-000000.npy", atomically, so one chunk at a time is in
    memory. "projections.json" lists the files, and the columns and ranks of each parameter. Its
    "complete" is true after the writer was closed, as a `with` block without an error does.

    Args:
        folder: folder to write to.
        samples: a `PerSample`.
        rank: as in `PerSample.projections`.
        seed: as in `PerSample.projections`.
        kind: as in `PerSample.projections`.
        ranks: as in `PerSample.projections`.
        include_embeddings: as in `PerSample.projections`.
        include_convolutions: as in `PerSample.projections`.
        dtype: `ml.float16`, `ml.bfloat16`, `ml.float32` or `ml.float64` of the files; None: that of
            the projections. A file of bfloat16 holds the bits as uint16.

    Raises:
        InputError: If the folder contains projections, or a file cannot be written.
        TypeError: If `dtype` is another one.

    Example:
        net = ml.Model()
        net |= ml.Linear(2)(input="x", output="y")
        net |= ml.SquaredError()(input="y", target="target", output="losses")
        shapes = {"x": ["N", 4], "target": ["N", 2]}
        compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x", "target"], shapes=shapes)
        params = compiled.get_parameters()
        samples = ml.PerSample(compiled, losses="losses")
        with ml.ProjectionWriter("projections", samples, rank=2) as writer:
            writer.add(params, data)

    See docs/per-sample.md.
    """

    @checked
    def __init__(
        self,
        folder: str | PathLike[str],
        samples: PerSample,
        *,
        rank: int = 256,
        seed: int = 0,
        kind: Literal["gaussian", "rademacher", "orthonormal"] = "gaussian",
        ranks: Mapping[str, int] | None = None,
        include_embeddings: bool = True,
        include_convolutions: bool = True,
        dtype: _core.dtype | None = None,
    ) -> None:
        if not isinstance(folder, str | PathLike):
            wrong_argument("ProjectionWriter", "folder", "a path", folder)
        if not isinstance(samples, PerSample):
            wrong_argument("ProjectionWriter", "samples", "a PerSample", samples)
        if dtype is not None and dtype not in FLOATS:
            wrong_argument("ProjectionWriter", "dtype", "a dtype of floats", dtype)
        self._dtype = dtype
        self._folder = made_folder(folder)
        if (self._folder / INDEX).exists():
            raise_error(
                "InputError",
                "E0832",
                "the folder holds projections already",
                path=str(self._folder),
                help="give another folder, or remove its files",
            )
        self._samples = samples
        self._options: dict[str, Any] = {
            "rank": rank,
            "seed": seed,
            "kind": kind,
            "ranks": dict(ranks or {}),
            "include_embeddings": include_embeddings,
            "include_convolutions": include_convolutions,
        }
        self._index: dict[str, Any] = {}
        self._chunks: list[dict[str, Any]] = []
        self._closed = False

    @checked
    def add(
        self,
        params: Arrays,
        data: Arrays,
        *,
        indices: Any = None,
        step: int | None = None,
        state: Arrays | None = None,
    ) -> dict[str, tuple[int, int]]:
        """Writes the projections of a batch as the next file.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            indices: ints [B], the number of each sample in its data set. They are written to a file
                such as "indices-000000.npy".
            step: step of the training whose parameters these are. "projections.json" has it.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            Dict of the columns of each parameter, as (start, end) without the end.

        Raises:
            StateError: If the writer is closed.
            InputError: If `indices` are not B ints.

        Example:
            writer = ml.ProjectionWriter("projections", samples, rank=2)
            columns = writer.add(params, data, indices=np.arange(8))
            writer.close()
        """
        if self._closed:
            raise_error("StateError", "E0913", "add: the writer of projections is closed")
        made = self._samples.projections(params, data, **self._options, state=state)
        values = self._converted(np.ascontiguousarray(host_array(made.values)))
        numbers = None if indices is None else indices_of(indices, len(values))
        if not self._index:
            self._index = self._described(made, params, values)
            self._write_index()
        number = len(self._chunks)
        chunk: dict[str, Any] = {"file": f"chunk-{number:06}.npy", "rows": len(values)}
        if numbers is not None:
            chunk["indices"] = f"indices-{number:06}.npy"
            write_array(self._folder / chunk["indices"], numbers)
        if step is not None:
            chunk["step"] = step
        write_array(self._folder / chunk["file"], values)
        self._chunks.append(chunk)
        return {key: (part.slice.start, part.slice.stop) for key, part in made.metadata.items()}

    @checked
    def close(self) -> None:
        """Writes the list of files. The writer takes no samples afterwards.

        Example:
            writer = ml.ProjectionWriter("projections", samples, rank=2)
            writer.add(params, data)
            writer.close()
        """
        if not self._closed:
            self._write_index(complete=True)
        self._closed = True

    def __enter__(self) -> ProjectionWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self._closed = True
            self._write_index()

    def __repr__(self) -> str:
        return f"<ProjectionWriter to {self._folder}: {len(self._chunks)} chunks>"

    def _described(self, made: Projections, params: Arrays, values: Any) -> dict[str, Any]:
        parameters = {
            key: {
                "columns": [part.slice.start, part.slice.stop],
                "left": part.left,
                "right": part.right,
                "shape": list(np.shape(params[key])),
            }
            for key, part in made.metadata.items()
        }
        return {
            "columns": values.shape[1],
            "dtype": "bfloat16" if self._dtype == _core.dtype.bfloat16 else str(values.dtype),
            "parameters": parameters,
        }

    def _converted(self, values: Any) -> Any:
        if self._dtype == _core.dtype.bfloat16:
            bits = values.astype(np.float32).view(np.uint32)
            # Rounds to the nearest, ties to even; a NaN stays one.
            rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
            return np.where(np.isnan(values), bits >> 16 | 0x40, rounded).astype(np.uint16)
        return values if self._dtype is None else values.astype(FLOATS[self._dtype])

    def _write_index(self, complete: bool = False) -> None:
        index = {**self._options, **self._index, "complete": complete, "chunks": self._chunks}
        text = json.dumps(index, indent=1).encode()
        _core._write_file(self._folder / INDEX, [text])
