"""SIGINT, as of Ctrl-C, and SIGTERM while a command runs."""

from __future__ import annotations

import signal
from types import FrameType


def end_at_next_signal() -> None:
    """From now on the system ends the process at a signal, also while it waits in C++."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


class CommandSignals:
    """Handles SIGINT and SIGTERM until release().

    As a context manager it raises KeyboardInterrupt for each of them, also for one that arrived
    before the block. Outside the block a signal is only remembered.
    """

    def __init__(self) -> None:
        self.number = 0  # of the last signal; 0: none arrived
        self._raises = False
        # A shell without job control starts background jobs with SIGINT ignored.
        self._before = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self._raises:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        self._raises = True
        if self.number:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        self._raises = False

    def release(self) -> None:
        """Restores the handlers. After a signal the process ends, and ignores further ones."""
        for key, handler in self._before.items():
            signal.signal(key, signal.SIG_IGN if self.number else handler)
