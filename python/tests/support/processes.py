"""Processes of Python that tests start."""

import os
import subprocess
import sys


def environment(**more: str) -> dict[str, str]:
    """Returns the environment of a process that finds the same modules as this one."""
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
