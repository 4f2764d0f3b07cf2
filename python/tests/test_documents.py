"""What is generated is up to date."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "make_ops_doc"


def test_the_document_of_ops_is_true():
    run = subprocess.run([sys.executable, str(TOOL), "--check"], check=False)
    assert run.returncode == 0, "run tools/make_ops_doc"
