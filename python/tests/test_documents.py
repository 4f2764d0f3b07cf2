"""What is generated is up to date, and the programs in the README are what they say."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools"


def readme_blocks(language):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def without_spaces(text):
    return re.sub(r"\s+", "", text)


def test_the_program_in_cpp_is_the_example():
    example = without_spaces((ROOT / "examples/train_digits.cpp").read_text(encoding="utf-8"))
    example = example.replace("network()(", "net(")  # a function there
    lines = readme_blocks("cpp")[0].splitlines()
    other = [line for line in lines if without_spaces(line) not in example]
    assert other == []


def test_the_programs_in_python_run():
    training, expression, *_, json = readme_blocks("python")
    images = np.random.default_rng(0).normal(size=(3, 1, 8, 8)).astype(np.float32)
    names = {"ml": ml, "np": np, "data": {"image": images, "label": np.array([1, 0, 9])}}
    for program in (training, expression, json):
        exec(program, names)
    assert names["outputs"]["logits"].shape == (3, 10)
    assert names["outputs"]["loss"].shape == ()
    assert names["block"].output_keys == ["output"]
    assert names["read"] == names["net"]


@pytest.mark.parametrize("tool", ["make_ops_doc", "make_stubs"])
def test_what_is_generated_is_true(tool):
    run = subprocess.run([sys.executable, str(TOOLS / tool), "--check"], check=False)
    assert run.returncode == 0, f"run tools/{tool}"
