"""tools/build_with_bar, the progress of the build of `make demo`."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "tools" / "build_with_bar"
BUILD = """#!/bin/sh
[ "$*" = "--build build/release --target train_digits" ] || exit 9
echo '[1/8] Building a.cpp'
echo '[2/8] Building b.cpp'
echo 'b.cpp:1: warning: unused'
echo '[8/8] Linking'
exit STATUS
"""


def command(folder: Path, build: str) -> tuple[list[str], dict[str, str]]:
    """The tool with this program in place of cmake."""
    program = folder / "cmake"
    program.write_text(build, encoding="utf-8")
    program.chmod(0o755)
    run = [sys.executable, str(TOOL), "build/release", "train_digits"]
    return run, {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def all_of(terminal: int) -> str:
    """What was written to a terminal that is closed, which comes in parts."""
    parts = []
    with suppress(OSError):  # its end
        while part := os.read(terminal, 10_000):
            parts.append(part)
    return b"".join(parts).decode()


@pytest.mark.parametrize("status", [0, 1])
def test_a_log_has_a_line_for_each_quarter_and_what_compilers_write(
    tmp_path: Path, status: int
) -> None:
    run, environment = command(tmp_path, BUILD.replace("STATUS", str(status)))
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert re.sub(r"\d+ s", "S", done.stdout) == (
        f"[{'#' * 7}{'.' * 23}] 2/8  S\n" + "b.cpp:1: warning: unused\n" + f"[{'#' * 30}] 8/8  S\n"
    )


def test_nothing_is_written_where_nothing_is_to_be_built(tmp_path: Path) -> None:
    run, environment = command(tmp_path, "#!/bin/sh\necho 'ninja: no work to do.'\n")
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_a_terminal_has_one_line_that_grows(tmp_path: Path) -> None:
    run, environment = command(tmp_path, BUILD.replace("STATUS", "0"))
    ours, theirs = pty.openpty()
    subprocess.run(run, env=environment, stdout=theirs, check=True)
    os.close(theirs)
    written = all_of(ours)
    os.close(ours)
    drawn = re.findall(r"\r\[([#.]{30})\] (\d)/8  \d+ s", written)
    # The line is drawn again after each second, and after what compilers write.
    bars = dict.fromkeys((bar.count("#"), done) for bar, done in drawn)
    assert list(bars) == [(3, "1"), (7, "2"), (30, "8")]
    assert re.search(r"\r +\rb\.cpp:1: warning: unused\r\n", written)
    assert written.endswith("\r\n")
