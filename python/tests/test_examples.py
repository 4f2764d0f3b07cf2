"""The example in Python reaches the accuracy that the README promises."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_train_digits():
    program = ROOT / "examples" / "python" / "train_digits.py"
    run = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=300
    )
    match = re.fullmatch(r"test accuracy (0\.\d{4})", run.stdout.splitlines()[-1])
    assert match and float(match[1]) >= 0.97
