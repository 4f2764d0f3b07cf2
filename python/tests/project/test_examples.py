"""The Python examples work as described."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from processes import environment

import mithril as ml

ROOT = Path(__file__).parents[3]


@pytest.fixture
def example(monkeypatch):
    """Imports a module of examples/python."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "python"))
    return import_module


@pytest.fixture
def terminal(example):
    return example("terminal")


def test_a_network_solves_a_differential_equation(example, capsys):
    assert example("solve_ode").main() < 1e-3
    assert "largest error of u" in capsys.readouterr().out


def test_newtons_method_converges_quadratically(example):
    norms = example("newton").main()
    assert norms[4] < 1e-3 and norms[6] < 1e-11


def test_an_ensemble_disagrees_where_there_is_no_data(example):
    disagreement, _ = example("ensemble").main()
    assert disagreement > 3


def test_maml_learns_to_learn(example):
    before, after = example("maml").main()
    assert before > 1 and after < 0.3


@pytest.mark.slow
def test_score_matching_finds_the_score(example):
    assert example("score_matching").main() < 0.2


def test_beam_search_finds_the_best_of_all_sequences(example):
    greedy, beams, best = example("beam_search").main()
    assert greedy < best - 0.1 and abs(beams - best) < 1e-4


@pytest.mark.slow
def test_a_diffusion_sampler_fills_its_clusters(example):
    near, evenness = example("sample_diffusion").main()
    assert near > 0.9 and evenness > 0.8


@pytest.mark.slow
def test_a_gradient_penalty_trains_a_generator(example):
    assert example("gradient_penalty").main() < 0.3


@pytest.mark.slow
def test_validated_digits_are_classified():
    program = ROOT / "examples" / "python" / "validate_digits.py"
    run = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=300
    )
    match = re.fullmatch(r"test accuracy (0\.\d{4})", run.stdout.splitlines()[-1])
    assert match and float(match[1]) >= 0.97


def shown_by_train_digits(run, package):
    """The parts of what the program says, and the commands that it ends with."""
    done = subprocess.run(
        run, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stderr == ""
    shape = (
        r"Model\npart .*\nconv2d +Conv2d +output \[N, 16, 8, 8\].*\n"  # the tree
        r"epoch +1  loss .*\n\nloss of each step\n +\d+\.\d{3} \|\*.*"  # the curve
        r"\n(?:predicted \d(?:, is \d)? *){4}\n\ntest accuracy (0\.\d{4})\n"
        r"saved (\S+)\nNext:\n(.*)"
    )
    parts = re.fullmatch(shape, done.stdout, re.DOTALL)
    assert parts, done.stdout
    assert float(parts[1]) >= 0.97
    assert parts[2] == str(package)
    info = ml.load_package(package).info
    assert [(port.name, port.shape[1:]) for port in info.inputs] == [("image", [1, 8, 8])]
    assert [port.name for port in info.outputs] == ["logits"]
    return [line.split(" #")[0].split() for line in parts[3].splitlines()]


def test_train_digits_ends_with_what_a_newcomer_wants_to_see(tmp_path):
    package = tmp_path / "digits.zip"
    program = [sys.executable, "examples/python/train_digits.py", "12", package]
    commands = shown_by_train_digits(program, package)
    assert [" ".join(command[1:]) for command in commands] == [
        f"-m mithril package inspect {package}",
        f"-m mithril serve {package}",
        "examples/python/own_ops.py",
    ]
    for command in (commands[0], [*commands[1], "--help"], commands[2]):
        subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, check=True)


@pytest.mark.slow
def test_train_digits_in_cpp_ends_with_what_a_newcomer_wants_to_see(tmp_path):
    program = Path(ml.__file__).parents[2] / "examples" / "train_digits"
    if not program.exists():
        pytest.skip("the examples in C++ are not built")
    package = tmp_path / "digits.zip"
    run = [program, "12", "examples/data/digits.bin", package]
    commands = shown_by_train_digits(run, package)
    assert commands == [
        ["make", "python"],
        [".venv/bin/python", "examples/python/train_digits.py"],
        [".venv/bin/python", "-m", "mithril", "serve", str(package)],
    ]


def test_a_curve_has_a_column_for_each_value(terminal):
    assert terminal.curve([]) == ""
    assert terminal.curve([7, 6, 5, 4, 3, 2, 1, 0]) == (
        "   7.000 |*\n"
        "         | *\n"
        "         |  *\n"
        "         |   *\n"
        "         |    *\n"
        "         |     *\n"
        "         |      *\n"
        "   0.000 |       *\n"
        "         +--------\n"
    )


