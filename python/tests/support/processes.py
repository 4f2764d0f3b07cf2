"""Processes of Python that tests start."""

import os
import subprocess
import sys


def environment(**more: str) -> dict[str, str]:
    """This process's, for one that finds the modules which this one finds."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **more}


def printed_by(program: str) -> str:
    """The output of the program; its exit status must be 0."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
