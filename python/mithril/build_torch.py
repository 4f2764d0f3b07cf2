"""Builds the backend on PyTorch against the torch of this Python: python -m mithril.build_torch.

A wheel of Mithril cannot hold the backend: a library that was compiled for one release of torch
runs with no other, and pip, which builds in an environment of its own, does not see the torch that
will be there. So the wheel holds the sources of the backend, and this compiles them, into the
package itself. CMake 3.25, a compiler of C++20 and the headers of Python are needed.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

PACKAGE = Path(__file__).parent
SOURCE = PACKAGE / "source"


def refuse(why: str) -> NoReturn:
    sys.exit(f"mithril.build_torch: {why}")


def tool(name: str) -> str | None:
    """Beside this Python, where pip puts it, or on the path."""
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    return shutil.which(name, path=os.pathsep.join(folders))


def run(*command: str | Path) -> None:
    result = subprocess.run(command, check=False)
    if result.returncode != 0:
        refuse(f"exit status {result.returncode} of {' '.join(map(str, command))}")


def build() -> None:
    if not SOURCE.exists():
        refuse("this Mithril stands in its build tree: configure that with -DMITHRIL_TORCH=ON")
    if importlib.util.find_spec("torch") is None:
        refuse(f"there is no torch in {sys.executable}: pip install torch")
    if not os.access(PACKAGE, os.W_OK):
        refuse(f"{PACKAGE} cannot be written to")
    cmake = tool("cmake")
    if not cmake:
        refuse("there is no CMake: pip install cmake")
    ninja = tool("ninja")
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"] if ninja else []
    with tempfile.TemporaryDirectory() as folder:
        python = f"-DPython_EXECUTABLE={sys.executable}"
        run(cmake, *generator, "-S", SOURCE, "-B", folder, python)
        run(cmake, "--build", folder, "--parallel", str(os.cpu_count() or 1))
        run(cmake, "--install", folder)


if __name__ == "__main__":
    build()
