"""Sources whose batches are on the device of a backend."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

ARRAYS = {
    "x": np.arange(46, dtype=np.float32).reshape(23, 2),
    "y": np.arange(23, dtype=np.int64) * 3,
}
BACKENDS = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend, "jax": ml.JaxBackend}


def backend_of(kind: str) -> Any:
    if kind != "cpu":
        pytest.importorskip(kind, reason=f"{kind} is not installed")
    if kind == "torch":
        pytest.importorskip("mithril._torch", reason="torch is not built")
    return BACKENDS[kind]()


def joined(batches: Any) -> dict[str, Any]:
    read = list(batches)
    return {key: np.concatenate([np.asarray(batch[key]) for batch in read]) for key in read[0]}


def same(got: dict[str, Any], expected: dict[str, Any]) -> bool:
    return got.keys() == expected.keys() and all(
        np.array_equal(got[key], expected[key]) and got[key].dtype == expected[key].dtype
        for key in got
    )


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize("prefetch", [0, 2])
def test_batches_are_arrays_of_the_backend_with_their_dtypes(kind: str, prefetch: int) -> None:
    backend = backend_of(kind)
    source = ml.data.from_arrays(ARRAYS).to(backend, prefetch=prefetch)
    for _ in range(2):
        batches = list(source.read_batches(5))
        assert type(batches[0]["x"]) is type(backend.zeros(1))
        assert [len(batch["y"]) for batch in batches] == [5, 5, 5, 5, 3]
        assert same(joined(batches), ARRAYS)
    assert source.rows == 23
    assert source.schema == ml.data.from_arrays(ARRAYS).schema


@pytest.mark.parametrize("kind", BACKENDS)
def test_reversed_rows_are_moved_also_if_the_last_batch_has_one(kind: str) -> None:
    reversed_rows = {"y": np.arange(21)[::-1]}
    source = ml.data.from_arrays(reversed_rows).to(backend_of(kind))
    assert same(joined(source.read_batches(5)), reversed_rows)


def test_operations_take_numpy_arrays_wherever_the_source_is_moved() -> None:
    backend = backend_of("torch")
    kinds = set()

    def double(batch: Any) -> Any:
        kinds.add(type(batch["y"]))
        return {"y": batch["y"] * 2}

    source = ml.data.from_arrays(ARRAYS)
    early = source.to(backend).shuffle(1).filter(lambda b: b["y"] % 2 == 0).map(double).take(7)
    late = source.shuffle(1).filter(lambda b: b["y"] % 2 == 0).map(double).take(7).to(backend)
    assert same(joined(early.read_batches(4)), joined(late.read_batches(4)))
    assert kinds == {np.ndarray}
    assert type(next(early.batch(4).__iter__())["y"]) is type(backend.zeros(1))
    epochs = [joined(early.at_epoch(epoch).read_batches(4))["y"].tolist() for epoch in (0, 1)]
    assert epochs[0] != epochs[1]
    assert isinstance(next(source.read_batches(4))["y"], np.ndarray)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", BACKENDS)
def test_arrays_of_any_memory_are_moved(kind: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", ARRAYS["x"])
    arrays = {
        "mapped": np.load(tmp_path / "x.npy", mmap_mode="r"),
        "backwards": ARRAYS["y"][::-1],
        "big": ARRAYS["y"].astype(">i8"),
        "half": ARRAYS["x"].astype(np.float16),
        "flag": ARRAYS["y"] > 9,
    }
    source = ml.data.from_arrays(arrays).to(backend_of(kind))
    native = {key: a.astype(a.dtype.newbyteorder("=")) for key, a in arrays.items()}
    assert same(joined(source.read_batches(5)), native)


def test_texts_stay_arrays_of_numpy() -> None:
    words = {"w": np.array(["a", "bb"]), "y": np.arange(2)}
    (batch,) = ml.data.from_arrays(words).to(backend_of("torch")).read_batches(2)
    assert isinstance(batch["w"], np.ndarray) and batch["w"].tolist() == ["a", "bb"]


@pytest.mark.parametrize("kind", ["cpu", "torch"])
def test_fit_takes_a_moved_source(kind: str) -> None:
    backend = backend_of(kind)
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="out")
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), [ml.Mean()], input="out", target="t")
    compiled = ml.compile(train, backend, shapes={"x": [None, 2], "t": [None, 1]})
    arrays = {"x": ARRAYS["x"] / 46, "t": ARRAYS["x"][:, :1] / 46}
    source = ml.data.from_arrays(arrays).shuffle(1)

    def loss(data: Any) -> float:
        step = ml.TrainingStep(compiled, ml.SGD(0.1))
        params = compiled.get_parameters(seed=2)
        history = ml.fit(step, data, epochs=2, params=params, validation=data, progress=False)
        return history.epochs[-1]["validation_loss"]

    assert loss(source.to(backend)) == loss(source)
    assert loss(source.to(backend).batch(32)) == loss(source)


def threads() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name.startswith("mithril-prefetch")}


def test_an_early_break_ends_the_thread() -> None:
    before = threads()
    for _ in ml.data.from_arrays(ARRAYS).to(ml.CpuBackend()).read_batches(2):
        break
    assert threads() <= before


def test_wrong_arguments_are_named() -> None:
    source = ml.data.from_arrays(ARRAYS)
    with pytest.raises(ml.TypeError) as caught:
        source.to("cuda")  # type: ignore[arg-type]
    assert "expected : a backend, such as ml.CpuBackend()" in str(caught.value)
    with pytest.raises(ml.ValueError) as least:
        source.to(ml.CpuBackend(), prefetch=-1)
    assert str(least.value) == (
        "mithril.ValueError[E0452]: to: prefetch is -1, expected at least 0"
    )
