"""ml.ProjectionWriter: its files beside PerSample.projections, and its files after failures."""

from __future__ import annotations

import json
import resource
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from per_sample_models import CASES

import mithril as ml


def samples_of(name: str = "mlp", backend: Any = None) -> tuple[ml.PerSample, dict[str, Any]]:
    case = CASES[name]
    keys = set(case.data(np.random.default_rng(0), 1))
    compiled = ml.compile(
        case.model(), backend or ml.CpuBackend(), shapes=case.shapes, data_keys=keys
    )
    return ml.PerSample(compiled, losses="losses"), compiled.get_parameters()


def chunks(*sizes: int, name: str = "mlp") -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    return [CASES[name].data(rng, size) for size in sizes]


def index_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "projections.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("kind", ["gaussian", "orthonormal"])
def test_files_hold_the_projections_of_each_chunk(tmp_path: Path, kind: Any) -> None:
    samples, params = samples_of()
    data = chunks(3, 5, 1)
    with ml.ProjectionWriter(tmp_path / "all", samples, rank=5, seed=7, kind=kind) as writer:
        for chunk in data:
            columns = writer.add(params, chunk)
    index = index_of(tmp_path / "all")
    assert (index["rank"], index["seed"], index["kind"]) == (5, 7, kind)
    assert index["complete"] is True and index["dtype"] == "float32"
    assert [chunk["rows"] for chunk in index["chunks"]] == [3, 5, 1]
    for item, chunk in zip(data, index["chunks"], strict=True):
        made = samples.projections(params, item, rank=5, seed=7, kind=kind)
        assert np.array_equal(np.load(tmp_path / "all" / chunk["file"]), made.values)
        assert index["columns"] == made.values.shape[1]
        assert set(index["parameters"]) == set(made.metadata) == set(columns)
        for key, part in made.metadata.items():
            place = index["parameters"][key]
            assert place["columns"] == [part.slice.start, part.slice.stop] == list(columns[key])
            assert (place["left"], place["right"]) == (part.left, part.right)
            assert place["shape"] == list(params[key].shape)


def test_an_empty_chunk_has_the_columns_of_the_others(tmp_path: Path) -> None:
    samples, params = samples_of()
    with ml.ProjectionWriter(tmp_path / "all", samples, rank=5) as writer:
        for chunk in chunks(0, 3, 0):
            writer.add(params, chunk)
    index = index_of(tmp_path / "all")
    shapes = [np.load(tmp_path / "all" / chunk["file"]).shape for chunk in index["chunks"]]
    columns = samples.projections(params, chunks(3)[0], rank=5).values.shape[1]
    assert index["columns"] == columns > 0
    assert shapes == [(0, columns), (3, columns), (0, columns)]


def test_one_chunk_is_in_memory_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples, params = samples_of()
    alive: list[weakref.ref[Any]] = []
    projections = samples.projections

    def watched(*args: Any, **options: Any) -> Any:
        assert not any(reference() is not None for reference in alive)
        made = projections(*args, **options)
        alive.append(weakref.ref(made.values))
        return made

    monkeypatch.setattr(samples, "projections", watched)
    with ml.ProjectionWriter(tmp_path, samples, rank=5) as writer:
        for chunk in chunks(2, 2, 2):
            writer.add(params, chunk)
    assert len(alive) == 3


def test_an_interrupted_writer_lists_the_complete_files(tmp_path: Path) -> None:
    samples, params = samples_of()
    with (
        pytest.raises(KeyboardInterrupt),
        ml.ProjectionWriter(tmp_path, samples, rank=5) as writer,
    ):
        writer.add(params, chunks(2)[0])
        raise KeyboardInterrupt
    index = index_of(tmp_path)
    assert index["complete"] is False
    assert index["chunks"] == [{"file": "chunk-000000.npy", "rows": 2}]


def test_a_chunk_that_cannot_be_written_leaves_no_part_and_can_be_added_later(
    tmp_path: Path,
) -> None:
    samples, params = samples_of()
    big = chunks(200)[0]
    writer = ml.ProjectionWriter(tmp_path, samples, rank=5)
    writer.add(params, chunks(1)[0])
    before = sorted(tmp_path.iterdir())
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
    try:
        with pytest.raises(ml.InputError, match=r"E0831.*chunk-000001\.npy: the file cannot be"):
            writer.add(params, big)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert sorted(tmp_path.iterdir()) == before
    writer.add(params, big)
    writer.close()
    assert [chunk["rows"] for chunk in index_of(tmp_path)["chunks"]] == [1, 200]


