"""run_table.py FOLDER: runs the module of each case of cases.json, and compares its outputs.

Prints a line for each difference; then the exit status is 1.
"""

from __future__ import annotations

import json
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np


def array(tensor: dict[str, Any]) -> np.ndarray:
    # Through float64, except ints, of which it cannot hold all.
    elements = [float(element) for element in tensor["elements"]]
    if tensor["dtype"] == "int64":
        elements = [int(element) for element in tensor["elements"]]
    return np.array(elements).astype(tensor["dtype"]).reshape(tensor["dims"])


def complaint(expected: np.ndarray, found: np.ndarray, tolerance: float) -> str:
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}"
    if np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"{found}, expected {expected}"


def run(folder: Path, number: int, case: dict[str, Any]) -> str:
    model = runpy.run_path(str(folder / f"{number}.py"))["model"]
    outputs = model({key: array(tensor) for key, tensor in case["inputs"].items()})
    for key, tensor in case["outputs"].items():
        found = complaint(array(tensor), outputs[key], case["tolerance"])
        if found:
            return f"{key} is {found}"
    return ""


def main() -> int:
    folder = Path(sys.argv[1])
    wrong = 0
    for number, case in enumerate(json.loads((folder / "cases.json").read_text())):
        try:
            found = run(folder, number, case)
        except Exception:
            found = traceback.format_exc()
        if found:
            wrong += 1
            print(f"{case['what']}: {found}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
