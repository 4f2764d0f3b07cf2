"""Random projections of the gradients of samples, written to a folder in chunks."""

from __future__ import annotations

import io
import json
from os import PathLike
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

    Raises:
        InputError: If the folder contains projections, or a file cannot be written.

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
    ) -> None:
        if not isinstance(folder, str | PathLike):
            wrong_argument("ProjectionWriter", "folder", "a path", folder)
        if not isinstance(samples, PerSample):
            wrong_argument("ProjectionWriter", "samples", "a PerSample", samples)
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
        self._options: dict[str, Any] = {"rank": rank, "seed": seed, "kind": kind}
        self._index: dict[str, Any] = {}
        self._chunks: list[dict[str, Any]] = []
        self._closed = False

    @checked
    def add(
        self, params: Arrays, data: Arrays, *, state: Arrays | None = None
    ) -> dict[str, tuple[int, int]]:
        """Writes the projections of a batch as the next file.

        Args:
            params: dict of parameters.
            data: dict of the data inputs, with B samples.
            state: dict of the state of the model, as in `CompiledModel.evaluate`.

        Returns:
            Dict of the columns of each parameter, as (start, end) without the end.

        Raises:
            StateError: If the writer is closed.
        """
        if self._closed:
            raise_error("StateError", "E0913", "add: the writer of projections is closed")
        made = self._samples.projections(params, data, **self._options, state=state)
        values = np.ascontiguousarray(host_array(made.values))
        if not self._index:
            self._index = self._described(made, params, values)
            self._write_index()
        name = f"chunk-{len(self._chunks):06}.npy"
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, np.lib.format.header_data_from_array_1_0(values)
        )
        _core._write_file(self._folder / name, [header.getbuffer(), values.reshape(-1)])
        self._chunks.append({"file": name, "rows": len(values)})
        return {key: (part.slice.start, part.slice.stop) for key, part in made.metadata.items()}

    @checked
    def close(self) -> None:
        """Writes the list of files. The writer takes no samples afterwards."""
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
            "dtype": str(values.dtype),
            "parameters": parameters,
        }

    def _write_index(self, complete: bool = False) -> None:
        index = {**self._options, **self._index, "complete": complete, "chunks": self._chunks}
        text = json.dumps(index, indent=1).encode()
        _core._write_file(self._folder / INDEX, [text])
