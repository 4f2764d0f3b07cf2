"""Runs a command up to its first failure."""

import os
import re
import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FAILED = re.compile(r"^FAILED .+")


@dataclass(frozen=True)
class Ended:
    by: str  # how it failed: its first line `FAILED ...`, "time" or "exit status N"; empty: not
    seconds: float
    output: str


def kill_tree(pid: int) -> None:
    """Kills a process and all that it started, in other sessions, too."""
    children = defaultdict(list)
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            parent = status.read_text(errors="replace").rpartition(")")[2].split()[1]
            children[int(parent)].append(int(status.parent.name))
    tree = [pid]
    for node in tree:
        tree += children[node]
    for node in tree:
        with suppress(ProcessLookupError):
            os.kill(node, signal.SIGKILL)


def first_failure(
    command: str | list[str], folder: Path, environment: Mapping[str, str], limit: float
) -> Ended:
    """Runs the command in the folder until its first line `FAILED ...` or the limit in seconds. A
    string is a command of the shell."""
    began, lines, failed, late = time.monotonic(), list[str](), "", threading.Event()
    process = subprocess.Popen(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C is for this process
    )

    def stop() -> None:
        late.set()
        kill_tree(process.pid)

    timer = threading.Timer(limit, stop)
    timer.start()
    try:
        for line in process.stdout or ():
            lines.append(line)
            if FAILED.match(line):
                failed = line.strip()
                break
        else:
            process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            kill_tree(process.pid)
        status = process.wait()
    by = "time" if late.is_set() else failed or (f"exit status {status}" if status else "")
    return Ended(by, time.monotonic() - began, "".join(lines))
