"""Suggestions for a missing file, as those of the native commands."""

from __future__ import annotations

import os
from pathlib import Path

from .. import _core


def near_files(path: str) -> str:
    """Returns "did you mean 'net.onnx'?" for the nearest names in the folder of the path.

    Returns "" if the file exists, its folder cannot be read, or no name is near.
    """
    file = Path(path)
    if file.exists() or not file.parent.is_dir():
        return ""
    try:
        return _core.did_you_mean(file.name, os.listdir(file.parent))
    except OSError:  # the folder cannot be read
        return ""
