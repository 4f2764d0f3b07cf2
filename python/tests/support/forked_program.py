"""Programs in processes that begin as copies of one that has imported torch.

Importing torch takes seconds of CPU time, which each process of a group would spend.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import TextIO

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["torch.distributed", "mithril.distributed", "json", "time"])


@contextmanager
def _environment(variables: Mapping[str, str]):
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(program: str, variables: Mapping[str, str], *pipes: Connection) -> None:
    """What the child does, as `python -c program`: the standard streams are the pipes."""
    sys.argv = ["-c"]
    for descriptor, pipe in enumerate(pipes):
        os.dup2(pipe.fileno(), descriptor)
        pipe.close()
    sys.stdin = os.fdopen(0)
    os.environ.clear()
    os.environ.update(variables)
    exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})


def _file(pipe: Connection, mode: str) -> TextIO:
    """Takes the descriptor out of the pipe."""
    file = os.fdopen(os.dup(pipe.fileno()), mode)
    pipe.close()
    return file


class ForkedProgram:
    """A running program, with the methods of `subprocess.Popen` that tests call.

    The first one starts the process that the others are copies of. Libraries read the numbers of
    threads from its environment, when they are loaded. Unlike `python -c`, the process ends without
    finalising the interpreter and the libraries.
    """

    def __init__(self, program: str, environment: Mapping[str, str]) -> None:
        with _environment(environment):
            forkserver.ensure_running()
        given, gives = CONTEXT.Pipe(duplex=False)
        outputs = [CONTEXT.Pipe(duplex=False) for _ in range(2)]
        passed = [given, *(write for _, write in outputs)]
        self._process = CONTEXT.Process(target=_run, args=(program, dict(environment), *passed))
        self._process.start()
        for pipe in passed:
            pipe.close()
        self.stdin = _file(gives, "w")
        self.stdout, self.stderr = (_file(read, "r") for read, _ in outputs)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self._process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Waits for the end of the program. Returns what is left of its output and errors.

        A program that takes longer than `timeout` seconds is killed, and an error quotes it.
        """
        self.stdin.close()
        with ThreadPoolExecutor(2) as readers:
            reads = [readers.submit(file.read) for file in (self.stdout, self.stderr)]
            is_late = bool(wait(reads, timeout).not_done)
            if is_late:
                self.kill()
        out, errors = (read.result() for read in reads)
        assert not is_late, f"the program took over {timeout} seconds, and wrote:\n{out}{errors}"
        self._process.join(timeout)
        assert self.returncode is not None, "the program closed its output, and did not end"
        return out, errors
