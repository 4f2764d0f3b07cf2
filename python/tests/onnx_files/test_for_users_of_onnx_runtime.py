"""The table of docs/onnx.md for users of ONNX Runtime: each call and each command runs."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from command import COMMAND, network, run_command

import mithril as ml

DOCUMENT = Path(__file__).parents[3] / "docs" / "onnx.md"
PARTS = {"--against onnxruntime", "ml.TrainingStep", 'ml.TorchBackend(device="cuda")'}


def calls():
    """The code of the column of Mithril, in order."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = text.split("## For users of ONNX Runtime")[1].split("\n## ")[0]
    rows = re.findall(r"^\| .* \| (.*) \|$", section, re.MULTILINE)
    found = [code for row in rows for code in re.findall(r"`(.*?)`", row)]
    assert len(found) > 20 and set(found) >= PARTS
    return [code for code in found if code not in PARTS]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    compiled = ml.compile(network(), ml.CpuBackend(), shapes={"x": ["N", 8]}, inference=True)
    ml.to_onnx(compiled, tmp_path / "net.onnx", compiled.get_parameters(seed=3))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_calls_run(folder, capsys):
    names = {"ml": ml, "np": np, "x": np.zeros((2, 8), np.float32)}
    for code in calls():
        if not code.startswith("mithril "):
            exec(compile(code, code, "exec"), names)
    assert "total" in capsys.readouterr().out
    assert list(names["outputs"]) == ["y"] and names["outputs"]["y"].shape == (2, 4)
    assert names["session"].data_keys == ["x"]
    assert (folder / "trace.json").exists() and (folder / "package").is_dir()


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_the_commands_run(folder):
    commands = [code for code in calls() if code.startswith("mithril ")]
    assert len(commands) == 6
    for command in commands:
        ended = run_command(*shlex.split(command)[1:], folder=folder)
        assert ended.returncode == 0, (command, ended.stderr)
    assert (folder / "net.html").exists() and any((folder / "library").iterdir())
