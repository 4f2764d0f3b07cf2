"""Runs the examples whose curves the pictures show. docs/pictures/measured.json keeps the numbers,
since they depend on the processor."""

import contextlib
import io
import json
import re
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"
PATH = ROOT / "docs" / "pictures" / "measured.json"


def digits() -> list[list[float]]:
    """Loss and accuracy of each epoch of train_digits.py."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runpy.run_path(str(EXAMPLES / "train_digits.py"))["main"]()
    epochs = re.findall(r"loss ([\d.]+)  accuracy ([\d.]+)", output.getvalue())
    return [[float(loss), float(accuracy)] for loss, accuracy in epochs]


def mislabelled() -> list[float]:
    """The percentage of changed labels among the lowest 1 %, 2 %, ... of find_mislabelled.py."""
    example = runpy.run_path(str(EXAMPLES / "find_mislabelled.py"))
    images, labels = example["load_digits"]()
    rng = np.random.default_rng(0)
    clean, train = example["split"](labels, rng)
    given, changed = example["change_labels"](labels, train, rng)
    validation = {"image": images[clean], "label": labels[clean]}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        data = {"image": images, "label": given}
        example["train_with_logs"](data, validation, train, Path(folder), 8)
        scores = example["scores_of"](Path(folder), 8, len(images))
    is_changed = np.isin(train[np.argsort(scores[train])], changed)
    counts = [percent * len(train) // 100 for percent in range(1, 101)]
    return [round(100 * float(is_changed[:count].sum() / len(changed)), 1) for count in counts]


def measure() -> None:
    """Writes the numbers of all examples."""
    sys.path.insert(0, str(EXAMPLES))
    numbers = {"digits": digits(), "mislabelled": mislabelled()}
    PATH.write_text(json.dumps(numbers) + "\n", encoding="utf-8")


def numbers() -> dict[str, Any]:
    """The numbers of the file."""
    return dict(json.loads(PATH.read_text(encoding="utf-8")))
