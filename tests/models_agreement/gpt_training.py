"""Compares the losses of examples/train_gpt.cpp with those of examples/python/train_gpt.py, which
trains the same model by torch.optim."""

import re
import subprocess
import sys
from pathlib import Path

import mithril as ml

ROOT = Path(__file__).parents[2]
IN_CPP = Path(ml.__file__).parents[2] / "examples" / "train_gpt"
IN_PYTHON = ROOT / "examples" / "python" / "train_gpt.py"
STEPS = 200
TOLERANCE = 1e-3


def losses(*command: Path | str) -> list[float]:
    run = subprocess.run(
        [*command, str(STEPS), ROOT / "docs"], capture_output=True, text=True, check=True
    )
    return [float(loss) for loss in re.findall(r"^step \d+  loss (\S+)$", run.stdout, re.MULTILINE)]


def training_differences() -> list[str]:
    """Lines about the faults: none if both programs learn, with the same losses."""
    if not IN_CPP.exists():
        return [f"{IN_CPP} is not built"]
    ours, theirs = losses(IN_CPP), losses(sys.executable, IN_PYTHON)
    if not len(ours) == len(theirs) == STEPS:
        return [f"{len(ours)} and {len(theirs)} losses, expected {STEPS}"]
    wrong = [
        f"step {step + 1}: {a} in C++, {b} in Python"
        for step, (a, b) in enumerate(zip(ours, theirs, strict=True))
        if not abs(a - b) <= TOLERANCE
    ]
    if not ours[-1] < 0.7 * ours[0]:
        wrong.append(f"the loss goes from {ours[0]} to {ours[-1]} only")
    return wrong
