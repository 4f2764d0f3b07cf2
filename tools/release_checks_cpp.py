"""How `tools/release` tests what projects in C++ use: in a clean root without network."""

import re
from collections.abc import Mapping
from pathlib import Path

from clean_root import CACHE_IN_ROOT, CleanRoot, compiler_cache
from release_builds import DIST, Interpreter, scratch_folder, version
from release_checks import PROGRAMS, last_lines
from tracked import ROOT

OUTSIDE = ROOT / "tests" / "package" / "outside"
# Both programs are projects of somebody else's. OPTIONS say where they find Mithril.
FIND_PACKAGE = """
cmake -G Ninja -S /outside -B /scratch/outside $OPTIONS
cmake --build /scratch/outside
cmake -G Ninja -S /programs/readme -B /scratch/readme -DMAIN=/scratch/readme.cpp $OPTIONS
cmake --build /scratch/readme
/scratch/outside/outside /scratch/model.cpp
/scratch/readme/readme
"""
# Without optimizations, which would take longer to build.
FETCH_CONTENT = """
cmake -G Ninja -S /programs/fetch_content -B /scratch/build -DOUTSIDE=/outside \\
  -DREADME=/scratch/readme.cpp -DMITHRIL_SDIST=$SDIST -DMITHRIL_UNITY=ON \\
  -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
cmake --build /scratch/build --target outside readme
/scratch/build/outside /scratch/model.cpp
/scratch/build/readme
"""
CONAN = """
python3 -m venv /scratch/venv
/scratch/venv/bin/pip install --no-index --find-links /conan conan
export CONAN_HOME=/scratch/conan PATH=/scratch/venv/bin:$PATH
conan profile detect
tar -xf /dist/mithril_cpp-$VERSION.tar.gz -C /scratch
conan create /scratch/mithril_cpp-$VERSION
conan install --requires=mithril-cpp/$VERSION --generator CMakeDeps --generator CMakeToolchain \\
  --output-folder /scratch/consumer
OPTIONS="-DCMAKE_TOOLCHAIN_FILE=/scratch/consumer/conan_toolchain.cmake -DCMAKE_BUILD_TYPE=Release"
"""


def readme_program() -> str:
    """The lines of C++ in the README as a program."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = block.splitlines()
    head = [line for line in lines if line.startswith(("#include", "namespace"))]
    body = [line for line in lines if line not in head]
    return "\n".join(["#include <cstdio>", *head, "int main() {", *body, "}", ""])


def run_in(root: str, script: str, scratch: Path, more: Mapping[Path, str]) -> str:
    """Runs the script, and returns the last lines of the output of its two programs."""
    (scratch / "readme.cpp").write_text(readme_program(), encoding="utf-8")
    mounts = {scratch: "/scratch", DIST: "/dist", PROGRAMS: "/programs", OUTSIDE: "/outside"}
    # -m64, which Conan adds, changes nothing.
    cache = {**CACHE_IN_ROOT, "CCACHE_IGNOREOPTIONS": "-m64"}
    printed = CleanRoot(root).run(script, {**mounts, **more}, cache)
    return last_lines(printed)


def check_archive(archive: Path) -> str:
    """Projects find the libraries of the archive, link them and run."""
    if archive.suffix == ".deb":
        unpack = f"dpkg-deb -x /dist/{archive.name} /scratch/prefix"
        prefix = "/scratch/prefix/opt/mithril-cpp"
    else:
        unpack = f"mkdir /scratch/prefix; tar -xf /dist/{archive.name} -C /scratch/prefix"
        prefix = "/scratch/prefix/" + re.sub(r"\.tar\.gz$", "", archive.name)
    script = f"{unpack}\nOPTIONS=-DCMAKE_PREFIX_PATH={prefix}\n{FIND_PACKAGE}"
    with scratch_folder() as scratch:
        return f"find_package with a compiler alone; {run_in('compiler', script, scratch, {})}"


def check_fetch_content(sdist: Path) -> str:
    """A project builds the sdist as a part of itself."""
    script = f"SDIST=/dist/{sdist.name}\n{FETCH_CONTENT}"
    with scratch_folder() as scratch:
        return f"FetchContent; {run_in('sources', script, scratch, compiler_cache())}"


def check_conan(interpreter: Interpreter) -> str:
    """Conan builds the sdist by its recipe, and projects find the package."""
    with scratch_folder() as scratch:
        script = f"VERSION={version()}\n{CONAN}\n{FIND_PACKAGE}"
        more = {interpreter.conan_wheels(): "/conan", **compiler_cache()}
        return f"conan create; {run_in('sources', script, scratch, more)}"
