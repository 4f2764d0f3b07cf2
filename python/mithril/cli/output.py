"""What a command writes to standard output."""

from __future__ import annotations

import errno
import os
import sys

from .._core import raise_error


def show(text: str) -> None:
    """Writes a text and a new line. InputError E0831 if standard output is closed or full."""
    try:
        if sys.stdout is None:  # closed before Python started
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        print(text, flush=True)
    except OSError as error:
        _refuse(error)


def _refuse(error: OSError) -> None:
    sys.stdout = None  # or Python would write the rest of the buffer at its end, and fail again
    raise_error(
        "InputError",
        "E0831",
        "the file cannot be written",
        path="standard output",
        facts=[("why", error.strerror or str(error))],
    )
