"""The examples that train a small GPT-2, alone and under torchrun."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mithril as ml

pytest.importorskip("torch")
from support.torchrun import LONGEST

ROOT = Path(__file__).parents[3]
IN_CPP = Path(ml.__file__).parents[2] / "examples" / "train_gpt"
PYTHON = [sys.executable, str(ROOT / "examples" / "python" / "train_gpt.py")]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]


def losses(command, folder):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    out = subprocess.run(
        [*command, "3", str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    return [float(loss) for loss in re.findall(r"^step \d+  loss (\S+)$", out.stdout, re.MULTILINE)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "text.md").write_text("The quick brown fox jumps over the lazy dog.\n" * 40)
    return tmp_path


@pytest.mark.slow
def test_the_example_in_python_has_the_same_losses_under_torchrun(folder):
    expected = losses(PYTHON, folder)
    assert len(expected) == 3
    for size in ("2", "3"):
        assert losses([*TORCHRUN, size, *PYTHON[1:]], folder) == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
@pytest.mark.skipif(not IN_CPP.exists(), reason="examples/train_gpt is not built")
def test_the_example_in_cpp_has_the_same_losses_under_torchrun(folder):
    expected = losses([str(IN_CPP)], folder)
    assert len(expected) == 3
    found = losses([*TORCHRUN, "2", "--no-python", str(IN_CPP)], folder)
    assert found == pytest.approx(expected, abs=1e-4)
