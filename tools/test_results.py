"""Runs test programs, and adds up their counts."""

import ast
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from tracked import ROOT

SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
FAILED = re.compile(r"^FAILED .+$", re.MULTILINE)
SKIPPED = re.compile(r"^(\d+) skipped: (.+)$", re.MULTILINE)
DURATION = re.compile(r"^(\d+\.\d+) s: (.+)\n", re.MULTILINE)  # of doctest, --duration
LIMIT = 3600  # seconds that a command may take: only one that hangs reaches it
PYTHON = sys.executable


@dataclass
class Results:
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # by reason
    failures: list[str] = field(default_factory=list)  # lines `FAILED ...`
    durations: list[tuple[float, str]] = field(default_factory=list)  # seconds of each test

    def __add__(self, other: "Results") -> "Results":
        return Results(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
            self.durations + other.durations,
        )


def run(*command: str | Path) -> tuple[int, str, float]:
    """Prints the command, runs it and prints its output, without the durations of its tests.
    Returns the exit status, the output and the seconds. Kills a command, and what it has started,
    after LIMIT seconds."""
    words = " ".join(map(str, command))
    print(f"+ {words}", flush=True)
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    killed = threading.Event()

    def kill() -> None:
        killed.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(LIMIT, kill)
    timer.start()
    output, _ = process.communicate()
    timer.cancel()
    seconds = time.monotonic() - began
    ended = f"= {words}: exit status {process.returncode} after {seconds:.0f} s"
    limit = f", killed at its limit of {LIMIT} s" if killed.is_set() else ""
    print(f"{ended}{limit}\n{DURATION.sub('', output)}", end="", flush=True)
    return process.returncode, output, seconds


def named(*command: str | Path) -> str:
    return " ".join(str(word).removeprefix(f"{ROOT}/") for word in command)


def failures(status: int, printed: str, *command: str | Path) -> list[str]:
    """Lines that name failures; the command if there are none."""
    lines = FAILED.findall(printed)
    return lines or ([f"FAILED {named(*command)}"] if status else [])


def counting(*command: str | Path) -> Results:
    """Runs a program that prints its counts last. A program without counts is one failure."""
    status, printed, seconds = run(*command)
    durations = [(float(took), test) for took, test in DURATION.findall(printed)]
    durations = durations or [(seconds, named(*command))]
    counts = SUMMARY.findall(printed)
    if not counts:
        return Results(failed=1, failures=failures(1, printed, *command), durations=durations)
    passed, failed = map(int, counts[-1])
    failed = max(failed, int(status != 0))
    skipped = Counter({reason: int(count) for count, reason in SKIPPED.findall(printed)})
    return Results(passed, failed, skipped, failures(failed, printed, *command), durations)


def single(*command: str | Path) -> Results:
    """A program that passes or fails as a whole."""
    status, printed, seconds = run(*command)
    took = [(seconds, named(*command))]
    if status == 0:
        return Results(passed=1, durations=took)
    return Results(failed=1, failures=failures(status, printed, *command), durations=took)


def reason_of(skip: ElementTree.Element) -> str:
    """The text of a module that is skipped as a whole is (path, line, reason)."""
    reason = skip.get("message", "")
    if reason == "collection skipped":
        reason = ast.literal_eval(skip.text or "('', 0, '')")[2]
    return reason.removeprefix("Skipped: ")


def pytest_results(*arguments: str | Path) -> Results:
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        command = [PYTHON, "-m", "pytest", "-q", *arguments]
        status, printed, seconds = run(*command, f"--junit-xml={report.name}")
        if not Path(report.name).read_bytes():  # pytest itself was killed
            lines = failures(status or 1, printed, *command)
            return Results(failed=1, failures=lines, durations=[(seconds, named(*command))])
        suites = list(ElementTree.parse(report.name).getroot().iter("testsuite"))
    tests, failed = (
        sum(int(suite.get(key, 0)) for suite in suites for key in keys)
        for keys in (["tests"], ["failures", "errors"])
    )
    cases = [case for suite in suites for case in suite.iter("testcase")]
    skipped = Counter(reason_of(skip) for case in cases for skip in case.iter("skipped"))
    durations = [
        (float(case.get("time", 0)), f"{case.get('classname')}.{case.get('name')}")
        for case in cases
    ]
    lines = failures(status, printed, *command)
    return Results(
        tests - failed - skipped.total(), max(failed, int(status != 0)), skipped, lines, durations
    )
