"""The cases of the Python library of this name, and the runner that compares with them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from case_files import read_case
from conformance import NOT_THERE_YET, TOLERANCE, Outcome, run_case, run_file
from processes import environment

CASES = Path(__file__).parents[3] / "tests" / "conformance" / "cases"
RUNNER = CASES.parent / "conformance.py"
FILES = {"primitives.json": 60, "models.json": 60, "train_models.json": 31}  # at least

RELU = {
    "model": "Relu",
    "inputs": {"input": [[1.0, -2.0], [4.0, 0.0]]},
    "output_grad": [[1.0, 1.0], [3.0, 1.0]],
    "results": {
        "eval": [[1.0, 0.0], [4.0, 0.0]],
        "grad": {"input": [[1.0, 0.0], [3.0, 0.0]]},
    },
}


def run(case: dict[str, Any], tolerance: float = TOLERANCE) -> Outcome:
    return run_case("case", case, "cpu", tolerance)


def with_results(**results: Any) -> dict[str, Any]:
    return RELU | {"results": RELU["results"] | results}


@pytest.mark.parametrize("file", FILES)
def test_cases_fail_only_for_missing_models(file: str) -> None:
    outcomes = run_file(CASES / file, "cpu", TOLERANCE)
    assert len(outcomes) >= FILES[file]
    assert [
        outcome for outcome in outcomes if outcome.failure and outcome.lacks not in NOT_THERE_YET
    ] == []


# Any two ways of the three are met: instructions, levels of optimization and threads. At "none" ops
# are computed one by one; at "max" loops are compiled, which takes so long that each file is run so
# once.
WAYS = [
    ("portable", "none", 2, [*FILES]),
    ("portable", "standard", 1, [*FILES]),
    ("portable", "max", 1, ["primitives.json"]),
    ("avx2", "none", 1, [*FILES]),
    ("avx2", "standard", 2, [*FILES]),
    ("avx2", "max", 2, ["models.json"]),
    ("avx512", "none", 1, [*FILES]),
    ("avx512", "standard", 2, [*FILES]),
    ("avx512", "max", 1, ["train_models.json"]),
]


@pytest.mark.parametrize(("instructions", "level", "threads", "files"), WAYS)
@pytest.mark.sampled(4)  # shares no factor with the levels, so each of them occurs
def test_no_case_fails_in_other_ways(
    instructions: str, level: str, threads: int, files: list[str], tmp_path: Path
) -> None:
    if level == "max" and not shutil.which("c++"):
        pytest.skip("there is no C++ compiler")
    run = subprocess.run(
        [sys.executable, RUNNER, "--level", level, "--threads", str(threads), *files],
        cwd=CASES,
        env=environment(MITHRIL_INSTRUCTIONS=instructions, MITHRIL_CACHE_DIR=str(tmp_path)),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert run.stdout.endswith(" passed, 0 failed\n"), run.stdout


def test_the_list_of_missing_models_is_exact() -> None:
    lacking = {
        outcome.lacks for file in FILES for outcome in run_file(CASES / file, "cpu", TOLERANCE)
    }
    assert lacking - {""} == NOT_THERE_YET


def test_a_good_result_passes() -> None:
    assert run(RELU) == Outcome("case", fine=True)


def test_a_wrong_output_is_reported_with_its_position_and_difference() -> None:
    failure = run(with_results(eval=[[1.0, 0.0], [4.5, 0.0]])).failure
    assert failure == ("output output: expected 4.5, got 4.0 at [1, 0], off by 0.5, relative 0.11")


def test_a_wrong_gradient_is_reported() -> None:
    outcome = run(with_results(grad={"input": [[1.0, 0.0], [3.0, 1e-3]]}))
    assert outcome.failure.startswith("gradient of input: expected 0.001, got 0.0")


def test_shapes_are_compared_exactly() -> None:
    failure = run(with_results(eval=[[[1.0, 0.0], [4.0, 0.0]]])).failure
    assert failure == "output output: expected shape (1, 2, 2), got (2, 2)"


def test_the_tolerance_decides() -> None:
    near = with_results(eval=[[1.0, 0.0], [4.0 + 1e-10, 0.0]])
    assert run(near).failure
    assert run(near, tolerance=1e-9) == Outcome("case")


def test_a_relative_difference_is_enough() -> None:
    case = {
        "model": "Relu",
        "inputs": {"input": [1e20, 1e30]},
        "results": {"eval": [1.00000000000001e20, 1e30]},
    }
    assert run(case).failure == ""


def test_a_result_that_is_no_number_fails() -> None:
    case = {"model": "Log", "inputs": {"input": [-1.0]}, "results": {"eval": [0.0]}}
    assert "got nan" in run(case).failure


def test_a_key_too_few_or_too_many_fails() -> None:
    case = {"model": "Relu", "inputs": {"input": [1.0]}, "output_grads": {"output": [1.0]}}
    results = {"eval": {"out": [1.0]}, "grad": {}}
    failure = run(case | {"results": results}).failure
    assert failure == "output out is missing; output output is unexpected"


def test_the_reference_is_that_of_the_framework() -> None:
    case = with_results(eval={"jax": 1, "numpy": 2, "torch": 3})
    assert read_case(case, "numpy").outputs == {"output": 2}
    assert read_case(case, "torch").outputs == {"output": 3}


def test_a_port_of_values_gets_the_value() -> None:
    case = {
        "model": "Reshape",
        "inputs": {"input": [1.0, 2.0], "shape": [2, 1]},
        "results": {"eval": [[1.0], [2.0]]},
    }
    assert run(case).failure == ""


def test_whole_numbers_are_floats_where_a_gradient_is_asked_for_and_ints_elsewhere() -> None:
    case = RELU | {"inputs": {"input": [[1, -2], [4, 0]]}}
    assert run(case).failure == ""
    ints = {"model": "ArgMax", "inputs": {"input": [1, 3, 2]}, "results": {"eval": 1}}
    assert run(ints).failure == ""
    floats = {"model": "Log", "inputs": {"input": [1, 1]}, "results": {"eval": [0.0, 0.0]}}
    assert run(floats).failure == ""


def test_outputs_that_hold_values_are_compared() -> None:
    case = {"model": "Shape", "inputs": {"input": [[1.0, 2.0]]}, "results": {"eval": [1, 2]}}
    assert run(case).failure == ""
    case = {"model": "Size", "inputs": {"input": [[1.0, 2.0]]}, "results": {"eval": {"output": 3}}}
    assert run(case).failure.startswith("output output: expected 3.0, got 2.0")


@pytest.mark.parametrize(("member", "padded"), [(0, [3.0]), (1, [2.0, 3.0, 3.0])])
def test_a_member_of_an_enumeration_is_a_number(member: int, padded: list[float]) -> None:
    case = {
        "model": {
            "name": "MaxPool1D",
            "args": {"kernel_size": 3, "stride": 1, "padding": member},
            "enums": {"padding": "PaddingType"},
        },
        "inputs": {"input": [[[1.0, 2.0, 3.0]]]},
        "results": {"eval": {"output": [[padded]]}},
    }
    assert run(case).failure == ""


def test_a_training_case_is_compared_by_its_cost_and_gradients() -> None:
    case = {
        "model": {"name": "Linear", "args": {"dimension": 1, "use_bias": False}},
        "inputs": {"weight": [[2.0]]},
        "static_keys": {"input": [[1.0], [2.0]], "target": [[0.0], [0.0]]},
        "output_specs": {"output": {"loss": "SquaredError", "target_key": "target"}},
        "discard_keys": ["output"],
        "results": {"eval": {"final_cost": 10.0}, "grad": {"weight": [[10.0]]}},
    }
    assert run(case).failure == ""
    case["results"] = {"eval": {"final_cost": 9.0}, "grad": {"weight": [[10.0]]}}
    assert "output final_cost: expected 9.0, got 10.0" in run(case).failure


WITHOUT = {"model": "Relu", "inputs": {"input": [1.0]}}
MISTAKES = {
    "no results": (WITHOUT, "/: the field 'results' is missing"),
    "no eval": (WITHOUT | {"results": {}}, "/results: the field 'eval' is missing"),
    "no object": (RELU | {"inputs": [1]}, "/inputs: expected an object, got [1]"),
    "unknown input": (
        RELU | {"inputs": {"inptu": [1.0]}},
        "/inputs/inptu: NameError: mithril.NameError[E0606]: there is no key 'inptu'",
    ),
    "ragged": (RELU | {"inputs": {"input": [[1.0], [1.0, 2.0]]}}, "/inputs/input: ValueError: "),
    "unknown port": (
        RELU
        | {
            "model": {
                "name": "Model",
                "submodels": {"m": "Relu"},
                "connections": {"m": {"inptu": "x"}},
            }
        },
        "/model: NameError: mithril.NameError[E0604]: /connections/m: Relu has no port 'inptu'",
    ),
    "argument of another kind": (
        RELU | {"model": {"name": "Softmax", "args": {"axis": "x"}}},
        "/model: TypeError: mithril.TypeError[E0304]: /args: Softmax: argument 'axis' has the",
    ),
    "unknown constant": (
        RELU | {"static_inputs": {"inptu": [1.0]}},
        "/static_inputs/inptu: NameError: ",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_case_is_reported_with_its_position(name: str) -> None:
    case, wanted = MISTAKES[name]
    assert run(case).failure.startswith(wanted)


def test_a_model_that_the_library_lacks_is_named() -> None:
    outcome = run(RELU | {"model": {"name": "Model", "submodels": {"part": "Relux"}}})
    assert (outcome.failure, outcome.lacks) == ("lacks Relux", "Relux")


def test_a_case_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"bad": {"model": "Relu", "inputs": {}}, "good": RELU}))
    bad, good = run_file(file, "cpu", TOLERANCE)
    assert bad.failure and not good.failure
    for text in ("{", "[1]"):
        file.write_text(text)
        assert [outcome.failure != "" for outcome in run_file(file, "cpu", TOLERANCE)] == [True]
