"""Sources of which each process of a group reads its rows."""

from typing import NamedTuple

import numpy as np
import pytest
from mithril.data.shares import SAMPLE, RowsOfProcess, checksum

import mithril as ml


class Process(NamedTuple):
    rank: int
    size: int


ROWS = 23
DATA = {"x": np.arange(ROWS * 3, dtype=np.float32).reshape(ROWS, 3), "y": np.arange(ROWS)}


def of_arrays():
    return ml.data.from_arrays(DATA)


class Samples:
    """A Dataset of PyTorch, which counts the samples that are read."""

    def __init__(self):
        self.read = []

    def __len__(self):
        return ROWS

    def __getitem__(self, row):
        self.read.append(row)
        return {key: array[row] for key, array in DATA.items()}


def of_csv(tmp_path):
    np.savetxt(tmp_path / "rows.csv", DATA["x"], delimiter=",", header="a,b,c", comments="")
    return ml.data.from_csv(tmp_path / "rows.csv")


SOURCES = {
    "arrays": lambda path: of_arrays(),
    "shuffled": lambda path: of_arrays().shuffle(seed=3).at_epoch(2),
    "mapped": lambda path: of_arrays().map(lambda b: {"z": b["x"] * 2}),
    "filtered": lambda path: of_arrays().filter(lambda b: b["y"] % 3 > 0),
    "taken": lambda path: of_arrays().shuffle(seed=1).take(11),
    "csv": of_csv,
    "shuffled csv": lambda path: of_csv(path).shuffle(seed=3, buffer=5),
    "samples": lambda path: ml.data.from_torch(Samples()).shuffle(seed=2),
    "moved": lambda path: of_arrays().to(ml.CpuBackend(), prefetch=0),
}


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_shards_of_all_processes_are_the_batches_of_one(name, size, tmp_path):
    source = SOURCES[name](tmp_path)
    whole = list(source.read_batches(4))
    shards = [list(source.shard(Process(r, size)).read_batches(4)) for r in range(size)]
    for batches in shards:
        assert len(batches) == len(whole)
    for expected, *parts in zip(whole, *shards, strict=True):
        rows = len(next(iter(expected.values())))
        assert [len(next(iter(part.values()))) for part in parts] == [
            rows * (r + 1) // size - rows * r // size for r in range(size)
        ]
        assert all(part.total == rows for part in parts)
        for key, array in expected.items():
            joined = np.concatenate([np.asarray(part[key]) for part in parts])
            np.testing.assert_array_equal(joined, np.asarray(array))
            assert joined.dtype == np.asarray(array).dtype


def test_operations_after_shard_change_whole_batches():
    first = of_arrays().shard(Process(1, 2)).shuffle(seed=3).take(9).read_batches(4)
    last = of_arrays().shuffle(seed=3).take(9).shard(Process(1, 2)).read_batches(4)
    for a, b in zip(first, last, strict=True):
        np.testing.assert_array_equal(a["y"], b["y"])


def test_a_process_reads_only_its_samples():
    samples = Samples()
    list(ml.data.from_torch(samples).shard(Process(1, 2)).read_batches(6))
    assert samples.read == [3, 4, 5, 9, 10, 11, 15, 16, 17, 20, 21, 22]


def test_batches_of_a_shard_keep_their_number_and_drop_the_last_one():
    source = of_arrays().shard(Process(0, 2))
    assert len(source.batch(5)) == 5
    assert [len(rows["y"]) for rows in source.batch(5)] == [2, 2, 2, 2, 1]
    assert [len(rows["y"]) for rows in source.batch(5, drop_last=True).prefetch()] == [2, 2, 2, 2]


def test_the_shard_of_a_process_alone_is_the_source():
    (rows,) = of_arrays().shard(ml.distributed.init()).read_batches(ROWS)
    assert not isinstance(rows, RowsOfProcess)


def test_shard_needs_a_group():
    with pytest.raises(ml.TypeError, match=r"shard: argument 'group' has the wrong kind"):
        of_arrays().shard(2)  # type: ignore[arg-type]


def test_a_checksum_reads_a_sample_of_large_arrays():
    large = np.zeros((1000, 784), np.float32)
    text = checksum(large)
    assert text.startswith("float32[1000, 784] with the checksum ")
    assert checksum(large + 1) != text
    assert checksum(np.asfortranarray(large)) == text
    small = np.zeros(SAMPLE)
    small[17] = 1
    assert checksum(small) != checksum(np.zeros(SAMPLE))
    shuffled = np.random.default_rng(0).permutation(10**5)
    assert checksum(shuffled) != checksum(np.sort(shuffled))
    torch = pytest.importorskip("torch")
    assert checksum(torch.from_numpy(large)) == text
