"""The docstrings of the library: each example runs, and each lists the ports."""

import re
from typing import Any

import pytest
from mithril._internal.records import public_records

import mithril as ml

RECORDS = {record["name"]: record for record in public_records()}


@pytest.mark.parametrize("name", RECORDS)
def test_the_example_runs(name: str) -> None:
    text, _, example = getattr(ml, name).__doc__.rpartition("\nExample:\n")
    names: dict[str, Any] = {"ml": ml, "model": ml.Model()}
    code, _, page = example.partition("\n\nSee ")
    exec(code.strip(), names)
    assert names["model"].output_keys
    assert "\nPorts:\n" in text, "no port is told"
    assert page == "docs/ops.md."


@pytest.mark.parametrize("name", [name for name, record in RECORDS.items() if not record["op"]])
def test_each_line_of_ports_names_one_port_and_its_shape_or_type(name: str) -> None:
    lines = getattr(ml, name).__doc__.partition("\nPorts:\n")[2].partition("\n\n")[0].splitlines()
    assert lines
    for line in lines:
        assert re.fullmatch(r"    \w+( \[[^][]*\].*|: \w.*)", line), line


def test_the_ports_of_an_op_read_as_shapes() -> None:
    ports = ml.CrossEntropy.__doc__.partition("Ports:\n")[2]
    assert "    input [N, C, ...s] ints or floats\n    target [...t]\n" in ports
    assert "    input_type: str\n" in ports
    assert "    left [...a] or a value\n" in ml.Add.__doc__


def test_the_arguments_of_a_list_port_are_shown_as_a_list() -> None:
    assert 'ml.Concat()(input=["x1", "x2"], output="y")' in ml.Concat.__doc__


def test_names_of_other_libraries_are_mapped_to_names_of_mithril() -> None:
    with pytest.raises(AttributeError, match="'NumpyBackend'\n  help: use CpuBackend"):
        ml.NumpyBackend  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'mithril' has no attribute 'nothing'$"):
        ml.nothing  # noqa: B018
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    with pytest.raises(AttributeError, match=r"use evaluate\(params, data, output_gradients"):
        compiled.evaluate_all  # noqa: B018
    assert not hasattr(compiled, "nothing")
