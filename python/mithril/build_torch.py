"""Builds the backend on PyTorch against the torch of this Python: python -m mithril.build_torch.

A wheel of Mithril cannot contain the backend: a library that was compiled for one release of torch
does not run with another, and pip builds in an isolated environment without the user's torch. So
the wheel contains the sources of the backend, and this command compiles them into the package. It
needs CMake 3.25, a C++20 compiler and the headers of Python. With `--wheel FOLDER` it writes the
wheel `mithril-cpp-torch` instead, for machines without a compiler.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from . import __version__
from ._internal.plugin_wheel import write_plugin_wheel

PACKAGE = Path(__file__).parent
SOURCE = PACKAGE / "source"


def refuse(why: str) -> NoReturn:
    sys.exit(f"mithril.build_torch: {why}")


def tool(name: str) -> str | None:
    """Finds a tool beside this Python, where pip puts it, or on the path."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return shutil.which(name, path=os.pathsep.join(folders))


def run(*command: str | Path) -> None:
    result = subprocess.run(command, check=False)
    if result.returncode != 0:
        refuse(f"exit status {result.returncode} of {' '.join(map(str, command))}")


def build(wheels: Path | None = None) -> None:
    """Compiles the backend into the package, or into a wheel in the folder `wheels`."""
    if not SOURCE.exists():
        refuse("this Mithril stands in its build tree: configure that with -DMITHRIL_TORCH=ON")
    if importlib.util.find_spec("torch") is None:
        refuse(f"there is no torch in {sys.executable}: pip install torch")
    if wheels is None and not os.access(PACKAGE, os.W_OK):
        refuse(f"{PACKAGE} cannot be written to")
    cmake = tool("cmake")
    if not cmake:
        refuse("there is no CMake: pip install cmake")
    ninja = tool("ninja")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    with tempfile.TemporaryDirectory() as folder:
        options = [f"-DPython_EXECUTABLE={sys.executable}"]
        files = Path(folder) / "files"
        if wheels is not None:
            # Beside each other, below site-packages.
            options += ["-DMITHRIL_TORCH_RPATH=$ORIGIN/../torch/lib", f"-DMITHRIL_PACKAGE={files}"]
        run(cmake, *generator, "-S", SOURCE, "-B", folder, *options)
        run(cmake, "--build", folder, "--parallel", str(os.cpu_count() or 1))
        run(cmake, "--install", folder, *([] if wheels is None else ["--strip"]))
        if wheels is not None:
            print(write_plugin_wheel(files, wheels, __version__))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mithril.build_torch", description=__doc__)
    parser.add_argument("--wheel", type=Path, metavar="FOLDER", help="write a wheel there")
    build(parser.parse_args().wheel)


if __name__ == "__main__":
    main()