def test_a_folder_of_projections_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    samples, params = samples_of()
    with ml.ProjectionWriter("run", samples, rank=5) as writer:
        writer.add(params, chunks(2)[0])
    with pytest.raises(ml.InputError) as caught:
        ml.ProjectionWriter("run", samples, rank=5)
    assert str(caught.value) == (
        "mithril.InputError[E0832]: run: the folder holds projections already\n"
        "  help: give another folder, or remove its files"
    )


def test_the_writer_refuses_samples_after_it_is_closed(tmp_path: Path) -> None:
    samples, params = samples_of()
    writer = ml.ProjectionWriter(tmp_path, samples, rank=5)
    writer.close()
    writer.close()
    assert index_of(tmp_path)["chunks"] == []
    with pytest.raises(ml.StateError) as caught:
        writer.add(params, chunks(2)[0])
    assert str(caught.value) == (
        "mithril.StateError[E0913]: add: the writer of projections is closed"
    )


def test_a_rank_out_of_range_leaves_no_file(tmp_path: Path) -> None:
    samples, params = samples_of()
    writer = ml.ProjectionWriter(tmp_path, samples, rank=0)
    with pytest.raises(ml.ValueError, match="E0418"):
        writer.add(params, chunks(2)[0])
    assert not list(tmp_path.iterdir())


def test_files_have_the_numbers_of_the_samples_and_the_step(tmp_path: Path) -> None:
    samples, params = samples_of()
    data = chunks(3, 2)
    with ml.ProjectionWriter(tmp_path, samples, rank=5) as writer:
        writer.add(params, data[0], indices=[7, 1, 4], step=20)
        with pytest.raises(ml.InputError) as caught:
            writer.add(params, data[1], indices=[0.5, 1.5])
        writer.add(params, data[1])
    assert str(caught.value) == (
        "mithril.InputError[E0833]: add: indices are float64[2], expected ints of dims [2]"
    )
    assert index_of(tmp_path)["chunks"] == [
        {"file": "chunk-000000.npy", "rows": 3, "indices": "indices-000000.npy", "step": 20},
        {"file": "chunk-000001.npy", "rows": 2},
    ]
    assert np.load(tmp_path / "indices-000000.npy").tolist() == [7, 1, 4]


@pytest.mark.parametrize("dtype", [ml.float16, ml.bfloat16, ml.float32, ml.float64])
def test_files_have_the_dtype_that_is_asked_for(tmp_path: Path, dtype: Any) -> None:
    samples, params = samples_of()
    data = chunks(3)[0]
    with ml.ProjectionWriter(tmp_path, samples, rank=5, dtype=dtype) as writer:
        writer.add(params, data)
    made = np.asarray(samples.projections(params, data, rank=5).values)
    written = np.load(tmp_path / "chunk-000000.npy")
    assert index_of(tmp_path)["dtype"] == str(dtype).split(".")[-1]
    if dtype == ml.bfloat16:
        expected = ml.Tensor(made, ml.bfloat16)
        assert written.dtype == np.uint16
        wide = (written.astype(np.uint32) << 16).view(np.float32)
        assert np.array_equal(wide, np.asarray(expected, dtype=np.float32))
    else:
        assert np.array_equal(written, made.astype(written.dtype))
    with pytest.raises(ml.TypeError, match="dtype"):
        ml.ProjectionWriter(tmp_path / "ints", samples, dtype=ml.int64)


def test_projections_of_torch_are_written_too(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    try:
        samples, params = samples_of(backend=ml.TorchBackend())
    except ml.BackendError as error:
        pytest.skip(str(error).splitlines()[0])
    data = {key: torch.from_numpy(value).float() for key, value in chunks(3)[0].items()}
    with ml.ProjectionWriter(tmp_path, samples, rank=5) as writer:
        writer.add(params, data)
    made = samples.projections(params, data, rank=5)
    assert np.array_equal(np.load(tmp_path / "chunk-000000.npy"), made.values.numpy())
