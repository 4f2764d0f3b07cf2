"""Every line of code of the README runs, and its links and pictures exist."""

import contextlib
import io
import json
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from processes import environment
from web_tools import has_wasm

import mithril as ml

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
LIMIT = 300  # seconds, which only a process that hangs takes
# What a line of Python needs besides NumPy. Elsewhere the tests of these targets skip, too.
NEEDS = {
    "TorchBackend": lambda: find_spec("torch") is not None,
    "JaxBackend": lambda: find_spec("jax") is not None,
    '"wasm"': has_wasm,
}


def blocks(language):
    return [code for name, code in BLOCKS if name == language]


class Ran(NamedTuple):
    """The names after the Python blocks ran in order, in a folder, and what some lines lack."""

    names: dict[str, Any]
    printed: list[str]
    folder: Path
    left_out: list[str]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    names, left_out, folder = {}, [], tmp_path_factory.mktemp("readme")
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.chdir(folder)
        for number, block in enumerate(blocks("python")):
            lines = []
            for line in block.splitlines():
                missing = [need for need, there in NEEDS.items() if need in line and not there()]
                left_out += missing
                lines.append("" if missing else line)
            exec(compile("\n".join(lines), f"README.md, block {number + 1}", "exec"), names)
    return Ran(names, output.getvalue().splitlines(), folder, left_out)


def printed_in_comments(language):
    """What the README says that the blocks of a language print."""
    return re.findall(r"(?:#|//) (loss [\d.]+)$", "\n".join(blocks(language)), re.MULTILINE)


def test_each_block_has_a_language_that_is_run():
    assert [name for name, _ in BLOCKS] == ["sh", "python", "cpp", "python", "sh", "sh"]
    assert len(README.splitlines()) <= 150


def test_the_python_runs(ran):
    assert ran.printed == printed_in_comments("python")
    assert ran.names["scores"].argmax(1).tolist() == [0, 1, 1, 0]
    made = {"xor.cpp", "xor.mjs", "xor.d.mts", "xor.zip"}
    if '"wasm"' not in ran.left_out:
        made.add("xor-wasm")
    assert {path.name for path in ran.folder.iterdir()} == made
    if ran.left_out:
        pytest.skip(f"{', '.join(ran.left_out)} is not installed")


def test_the_model_gives_the_same_on_each_backend(ran):
    names = ran.names
    params = names["history"].params
    if "on_jax" in names:
        scores = names["on_jax"].infer(params, {"x": names["x"]})["logits"]
        assert np.allclose(np.asarray(scores), names["scores"], atol=1e-5)
    if "on_torch" in names:
        torch = pytest.importorskip("torch")
        params = {key: torch.from_numpy(value.copy()) for key, value in params.items()}
        x = torch.from_numpy(names["x"])
        scores = names["on_torch"].infer(params, {"x": x})["logits"].numpy()
        assert np.allclose(scores, names["scores"], atol=1e-5)


def test_the_cpp_prints_what_the_python_prints():
    """test_documents.py compiles it, and compares what it prints with the comment."""
    assert printed_in_comments("cpp") == printed_in_comments("python")


def test_the_ten_lines_are_ten():
    for language, first in (("python", "net = "), ("cpp", "ml::Model net;")):
        code = blocks(language)[0]
        lines = code[code.index(first) :].splitlines()
        assert len(lines) == (10 if language == "python" else 11)  # C++ names the optimizer


def shell_lines():
    return [line for block in blocks("sh") for line in block.splitlines()]


def test_the_shell_lines_are_commands_of_the_project():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in shell_lines():
        command, first, *rest = shlex.split(line)
        if command == "make":
            assert re.search(rf"^{first}:", makefile, re.MULTILINE), line
        elif command == "pip":  # tests/package/run builds the wheel that this installs, and uses it
            assert [first, *rest] == ["install", "."]
        else:
            assert (command, first) == ("mithril", "serve")


@pytest.mark.skipif(find_spec("mithril._server") is None, reason="the server is not built")
def test_the_command_serves_the_package(ran, monkeypatch):
    monkeypatch.chdir(ran.folder)
    names = ran.names
    (line,) = [line for line in shell_lines() if line.startswith("mithril serve")]
    arguments = shlex.split(line.replace("--port 8000", "--port 0"))[1:]
    process = subprocess.Popen(
        [sys.executable, "-m", "mithril", *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        address = process.stdout.readline().split()[-1]
        x = {"name": "x", "shape": [4, 2], "datatype": "FP32", "data": names["x"].ravel().tolist()}
        request = urllib.request.Request(
            f"{address}/v2/models/xor/infer", json.dumps({"inputs": [x]}).encode()
        )
        with urllib.request.urlopen(request, timeout=LIMIT) as response:
            answer = json.loads(response.read())["outputs"][0]
        assert np.allclose(answer["data"], names["scores"].ravel(), atol=1e-5)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    assert process.returncode == 0


def test_the_pictures_are_up_to_date():
    tool = ROOT / "tools" / "make_pictures"
    run = subprocess.run([sys.executable, tool, "--check"], check=False)
    assert run.returncode == 0, "run tools/make_pictures"


def test_each_picture_is_shown_by_a_document():
    documents = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    text = "".join(path.read_text(encoding="utf-8") for path in documents)
    hidden = [path.name for path in ROOT.glob("docs/pictures/*.svg") if path.name not in text]
    assert hidden == []


def test_each_shown_picture_exists():
    for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
        text = path.read_text(encoding="utf-8")
        shown = re.findall(r'(?:src|srcset)="([^":]+)"', text)
        missing = [name for name in shown if not path.parent.joinpath(name).exists()]
        assert missing == [], path.name


def test_names_in_the_text_exist():
    named = re.findall(r"`ml\.(\w+)", README)
    assert named and [name for name in named if not hasattr(ml, name)] == []


def test_the_versions_under_the_chart_are_those_of_the_figures():
    figures = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    figures = figures.partition("<!-- drawn by python -m benchmarks.peers -->")[2].splitlines()[1]
    (caption,) = re.findall(r"^Intel Xeon, 2 threads.*$", README, re.MULTILINE)
    for version in re.findall(r"\d[\d.-]*\d", caption.partition("float32")[2]):
        assert version in figures, version
