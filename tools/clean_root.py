"""A folder with a fresh Debian, in which commands run without network as on another machine."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tracked import ROOT

FOLDER = ROOT / "build" / "roots"
SUITE = "bookworm"
SUITES = ["trixie"]  # others, whose Pythons have wheels of their own
# The packages of each root beside the essential ones: only a Python, only a compiler and CMake, and
# all that a build of Mithril needs. An image is made of "container". ccache only saves time.
PACKAGES = {
    "container": "ccache",
    "python": "python3 python3-venv ca-certificates",
    "compiler": "g++ cmake ninja-build",
    "sources": "ccache g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libhwy-dev "
    "libprotozero-dev libboost-dev libcli11-dev zlib1g-dev libutf8proc-dev python3-dev "
    "python3-venv ca-certificates",
}
# Mounts the root read-only with the folders, and runs the words after `--` in it. A new network has
# only a loopback device.
ENTER = """
set -eu
ip link set lo up
root=$1; shift
mount --bind "$root" "$root"
while [ "$1" != -- ]; do mkdir -p "$root$2"; mount --bind "$1" "$root$2"; shift 2; done; shift
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,ro,bind "$root"
cd /
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
"""


class CommandError(Exception):
    """A command failed; the text is the command and its output."""


def output_of(command: list[str], folder: Path = ROOT, **environment: str) -> str:
    """Runs the command in the folder, and returns its output."""
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        words = " ".join(command)
        raise CommandError(f"{words}: exit status {result.returncode}\n{result.stdout}")
    return str(result.stdout)


# Variables of builds that ccache helps, also in roots. It tells compilers apart by name, and Python
# and CMake prefer different ones.
CACHE = {"CXX": "g++"}
CACHE_IN_ROOT = {**CACHE, "CCACHE_DIR": "/ccache"}


def compiler_cache() -> dict[Path, str]:
    """The folder of this machine's ccache, where there is one, and its path in a clean root."""
    if not shutil.which("ccache"):
        return {}
    return {Path(output_of(["ccache", "--get-config", "cache_dir"]).strip()): "/ccache"}


class CleanRoot:
    """One of PACKAGES in a suite; made by mmdebstrap on first use, and kept below build/roots."""

    def __init__(self, name: str, suite: str = SUITE) -> None:
        self.folder = FOLDER / (name if suite == SUITE else f"{suite}-{name}")
        if (self.folder / "made").exists():
            return
        if not (shutil.which("mmdebstrap") and shutil.which("ip")) or os.geteuid() != 0:
            raise CommandError(
                "clean roots need root's rights: apt-get install mmdebstrap iproute2"
            )
        FOLDER.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        packages = ",".join(PACKAGES[name].split())
        words = ["mmdebstrap", "--variant=apt", f"--include={packages}", suite, str(self.folder)]
        output_of(words)
        (self.folder / "made").touch()

    def run(
        self,
        script: str,
        mounts: Mapping[Path, str],
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        network: bool = False,
    ) -> str:
        """The output of a script of sh in the root; each folder of `mounts` is at a path in it."""
        names = ["--mount", "--pid", "--fork", *([] if network else ["--net"])]
        folders = [word for pair in mounts.items() for word in map(str, pair)]
        settings = [f"{name}={value}" for name, value in environment.items()]
        enter = ["unshare", *names, "sh", "-c", ENTER, "enter", str(self.folder), *folders]
        return output_of([*enter, "--", *settings, "sh", "-euc", script])
