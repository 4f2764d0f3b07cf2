"""The registry of data sources: what can be registered, names, and opening once."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threads import results_of_threads

import mithril as ml

ARRAYS = {"x": np.arange(8.0).reshape(4, 2), "y": np.arange(4)}


@pytest.fixture
def registry() -> ml.data.SourcesRegistry:
    return ml.data.SourcesRegistry()


class Samples:
    """A map-style Dataset whose samples are dicts."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> dict[str, Any]:
        return {key: array[i] for key, array in ARRAYS.items()}


def source_of(kind: str, folder: Path) -> Any:
    """What is registered for a source of the rows of ARRAYS."""
    if kind == "csv":
        lines = [f"{x[0]},{x[1]},{y}" for x, y in zip(*ARRAYS.values(), strict=True)]
        (folder / "rows.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return folder / "rows.csv"
    if kind == "safetensors":
        ml.save_safetensors(folder / "rows.safetensors", ARRAYS)
        return str(folder / "rows.safetensors")
    return {
        "source": ml.data.from_arrays(ARRAYS),
        "dict": ARRAYS,
        "function of a source": lambda: ml.data.from_arrays(ARRAYS),
        "function of a dict": lambda: ARRAYS,
        "function of a data set": Samples,
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        *("source", "dict", "csv", "safetensors"),
        *(f"function of a {what}" for what in ("source", "dict", "data set")),
    ],
)
def test_a_source_of_each_kind(registry, kind: str, tmp_path: Path) -> None:
    registry.register("points", source_of(kind, tmp_path))
    assert not registry.is_loaded("points")
    source = registry.load("points")
    assert registry.is_loaded("points") and registry.load("points") is source
    (batch,) = source.read_batches(10)
    np.testing.assert_array_equal(batch["y"], ARRAYS["y"])


def test_functions_return_data_sets_and_no_texts_or_iterators(registry) -> None:
    class Rows:
        def __iter__(self) -> Any:
            return iter([{"y": 3}, {"y": 5}])

    registry.register("rows", Rows)
    (batch,) = registry.load("rows").read_batches(10)
    assert batch["y"].tolist() == [3, 5]
    for wrong in ("rows.txt", iter(Rows())):
        registry.register("wrong", lambda wrong=wrong: wrong, replace=True)
        with pytest.raises(ml.TypeError, match="E0395"):
            registry.load("wrong")


def test_a_source_is_opened_when_it_is_first_loaded(registry, tmp_path: Path) -> None:
    registry.register("later", tmp_path / "later.safetensors")
    with pytest.raises(ml.InputError, match="E0830"):
        registry.load("later")
    ml.save_safetensors(tmp_path / "later.safetensors", ARRAYS)
    assert registry.load("later").rows == 4


def test_sixteen_threads_open_a_source_once(registry) -> None:
    calls = []

    def opened() -> Any:
        calls.append(threading.get_ident())
        return ARRAYS

    registry.register("points", opened)
    got = results_of_threads(16, lambda: registry.load("points"))
    assert len(calls) == 1 and len(got) == 16 and len(set(map(id, got))) == 1


def test_an_unknown_name_lists_the_nearest(registry) -> None:
    for name in ("mnist", "cifar10"):
        registry.register(name, ARRAYS)
    with pytest.raises(ml.NameError) as caught:
        registry.load("mnits")
    assert str(caught.value) == (
        "mithril.NameError[E0628]: there is no source in the registry 'mnits'\n"
        "  known : cifar10, mnist\n"
        "  help: did you mean 'mnist'?"
    )


def test_a_name_is_taken_until_it_is_replaced(registry) -> None:
    registry.register("mnist", ARRAYS)
    first = registry.load("mnist")
    with pytest.raises(ml.NameError) as caught:
        registry.register("mnist", ARRAYS)
    assert str(caught.value) == (
        "mithril.NameError[E0629]: register: there is a source 'mnist' already\n"
        "  help: choose another name, or pass replace=True"
    )
    registry.register("mnist", {"x": np.zeros(2)}, replace=True)
    assert (first.rows, registry.load("mnist").rows) == (4, 2)
    registry.unregister("mnist")
    assert registry.names == [] and "mnist" not in registry
    assert repr(registry) == "<SourcesRegistry: empty>"


def test_a_source_that_loads_itself_is_an_error(registry) -> None:
    registry.register("mnist", lambda: registry.load("mnist"))
    with pytest.raises(ml.StateError) as caught:
        registry.load("mnist")
    assert str(caught.value) == (
        "mithril.StateError[E0931]: load: the source of 'mnist' loads 'mnist' itself"
    )


def test_what_makes_no_source_is_an_error(registry) -> None:
    for wrong in (7, "rows.parquet", None):
        with pytest.raises(ml.TypeError) as caught:
            registry.register("points", wrong)
        assert "expected : a source, a dict of arrays, a path of a .csv" in str(caught.value)
    registry.register("number", lambda: 7)
    with pytest.raises(ml.TypeError, match="the result of source"):
        registry.load("number")


def test_the_registry_of_the_program() -> None:
    ml.data.register("rows of this test", lambda: ARRAYS)
    try:
        assert ml.data.load("rows of this test").rows == 4
        assert "rows of this test" in ml.data.registry
    finally:
        ml.data.registry.unregister("rows of this test")
