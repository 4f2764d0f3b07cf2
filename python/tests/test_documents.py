"""What is generated is up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.mark.parametrize("tool", ["make_ops_doc", "make_stubs"])
def test_what_is_generated_is_true(tool):
    run = subprocess.run([sys.executable, str(TOOLS / tool), "--check"], check=False)
    assert run.returncode == 0, f"run tools/{tool}"
