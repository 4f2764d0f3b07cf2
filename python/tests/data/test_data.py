"""Sources of data: what they read, and the operations on them."""

import gzip
import multiprocessing
import struct
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

data = ml.data
ROWS = 23
ARRAYS = {
    "x": np.arange(2 * ROWS, dtype=np.float32).reshape(ROWS, 2),
    "y": np.arange(ROWS, dtype=np.int64) * 3,
}


def joined(batches: Any) -> dict[str, Any]:
    read = list(batches)
    return {key: np.concatenate([batch[key] for batch in read]) for key in read[0]}


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        np.array_equal(a[key], b[key]) and a[key].dtype == b[key].dtype for key in a
    )


def idx(path: Path, array: Any, code: int) -> Path:
    head = struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape)
    content = head + array.astype(array.dtype.newbyteorder(">")).tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


class Samples:
    """A map-style Dataset."""

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, i: int) -> tuple[Any, Any]:
        return ARRAYS["x"][i], ARRAYS["y"][i]


class Rows:
    """An IterableDataset."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for i in range(ROWS):
            yield {key: array[i] for key, array in ARRAYS.items()}


def loader(**options: Any) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensors = torch.utils.data.TensorDataset(*map(torch.from_numpy, ARRAYS.values()))
    return torch.utils.data.DataLoader(tensors, batch_size=4, **options)


def source(kind: str, folder: Path) -> Any:
    """A source of the rows of ARRAYS."""
    if kind == "npy":
        for key, array in ARRAYS.items():
            np.save(folder / f"{key}.npy", array)
        return data.from_npy({key: folder / f"{key}.npy" for key in ARRAYS})
    if kind == "safetensors":
        ml.save_safetensors(folder / "a.safetensors", {**ARRAYS, "other": np.zeros(2)})
        return data.from_safetensors(folder / "a.safetensors", ["x", "y"])
    if kind == "idx":
        x = idx(folder / "x.gz", ARRAYS["x"], 13)
        y = idx(folder / "y", ARRAYS["y"].astype(np.int32), 12)
        return data.from_idx({"x": x, "y": y}).map(lambda b: {**b, "y": b["y"].astype(np.int64)})
    if kind == "csv":
        lines = [f"{a},{b},{c}" for (a, b), c in zip(*ARRAYS.values(), strict=True)]
        (folder / "a.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n")
        return data.from_csv(folder / "a.csv").map(
            lambda b: {"x": np.stack([b["a"], b["b"]], 1).astype(np.float32), "y": b["y"]}
        )
    made = {
        "arrays": lambda: data.from_arrays(ARRAYS),
        "dataset": lambda: data.from_torch(Samples(), ["x", "y"]),
        "rows": lambda: data.from_torch(Rows()),
        "loader": lambda: data.from_torch(loader(), ["x", "y"]),
    }
    return made[kind]()


KINDS = ["arrays", "npy", "safetensors", "idx", "csv", "dataset", "rows", "loader"]
STREAMS = ["csv", "rows", "loader"]


@pytest.fixture(params=KINDS)
def rows(request, tmp_path: Path) -> Any:
    return source(request.param, tmp_path)


@pytest.mark.parametrize("n", [1, 4, 5, ROWS, 100])
def test_all_rows_come_in_batches_and_the_last_may_be_short(rows, n: int) -> None:
    for _ in range(2):  # any number of times
        batches = list(rows.read_batches(n))
        assert [len(batch["y"]) for batch in batches[:-1]] == [n] * (ROWS // n - (ROWS % n == 0))
        assert len(batches[-1]["y"]) == (ROWS % n or n)
        assert same(joined(batches), ARRAYS)


def test_the_schema_is_that_of_a_row(rows) -> None:
    assert rows.schema == {"x": ("float32", (2,)), "y": ("int64", ())}
    assert data.from_arrays({"x": np.zeros((0, 2))}).schema == {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_rows_is_known_unless_they_are_a_stream(kind: str, tmp_path: Path) -> None:
    made = source(kind, tmp_path)
    if kind in STREAMS:
        assert made.rows is None
        with pytest.raises(ml.TypeError) as caught:
            len(made.batch(4))
        assert str(caught.value).startswith(
            "mithril.TypeError[E0311]: the number of batches is not known before they are read"
        )
    else:
        assert made.rows == ROWS
        assert len(made.batch(5)) == 5 and len(made.batch(5, drop_last=True)) == 4
        assert made.take(7).rows == 7


def test_arrays_share_their_elements() -> None:
    (batch,) = data.from_arrays(ARRAYS).read_batches(ROWS)
    assert batch["x"] is ARRAYS["x"]
    first = next(data.from_arrays(ARRAYS).read_batches(4))
    assert np.shares_memory(first["x"], ARRAYS["x"])


def test_filter_and_map(rows) -> None:
    kept = rows.filter(lambda batch: batch["y"] % 2 == 0)
    even = ARRAYS["y"] % 2 == 0
    assert [len(batch["y"]) for batch in kept.read_batches(5)] == [5, 5, 2]
    assert same(joined(kept.read_batches(5)), {key: a[even] for key, a in ARRAYS.items()})
    made = rows.map(lambda batch: {"z": batch["x"].sum(1)})
    assert same(joined(made.read_batches(5)), {"z": ARRAYS["x"].sum(1)})
    assert list(rows.filter(lambda b: b["y"] < 0).read_batches(5)) == []


def test_take_is_the_first_rows(rows) -> None:
    for count in (0, 1, 7, ROWS, 100):
        taken = rows.take(count).read_batches(4)
        if count == 0:
            assert list(taken) == []
        else:
            assert same(joined(taken), {key: a[:count] for key, a in ARRAYS.items()})


@pytest.mark.parametrize("buffer", [3, 10_000])
def test_shuffle_is_an_order_of_all_rows_that_seed_and_epoch_determine(rows, buffer: int) -> None:
    def order(seed: int, epoch: int) -> list[int]:
        shuffled = rows.shuffle(seed, buffer=buffer).at_epoch(epoch)
        batch = joined(shuffled.read_batches(4))
        np.testing.assert_array_equal(batch["x"][:, 0] / 2 * 3, batch["y"])
        return batch["y"].tolist()

    first = order(1, 0)
    assert sorted(first) == ARRAYS["y"].tolist() and first != ARRAYS["y"].tolist()
    assert order(1, 0) == first
    assert order(2, 0) != first and order(1, 1) != first
    assert sorted(order(1, 1)) == sorted(first)


def test_a_shuffled_source_can_be_shuffled_taken_and_mapped(rows) -> None:
    made = rows.shuffle(1).map(lambda b: {"y": b["y"]}).shuffle(2).take(9)
    values = joined(made.read_batches(4))["y"]
    assert len(set(values.tolist())) == 9 and set(values.tolist()) <= set(ARRAYS["y"].tolist())


@pytest.mark.parametrize(
    "chain",
    [
        lambda s: s.shuffle(1).take(9).shuffle(2),
        lambda s: s.shuffle(1).map(lambda b: b),
        lambda s: s.shuffle(1).filter(lambda b: b["y"] > 5).take(9),
        lambda s: s.shuffle(1).take(9).map(lambda b: b).shuffle(3),
    ],
)
def test_every_shuffle_of_a_chain_has_the_epoch(rows, chain: Any) -> None:
    def values(source: Any) -> list[int]:
        return joined(source.read_batches(4))["y"].tolist()

    read = [values(chain(rows).at_epoch(epoch)) for epoch in range(3)]
    assert read[0] != read[1] and read[1] != read[2]
    inner = rows.shuffle(1).at_epoch(2)
    assert values(inner.take(9)) == values(rows.shuffle(1).take(9).at_epoch(2))
    assert values(inner.map(lambda b: b)) == values(inner)


def test_a_shuffled_subset_has_other_rows_in_each_epoch() -> None:
    source = data.from_arrays({"y": np.arange(1000)}).shuffle(1).take(50).shuffle(2)
    first, second = (
        set(joined(source.at_epoch(epoch).read_batches(8))["y"].tolist()) for epoch in (0, 1)
    )
    assert len(first) == len(second) == 50 and len(first & second) < 25


@pytest.mark.sampled(3)
def test_batches_can_drop_the_last(rows) -> None:
    batches = rows.batch(5, drop_last=True)
    assert [len(batch["y"]) for batch in batches] == [5] * 4
    assert batches.schema == rows.schema
    assert [len(batch["y"]) for batch in rows.batch(5)] == [5, 5, 5, 5, 3]


def test_texts_of_different_lengths_are_shuffled() -> None:
    words = np.array(["a", "bb", "c", "dddd", "ee", "f" * 9])
    stream = data.from_torch([{"w": word} for word in words]).filter(lambda b: b["w"] != "")
    got = joined(stream.shuffle(1, buffer=2).read_batches(1))["w"]
    assert sorted(got.tolist()) == sorted(words.tolist())


LIMIT = 300  # seconds, which only a thread or a process that hangs takes


def prefetch_threads() -> set[threading.Thread]:
    return {
        thread for thread in threading.enumerate() if thread.name.startswith("mithril-prefetch")
    }


@pytest.fixture
def others() -> set[threading.Thread]:
    """The threads of iterators that other tests have left."""
    return prefetch_threads()


def test_prefetch_gives_the_same_batches(rows, others) -> None:
    assert same(joined(rows.batch(4).prefetch()), ARRAYS)
    assert prefetch_threads() <= others


def test_prefetch_is_ahead_by_its_depth(others) -> None:
    made = []

    def count(batch: Any) -> Any:
        made.append(len(batch["y"]))
        return batch

    batches = iter(data.from_arrays(ARRAYS).map(count).batch(2).prefetch(3))
    next(batches)
    until = time.monotonic() + LIMIT
    while len(made) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    batches.close()  # waits for batches that are being made
    assert len(made) == 4
    assert prefetch_threads() <= others


@pytest.mark.parametrize("hand_over", [-1.0, 1000.0])
def test_the_loop_makes_its_batches_where_a_thread_costs_more(
    hand_over: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mithril.data.prefetch.HAND_OVER", hand_over)
    makers = []

    def watched(batch: Any) -> Any:
        makers.append(threading.current_thread() is threading.main_thread())
        return batch

    batches = data.from_arrays(ARRAYS).map(watched).batch(1).prefetch(2)
    assert same(joined(batches), ARRAYS)
    # The loop makes the first batch, and the thread the next two. Then it depends on the time.
    assert makers == [True, False, False] + [hand_over > 0] * (ROWS - 3)


def test_an_early_break_and_an_error_leave_no_thread(others) -> None:
    for _ in data.from_arrays(ARRAYS).batch(2).prefetch():
        break
    assert prefetch_threads() <= others

    def fail(batch: Any) -> Any:
        if batch["y"][0] > 20:
            raise ArithmeticError("row 8")
        return batch

    read = []
    with pytest.raises(ArithmeticError, match="row 8"):
        for batch in data.from_arrays(ARRAYS).map(fail).batch(4).prefetch():
            read.append(batch)
    assert len(read) == 2
    assert prefetch_threads() <= others


@pytest.mark.parametrize("depth", [0, 2])
def test_an_early_break_leaves_no_worker_of_a_loader(depth: int, others) -> None:
    batches = data.from_torch(loader(num_workers=2), ["x", "y"]).batch(3)
    before = set(multiprocessing.active_children())

    def workers() -> set[Any]:
        return set(multiprocessing.active_children()) - before

    for _ in batches.prefetch(depth) if depth else batches:
        assert len(workers()) == 2
        break
    until = time.monotonic() + LIMIT
    while workers() and time.monotonic() < until:
        time.sleep(0.05)
    assert workers() == set()
    assert prefetch_threads() <= others


def refused(call: Any) -> str:
    with pytest.raises(ml.Error) as caught:
        call()
    return str(caught.value)


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    rows = data.from_arrays(ARRAYS)
    text = refused(lambda: data.from_arrays({"x": np.zeros(3), "y": np.zeros(4)}))
    assert text == (
        "mithril.InputError[E0880]: from_arrays: the arrays differ in length\n  x : 3\n  y : 4"
    )
    assert "E0880" in refused(lambda: data.from_arrays({"x": np.float32(3)}))
    text = refused(lambda: rows.read_batches(0))
    assert text == "mithril.ValueError[E0452]: read_batches: n is 0, expected at least 1"
    text = refused(lambda: list(rows.take(3).filter(lambda b: b["y"] * 1.0).read_batches(2)))
    assert text == (
        "mithril.InputError[E0882]: filter: the function returned float64[3], expected bool[3]"
    )
    assert "map: the function returned 2 rows, expected 4 rows" in refused(
        lambda: list(rows.map(lambda b: {"y": b["y"][:2]}).read_batches(4))
    )
    assert "map: the function returned a list, expected a dict of arrays" in refused(
        lambda: list(rows.map(lambda b: [1]).read_batches(4))
    )
    assert "E0606]: there is no tensor 'w'" in refused(
        lambda: data.from_safetensors(
            ml.save_safetensors(tmp_path / "a.safetensors", ARRAYS) or tmp_path / "a.safetensors",
            ["w"],
        )
    )
    (tmp_path / "a.csv").write_text("age,x\n1,2\n")
    assert "there is no column 'agee'" in refused(
        lambda: data.from_csv(tmp_path / "a.csv", columns=["agee"])
    )
    assert "E0830" in refused(lambda: data.from_csv(tmp_path / "b.csv"))
    assert "E0830" in refused(lambda: data.from_npy({"x": tmp_path / "b.npy"}))


def test_parts_without_names_are_named() -> None:
    text = refused(lambda: list(data.from_torch(Samples()).read_batches(2)))
    assert text.startswith(
        "mithril.InputError[E0881]: from_torch: a batch has 2 parts, and there are 0 names\n"
    )
    for wrong in (7, "rows.txt", iter([{"x": 1}])):
        with pytest.raises(ml.TypeError, match="a Dataset or a DataLoader of PyTorch"):
            data.from_torch(wrong)


def test_reading_is_lazy() -> None:
    read = []

    def stream() -> Iterator[dict[str, Any]]:
        for i in range(100):
            read.append(i)
            yield {"x": np.float32(i)}

    class Endless:
        def __iter__(self) -> Any:
            return stream()

    source = data.from_torch(Endless()).take(50)
    assert read == []
    batches = list(islice(source.read_batches(5), 2))
    assert len(batches) == 2 and len(read) == 10
