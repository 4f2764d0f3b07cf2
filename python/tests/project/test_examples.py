"""The Python examples work as described."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from processes import environment

import mithril as ml

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["train_digits", "validate_digits"])
def test_digits_are_classified(name):
    program = ROOT / "examples" / "python" / f"{name}.py"
    run = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=300
    )
    match = re.fullmatch(r"test accuracy (0\.\d{4})", run.stdout.splitlines()[-1])
    assert match and float(match[1]) >= 0.97


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


def held_out_digits():
    """The test images as lines of numbers from 0 to 16, and their labels."""
    example = runpy.run_path(str(ROOT / "examples" / "python" / "train_digits.py"))
    images, labels = example["load_digits"]()
    test = np.random.default_rng(0).permutation(len(images))[1437:]
    lines = [" ".join(str(int(16 * pixel)) for pixel in images[i].flat) for i in test]
    return "\n".join(lines), labels[test]


@pytest.mark.slow
def test_digits_are_classified_by_a_small_program_without_mithril(tmp_path):
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
    lines, labels = held_out_digits()
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
