"""The checkpoints of the training loop ml.fit."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import environment
from test_fit import BACKENDS, Arrays, network, rows, step_of

import mithril as ml


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_run_continues_with_the_same_bits(kind: str, tmp_path: Path) -> None:
    model = network(BACKENDS[kind]())
    data, held_out = rows(100, 0), rows(30, 1)
    options: Arrays = {"accumulate": 3, "average": ml.EMA(0.9)}

    def run(epochs: int, folder: str) -> tuple[ml.History, ml.TrainingStep]:
        step = step_of(model, **options)
        return (
            ml.fit(
                step,
                data,
                epochs=epochs,
                validation=held_out,
                checkpoint=tmp_path / folder,
                progress=False,
            ),
            step,
        )

    whole, step = run(5, "whole")
    run(2, "parts")
    shutil.copytree(tmp_path / "parts", tmp_path / "moved")
    continued, other = run(5, "moved")
    assert [epoch["loss"] for epoch in whole.epochs] == [
        epoch["loss"] for epoch in continued.epochs
    ]
    assert whole.best_epoch == continued.best_epoch
    for ours, theirs in (
        (whole.params, continued.params),
        (whole.best, continued.best),
        (step.state, other.state),
        (step.optimizer.state_dict(), other.optimizer.state_dict()),
        (whole.best_state, continued.best_state),
    ):
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            np.testing.assert_array_equal(np.asarray(theirs[key]), np.asarray(value))


@pytest.mark.parametrize("kind", BACKENDS)
def test_an_interruption_between_the_two_files_loses_no_data(kind: str, tmp_path: Path) -> None:
    model = network(BACKENDS[kind]())

    def run(folder: str, epochs: int) -> ml.History:
        return ml.fit(
            step_of(model, average=ml.EMA(0.9)),
            rows(64, 0),
            epochs=epochs,
            averages=True,
            checkpoint=tmp_path / folder,
            progress=False,
        )

    run("parts", 1)
    best = tmp_path / "parts" / "best.safetensors"
    written = best.read_bytes()
    best.unlink()
    run("parts", 1)
    assert best.read_bytes() == written
    whole, parts = run("whole", 3), run("parts", 3)
    for key, value in whole.best.items():
        np.testing.assert_array_equal(np.asarray(parts.best[key]), np.asarray(value))


def test_last_is_a_checkpoint_that_load_reads(tmp_path: Path) -> None:
    step = step_of(network(ml.CpuBackend()))
    history = ml.fit(step, rows(64, 0), epochs=2, checkpoint=tmp_path, progress=False)
    saved = ml.load(tmp_path / "last.safetensors")
    for ours, theirs in (
        (history.params, saved.params),
        (step.state, saved.state),
        (step.optimizer.state_dict(), saved.optimizer),
    ):
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            np.testing.assert_array_equal(theirs[key], value)


def test_numbers_that_are_not_finite_survive_a_checkpoint(tmp_path: Path) -> None:
    numbers = [float("nan"), float("inf"), -float("inf"), 0.1]

    def run() -> ml.History:
        left = iter(numbers)
        return ml.fit(
            step_of(network(ml.CpuBackend())),
            rows(8, 0),
            epochs=4,
            validation=rows(8, 1),
            metrics={"metric": lambda outputs, batch: next(left)},
            checkpoint=tmp_path,
            progress=False,
        )

    run()
    np.testing.assert_array_equal([epoch["metric"] for epoch in run().epochs], numbers)


def test_validation_may_begin_after_a_checkpoint(tmp_path: Path) -> None:
    def run(**options: Any) -> ml.History:
        step = step_of(network(ml.CpuBackend()))
        return ml.fit(step, rows(32, 0), checkpoint=tmp_path, progress=False, **options)

    run(epochs=2)
    assert run(epochs=3, validation=rows(8, 1)).best_epoch == 3


@pytest.mark.parametrize("first", ["cpp", "py"])
@pytest.mark.slow
def test_cpp_and_python_continue_runs_of_each_other(first: str, tmp_path: Path) -> None:
    """examples/validate_digits.cpp and examples/python/validate_digits.py are the same program."""
    program = Path(ml.__file__).parents[2] / "examples" / "validate_digits"
    if not program.exists():
        pytest.skip("the examples in C++ are not built")
    root = Path(__file__).parents[3]
    programs = {"cpp": [program], "py": [sys.executable, "examples/python/validate_digits.py"]}

    def run(language: str, folder: str, epochs: int) -> str:
        command = [*programs[language], tmp_path / folder, str(epochs)]
        ran = subprocess.run(
            command, cwd=root, env=environment(), capture_output=True, text=True, check=True
        )
        return ran.stdout.splitlines()[-1]

    second = "py" if first == "cpp" else "cpp"
    run(first, "parts", 1)
    lines = {run(second, "parts", 3), run(first, "whole", 3), run(second, "other", 3)}
    assert len(lines) == 1
    whole, parts, other = (
        ml.load(tmp_path / folder / "last.safetensors") for folder in ("whole", "parts", "other")
    )
    for resumed in (parts, other):
        for ours, theirs in (
            (whole.params, resumed.params),
            (whole.state, resumed.state),
            (whole.optimizer, resumed.optimizer),
        ):
            assert ours.keys() == theirs.keys()
            assert all(theirs[key].tobytes() == value.tobytes() for key, value in ours.items())


def test_the_best_file_has_parameters_and_state(tmp_path: Path) -> None:
    step = step_of(network(ml.CpuBackend()))
    history = ml.fit(step, rows(64, 0), epochs=2, checkpoint=tmp_path, progress=False)
    kept = ml.load(tmp_path / "best.safetensors")
    assert kept.state
    for ours, theirs in ((history.best, kept.params), (history.best_state, kept.state)):
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            np.testing.assert_array_equal(theirs[key], value)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from test_fit import network, rows, step_of
import mithril as ml

model = network(ml.CpuBackend())
seen = []

def kill(x):
    seen.append(x)
    if len(seen) == 3 * 4 + 2:  # in the middle of the fourth epoch
        os.kill(os.getpid(), signal.SIGKILL)

model.register_hook("x", kill)
ml.fit(step_of(model), rows(100, 0), epochs=6, checkpoint=sys.argv[2], progress=False)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_run_continues_with_the_same_bits(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(tmp_path)]
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr
    model = network(ml.CpuBackend())
    whole = ml.fit(step_of(model), rows(100, 0), epochs=6, progress=False)
    ran: list[int] = []
    continued = ml.fit(
        step_of(model),
        rows(100, 0),
        epochs=6,
        checkpoint=tmp_path,
        callbacks=[lambda history: ran.append(len(history.epochs))],
        progress=False,
    )
    assert ran == [4, 5, 6]
    assert [epoch["loss"] for epoch in continued.epochs] == [
        epoch["loss"] for epoch in whole.epochs
    ]
    for key, value in whole.params.items():
        np.testing.assert_array_equal(continued.params[key], value)


@pytest.mark.parametrize(
    "text", [None, "{", "[]", '{"epochs": []}', '{"epochs": [3], "best_epoch": 0}',
             '{"epochs": [], "best_epoch": 0}']
)  # fmt: skip
def test_a_checkpoint_of_something_else_is_refused(text: str | None, tmp_path: Path) -> None:
    model = network(ml.CpuBackend())
    path = tmp_path / "last.safetensors"
    ml.save(path, model.get_parameters(), metadata={} if text is None else {"fit": text})
    with pytest.raises(ml.InputError) as caught:
        ml.fit(step_of(model), rows(8, 0), epochs=1, checkpoint=tmp_path)
    assert str(caught.value) == (
        f"mithril.InputError[E0844]: fit: '{path}' is not a checkpoint of fit\n"
        "  help: choose another folder for checkpoint"
    )


def test_a_folder_that_cannot_be_made_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "run"
    params = network(ml.CpuBackend()).get_parameters()
    before = {key: value.copy() for key, value in params.items()}
    with pytest.raises(ml.InputError) as caught:
        ml.fit(
            step_of(network(ml.CpuBackend())),
            rows(8, 0),
            epochs=1,
            params=params,
            checkpoint=folder,
            progress=False,
        )
    assert str(caught.value) == (
        f"mithril.InputError[E0831]: {folder}: the folder cannot be made\n  why : Not a directory"
    )
    for key, value in params.items():
        np.testing.assert_array_equal(value, before[key])


def test_a_checkpoint_of_another_optimizer_is_refused_without_changes(tmp_path: Path) -> None:
    model = network(ml.CpuBackend())
    ml.fit(
        ml.TrainingStep(model, ml.SGD(0.1)),
        rows(8, 0),
        epochs=1,
        checkpoint=tmp_path,
        progress=False,
    )
    params = model.get_parameters(seed=3)
    before = {key: value.copy() for key, value in params.items()}
    with pytest.raises(ml.StateError, match="E0903"):
        ml.fit(
            step_of(model), rows(8, 0), epochs=2, params=params, checkpoint=tmp_path, progress=False
        )
    for key, value in params.items():
        np.testing.assert_array_equal(value, before[key])