def test_a_long_curve_shows_means(terminal):
    lines = terminal.curve([1, 3] * 30 + [9, 11] * 29).splitlines()  # 118 values, two per column
    assert lines[0] == "  10.000 |" + " " * 30 + "*" * 29
    assert lines[-2] == "   2.000 |" + "*" * 30


def test_pictures_are_side_by_side(terminal):
    images = np.array([[[[0, 0.5], [0.95, 1]]], [[[1, 0], [0, 0]]]], np.float32)
    assert terminal.pictures(images, ["a", "b"]) == "  ++  @@\n@@@@\na     b\n"


def test_ops_of_users_are_trained():
    program = ROOT / "examples" / "python" / "own_ops.py"
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    first, last = re.fullmatch(r"loss (\S+) -> (\S+)\n", run.stdout).groups()
    assert float(last) < 0.1 * float(first)


@pytest.mark.slow
def test_wrong_labels_are_found(tmp_path):
    program = ROOT / "examples" / "python" / "find_mislabelled.py"
    run = subprocess.run(
        [sys.executable, program, tmp_path], capture_output=True, text=True, check=True
    )
    found = re.search(r"^(\d+\.\d)% of 173 changed labels are among the lowest", run.stdout, re.M)
    assert found and float(found[1]) >= 90
    if find_spec("matplotlib") is None:
        assert run.stdout.endswith("there is no page without matplotlib: pip install matplotlib\n")
        return
    for name in ("samples", "curve"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert f'src="{name}.png"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_training_can_be_private():
    pytest.importorskip("opacus", reason="opacus is not installed")
    program = ROOT / "examples" / "python" / "private_training.py"
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    last = run.stdout.splitlines()[-1]
    accuracy, epsilon = re.fullmatch(
        r"test accuracy (0\.\d{4})  epsilon (\d+\.\d\d)  delta 0\.0001", last
    ).groups()
    assert float(accuracy) >= 0.85
    assert 7 < float(epsilon) < 9


def test_private_training_names_the_package_that_it_needs():
    program = ROOT / "examples" / "python" / "private_training.py"
    code = "import runpy, sys; sys.modules['opacus'] = None; runpy.run_path(sys.argv[1])"
    run = subprocess.run(
        [sys.executable, "-c", code, program],
        env={**os.environ, "PYTHONPATH": f"{program.parent}:{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    needed = "private_training needs the accountant of Opacus: pip install opacus\n"
    assert (run.returncode, run.stderr) == (1, needed)


def test_the_example_of_fit_is_short():
    source = (ROOT / "examples" / "python" / "validate_digits.py").read_text(encoding="utf-8")
    body = re.search(r"^def main.*?\n(.*?)\n\n", source, re.DOTALL | re.MULTILINE)
    assert body and len(body[1].splitlines()) <= 14


def held_out_digits(example):
    """The test images as lines of numbers from 0 to 16, and their labels."""
    images, labels = example("train_digits").load_digits()
    test = np.random.default_rng(0).permutation(len(images))[1437:]
    lines = [" ".join(str(int(16 * pixel)) for pixel in images[i].flat) for i in test]
    return "\n".join(lines), labels[test]


@pytest.mark.slow
def test_digits_are_classified_by_a_small_program_without_mithril(tmp_path, example):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    export = [sys.executable, ROOT / "examples" / "python" / "export_digits.py", tmp_path]
    promised = subprocess.run(export, capture_output=True, text=True, check=True).stdout
    answer = tmp_path / "answer"
    sources = [ROOT / "examples" / "standalone" / "answer.cpp", *tmp_path.glob("*.cpp")]
    subprocess.run(
        [compiler, "-O2", "-static", f"-I{tmp_path}", *sources, "-o", answer], check=True
    )
    assert answer.stat().st_size < 3_000_000
    lines, labels = held_out_digits(example)
    for name in ("mlp", "cnn"):
        run = [answer, name]
        told = subprocess.run(run, input=lines, capture_output=True, text=True, check=True).stdout
        accuracy = np.mean([int(digit) for digit in told.split()] == labels)
        assert f"{name}: test accuracy {accuracy:.4f}" in promised
        assert accuracy >= 0.96


@pytest.mark.parametrize("language", ["py", "cpp"])
def test_the_flow_of_the_readme(language, tmp_path):
    program = Path(ml.__file__).parents[2] / "examples" / "deploy_digits"
    if language == "cpp" and not program.exists():
        pytest.skip("the examples in C++ are not built")
    command = {"cpp": [program], "py": [sys.executable, "examples/python/deploy_digits.py"]}
    run = subprocess.run(
        [*command[language], tmp_path / "digits.zip", "3"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = dict(line.split() for line in run.stdout.splitlines()[-3:])
    assert list(lines) == ["deployed", "packaged", "served"]
    assert len(set(lines.values())) == 1
    assert float(lines["served"]) >= 0.9
