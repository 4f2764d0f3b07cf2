"""tools/setup on machines that lack something: one message says what to do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = ("tools/setup", "tools/require_releases", "tools/build_requirements.txt", "CMakeLists.txt")
UTILITIES = ("awk", "cat", "chmod", "cksum", "cut", "dirname", "env", "grep", "head", "mkdir")
UTILITIES += ("mktemp", "rm", "sed", "sh", "tail")
PROGRAMS = {
    "cmake": "echo 'cmake version 3.25.1'",
    "ninja": "",
    "c++": "echo '#define __GNUC__ 12'",
    "ccache": "",
    "df": "printf 'Filesystem\\n/dev/sda 0 0 9000000 0 /\\n'",
    "id": "echo 0",
    "apt-get": "",
    # A Python with all that is needed, and environments whose pip reaches no server.
    "python3": """
[ "$1" = -m ] || exit 0
mkdir -p .venv/bin
printf '#!/bin/sh\\necho NewConnectionError: Temporary failure in name resolution; exit 1\\n' \\
  >.venv/bin/python
chmod +x .venv/bin/python""",
}
NO_SERVER = (
    "no server was reached. Connect the network, or set https_proxy, and run the command again"
)

Setup = Callable[..., str]


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """Runs tools/setup where only PROGRAMS with these changes are installed (None: is not), and
    returns its last line. The headers are those of this machine."""

    def run(changes: dict[str, str | None], **environment: str) -> str:
        folder, clone = tmp_path / "bin", tmp_path / "clone"
        folder.mkdir()
        for utility in UTILITIES:
            found = shutil.which(utility)
            assert found is not None, utility
            (folder / utility).symlink_to(found)
        for name, body in {**PROGRAMS, **changes}.items():
            if body is not None:
                (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
                (folder / name).chmod(0o755)
        for file in FILES:
            (clone / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, clone / file)
        done = subprocess.run(
            [clone / "tools" / "setup"],
            env={"PATH": str(folder), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 1, done.stderr
        assert done.stderr.startswith("setup: system packages: cmake ninja-build g++ ccache ")
        return done.stderr.splitlines()[-1]

    return run


def test_an_old_compiler(setup: Setup) -> None:
    told = setup({"c++": "echo '#define __GNUC__ 10'"})
    assert told == (
        "setup: c++ is too old: g++ 10 (at least 12). Install g++-12 or newer, and put CXX=g++-12 "
        "before the command"
    )


def test_an_old_compiler_beside_a_newer_one(setup: Setup) -> None:
    told = setup({"c++": "echo '#define __clang_major__ 13'", "g++-13": ""})
    assert told == (
        "setup: c++ is too old: clang 13 (at least 14). Put CXX=g++-13 before the command"
    )


def test_a_compiler_that_does_not_run(setup: Setup) -> None:
    told = setup({"c++": "exit 127"})
    assert told == "setup: c++ does not run: install g++ 12 or clang 14, or newer"


def test_an_unknown_compiler(setup: Setup) -> None:
    told = setup({}, CXX="g++-99")
    assert told == "setup: CXX is g++-99, which is not in PATH: install it or unset CXX"


def test_an_old_cmake(setup: Setup) -> None:
    told = setup({"cmake": "echo 'cmake version 3.9.6'"})
    assert told == (
        "setup: too old: cmake 3.9.6 (at least 3.25). Debian 12 and Ubuntu 24.04 have newer ones; "
        "https://cmake.org/download has CMake"
    )


def test_a_full_disk(setup: Setup, tmp_path: Path) -> None:
    told = setup({"df": "printf 'Filesystem\\n/dev/sda 9000000 8900000 102400 99%% /\\n'"})
    assert told == (
        f"setup: {tmp_path}/clone has 100 MB of free space, and 400 MB are needed: free some, or "
        "move the clone"
    )


@pytest.mark.parametrize("sudo", ["", "sudo "])
def test_a_user_who_is_not_root(setup: Setup, sudo: str) -> None:
    told = setup({"cmake": None, "id": "echo 1000", "sudo": "" if sudo else None})
    assert told == (
        f"setup: missing packages; install them as root: {sudo}apt-get install "
        "--no-install-recommends cmake"
    )


def test_a_system_without_apt(setup: Setup) -> None:
    told = setup({"cmake": None, "apt-get": None})
    assert told == "setup: missing packages, by their names in Debian: cmake"


def test_no_network_for_system_packages(setup: Setup) -> None:
    answer = "E: Failed to fetch http://server/cmake.deb  Temporary failure resolving 'server'"
    told = setup(
        {"cmake": None, "apt-get": f'[ "$1" = update ] || {{ echo "{answer}"; exit 100; }}'}
    )
    assert told == f"setup: could not install cmake: {NO_SERVER}"


def test_packages_that_cannot_be_installed(setup: Setup) -> None:
    told = setup({"cmake": None, "apt-get": "echo 'E: Unable to locate package cmake'; exit 100"})
    assert told == "setup: could not install cmake: the lines above say why"


def test_no_network_for_python_packages(setup: Setup) -> None:
    told = setup({})
    assert told == (
        f"setup: could not install the Python packages of tools/build_requirements.txt: {NO_SERVER}"
    )
