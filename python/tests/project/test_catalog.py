"""Each name of the catalogue works, or is listed as missing, as in docs/catalog.md."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from catalog import CATALOG, Entry, class_of, entries, parameters, same
from catalog_notes import ABSENT

import mithril as ml
from mithril import _core

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("section", CATALOG)
def test_each_name_is_here_or_deliberately_not(section: str) -> None:
    lacking = [entry.name for entry in entries(section) if not entry.here and not entry.absent]
    assert lacking == []


def test_names_that_are_deliberately_absent_do_not_exist() -> None:
    found = {
        described["name"]
        for section, names in CATALOG.items()
        for described in names
        if class_of(section, described["name"]) is not None
    }
    assert found & set(ABSENT) == set()


def test_the_document_is_up_to_date() -> None:
    tool = ROOT / "tools" / "make_catalog_doc"
    run = subprocess.run([sys.executable, str(tool), "--check"], check=False)
    assert run.returncode == 0, "run tools/make_catalog_doc"


def test_constructors_are_read_from_their_signatures() -> None:
    assert parameters("kernel_size, padding=(0, 0), t=<Constant.X: 2>(kw), name=None(kw)") == [
        ("kernel_size", None),
        ("padding", "(0, 0)"),
        ("t", "<Constant.X: 2>"),
    ]
    assert parameters("n=1, name=None(kw), **kwargs") == [("n", "1")]


def test_defaults_are_compared_as_values() -> None:
    assert same("1e-05", 1e-5) and same("(0, 0)", (0, 0)) and same("<Constant.X: 2>", None)
    assert not same("0", 1) and not same("''", None)


def of(entries: list[Entry], name: str) -> Entry:
    return next(entry for entry in entries if entry.name == name)


def test_a_missing_port_and_a_missing_argument_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    relu = {
        "name": "Relu",
        "sig": "slope=1, input=TBD, name=None(kw)",
        "inputs": ["input", "slope"],
        "outputs": ["output", "mask"],
        "vals": None,
    }
    monkeypatch.setitem(CATALOG, "primitives", [relu])
    assert of(entries("primitives"), "Relu").differs == [
        "no argument slope",
        "no port slope",
        "no port mask",
    ]


def test_other_canonical_ports_and_shapes_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    linear = {
        "name": "Linear",
        "sig": "dimension=None, use_bias=True",
        "inputs": ["input", "weight", "bias"],
        "outputs": ["output"],
        "shapes": {"input": ["u1", "(V1, ...)", "u2"], "bias": [1, "u3"]},
        "cin": ["input", "weight"],
        "cout": ["output"],
    }
    monkeypatch.setitem(CATALOG, "models", [linear])
    assert of(entries("models"), "Linear").differs == [
        "chains to input, not input or weight",
        "bias is [O], not [1, u3]",
    ]


ALIASES = [record for record in _core.library() if record.get("alias_of")]


def test_there_are_aliases() -> None:
    assert {record["name"] for record in ALIASES} == {"Convolution1D", "Convolution2D"}


@pytest.mark.parametrize("record", ALIASES, ids=lambda record: record["name"])
def test_an_alias_makes_a_model_of_its_class(record: dict[str, Any]) -> None:
    here = {there: name for there, name in record["renamed"]}
    made = getattr(ml, record["name"])(kernel_size=3, out_channels=4)
    own = getattr(ml, record["alias_of"])(kernel_size=3, **{here["out_channels"]: 4})
    assert made.class_name == own.class_name == record["alias_of"]
    assert made == own
    assert json.loads(made.to_json()) == json.loads(own.to_json())
    arguments = [argument["name"] for argument in record["arguments"]]
    of_class = next(entry for entry in _core.library() if entry["name"] == record["alias_of"])
    assert [here.get(name, name) for name in arguments] == [
        argument["name"] for argument in of_class["arguments"]
    ]


def test_no_other_layers_are_duplicates() -> None:
    """Two names of one layer would have one text and the same ports."""
    layers = [record for record in _core.library() if record["op"] is None]
    named = [record for record in layers if not record["alias_of"]]
    texts = {(record["doc"], repr(record["ports"])) for record in named}
    assert len(texts) == len(named)
