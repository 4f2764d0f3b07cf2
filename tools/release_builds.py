"""How `tools/release` builds each distribution: from the tracked files of HEAD alone."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from clean_root import CACHE, CommandError, output_of
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
SDIST = "from scikit_build_core.build import build_sdist; build_sdist({!r})"


@dataclass(frozen=True)
class Interpreter:
    """A Python with its headers."""

    executable: Path
    minor: int
    prefix: Path

    @property
    def tag(self) -> str:
        return f"cp3{self.minor}"

    @cached_property
    def environment(self) -> Path:
        """The Python of an environment with release_requirements.txt."""
        return environment_of(self, self.tag, "--requirement", str(REQUIREMENTS))

    def wheels(self) -> Path:
        """A folder with the wheels that mithril-cpp requires, for machines without network."""
        return self._downloaded("wheels", "numpy")

    def build_wheels(self) -> Path:
        """A folder with these wheels and those that a build from the sdist requires."""
        requires = ["scikit-build-core>=0.10", "pybind11>=2.13", "cmake>=3.25", "ninja"]
        return self._downloaded("build_wheels", "numpy", *requires)

    def conan_wheels(self) -> Path:
        """A folder with the wheels of Conan, which the index has as sources in part."""
        folder = WORK / "conan_wheels" / self.tag
        if not folder.exists():
            pip = [str(self.environment), "-m", "pip", "wheel", "--quiet"]
            output_of([*pip, "--wheel-dir", str(folder), "conan>=2.4"])
        return folder

    def _downloaded(self, name: str, *packages: str) -> Path:
        folder = WORK / name / self.tag
        if not folder.exists():
            pip = [str(self.environment), "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
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


def interpreters(given: list[str] | None) -> list[Interpreter]:
    """The given ones, or those of NAMES that are found with their headers."""
    found = []
    for name in given or NAMES:
        command = [name, "-c", DESCRIBE]
        result = (
            subprocess.run(command, capture_output=True, text=True, check=False)
            if (shutil.which(name))
            else None
        )
        if result and result.returncode == 0:
            minor, prefix, executable = result.stdout.split()
            found.append(Interpreter(Path(executable), int(minor), Path(prefix)))
        elif given:
            raise CommandError(f"{name}: expected a Python with venv, pip and headers, got none")
    return found


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
    folder = WORK / "built" / interpreter.tag
    for old in (folder, TREE):
        shutil.rmtree(old, ignore_errors=True)
    pip = [str(interpreter.environment), "-m", "pip", "wheel", "--quiet", "--no-deps"]
    output_of(
        [*pip, "--no-build-isolation", "--wheel-dir", str(folder), str(SOURCE)], ROOT, **CACHE
    )
    (wheel,) = folder.glob("*.whl")
    return repaired(wheel, interpreter)


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
