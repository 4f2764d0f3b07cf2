"""The Python examples work as described."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["train_digits", "validate_digits"])
def test_digits_are_told(name):
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


def test_digits_are_told_by_a_small_program_without_mithril(tmp_path):
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
