"""How `tools/release` tests what pip installs: as a user, in a clean root without network."""

import resource
import shutil
import tarfile
from pathlib import Path

from clean_root import CACHE_IN_ROOT, CleanRoot, CommandError, compiler_cache
from release_builds import DIST, Interpreter, scratch_folder, torch_environment, version
from tracked import ROOT, tracked_files

PROGRAMS = ROOT / "tests" / "release"
LIMIT = 12_000_000  # bytes of a wheel
SECONDS = 30  # of a processor, for the installation of a wheel
# What a build from the sdist reads.
BUILT = (
    *("CMakeLists.txt", "LICENSE", "README.md", "THIRD_PARTY_LICENSES", "conanfile.py"),
    *("pyproject.toml", "python/CMakeLists.txt"),
    *("backends/", "cmake/", "codegen/", "examples/models/", "mithril/"),
    *("python/mithril/", "python/src/", "python/torch_plugin/"),
)
MISSING = (
    "g++ libfmt-dev nlohmann-json3-dev zlib1g-dev libutf8proc-dev libhwy-dev libprotozero-dev "
    "python3-dev libcli11-dev"
)
NO_COMPILER = """
for name in cc c++ gcc g++ clang clang++ cmake; do
  if command -v $name; then echo "there is a compiler: $name"; exit 1; fi
done
"""
PIP = "/scratch/venv/bin/pip install --disable-pip-version-check --no-index --find-links /dist"
# The lines of Python in the README, and what else users do.
USE = """
/scratch/venv/bin/mithril --version
/scratch/venv/bin/python /programs/readme.py /scratch
/scratch/venv/bin/python /programs/program.py /scratch
"""


class PythonMachine:
    """A machine of a user with one Python and no compiler, and a virtual environment there."""

    def __init__(self, interpreter: Interpreter, scratch: Path) -> None:
        self.root = CleanRoot("python", interpreter.suite)
        self.scratch = scratch
        self.mounts = {scratch: "/scratch", DIST: "/dist", PROGRAMS: "/programs"}
        self.mounts[interpreter.wheels()] = "/wheels"
        python = "/usr/bin/python3"
        if self.root.run("python3 -c 'import sys; print(sys.version_info[1])'", {}).strip() != str(
            interpreter.minor
        ):
            # One that Debian does not have: only its own folder is added to the root.
            self.mounts[interpreter.prefix] = str(interpreter.prefix)
            python = f"{interpreter.prefix}/bin/python3.{interpreter.minor}"
        self.run(f"{NO_COMPILER}\n{python} -m venv /scratch/venv")

    def run(self, script: str) -> str:
        return self.root.run(script, self.mounts)


def last_lines(printed: str) -> str:
    """Returns the summaries that the two programs of a test print."""
    return "; ".join(printed.strip().splitlines()[-2:])


def processor_seconds() -> float:
    """Returns the processor seconds of finished commands, which other work changes little."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_size(wheel: Path) -> None:
    size = wheel.stat().st_size
    if size > LIMIT:
        raise CommandError(f"{wheel.name}: expected at most {LIMIT} bytes, got {size}")


def check_wheel(wheel: Path, interpreter: Interpreter) -> str:
    """Installs the wheel, and uses it."""
    check_size(wheel)
    with scratch_folder() as scratch:
        machine = PythonMachine(interpreter, scratch)
        machine.run(f"{PIP} --find-links /wheels numpy")
        began = processor_seconds()
        machine.run(f"{PIP} /dist/{wheel.name}")
        seconds = processor_seconds() - began
        if seconds > SECONDS:
            raise CommandError(f"{wheel.name}: pip install took {seconds:.0f} s of a processor")
        printed = machine.run(USE)
    return f"no compiler: pip install in {seconds:.1f} s; {last_lines(printed)}"


def check_plugin(wheel: Path, interpreter: Interpreter, torch: str) -> str:
    """Installs mithril-cpp[torch] where this torch is installed, and trains on it."""
    source = torch_environment(interpreter, torch).parents[1]
    with scratch_folder() as scratch:
        machine = PythonMachine(interpreter, scratch)
        packages = f"lib/python3.{interpreter.minor}/site-packages"
        for path in sorted((source / packages).iterdir()):
            link_tree(path, scratch / "venv" / packages / path.name)
        began = processor_seconds()
        machine.run(f"{PIP} --find-links /wheels 'mithril-cpp[torch]=={version()}'")
        seconds = processor_seconds() - began
        printed = machine.run(
            "cd /scratch; for name in readme torch_program; do "
            "venv/bin/python /programs/$name.py /scratch; done"
        )
    return f"no compiler: mithril-cpp[torch] in {seconds:.1f} s; {last_lines(printed)}"


def link_tree(source: Path, target: Path) -> None:
    """Hard links of the files, which take no space; what the target has stays."""
    if target.exists():
        return
    if source.is_dir():
        shutil.copytree(source, target, copy_function=hard_link, symlinks=True)
    else:
        target.hardlink_to(source)


def hard_link(source: str, target: str) -> None:
    Path(target).hardlink_to(source)


def check_sdist(sdist: Path) -> str:
    """Checks that the sdist has every tracked file that a build from it reads."""
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    missing = [str(name) for name in tracked_files() if is_built(name) and str(name) not in names]
    if missing:
        raise CommandError(f"{sdist.name} lacks {', '.join(missing)}")
    return f"has all files of the build; {len(names)} files"


def is_built(name: Path) -> bool:
    return str(name).startswith(BUILT)


def check_refusal(sdist: Path, interpreter: Interpreter) -> str:
    """Checks that pip names what is missing where there is nothing but a Python."""
    with scratch_folder() as scratch:
        machine = PythonMachine(interpreter, scratch)
        machine.mounts |= {interpreter.build_wheels(): "/wheels"}
        refusal = machine.run(f"{PIP} --find-links /wheels /dist/{sdist.name} 2>&1 && exit 1 || :")
    if f"apt-get install --no-install-recommends {MISSING}" not in " ".join(refusal.split()):
        raise CommandError(f"pip does not name the missing packages:\n{refusal}")
    return "pip install with only a Python names the system packages that are missing"


def check_build(sdist: Path, interpreter: Interpreter) -> str:
    """Builds and installs the sdist by pip where there are these packages."""
    with scratch_folder() as scratch:
        mounts = {scratch: "/scratch", DIST: "/dist", PROGRAMS: "/programs", **compiler_cache()}
        mounts[interpreter.build_wheels()] = "/wheels"
        install = f"{PIP} --find-links /wheels /dist/{sdist.name}"
        script = f"python3 -m venv /scratch/venv\n{install}\n{USE}"
        printed = CleanRoot("sources").run(script, mounts, CACHE_IN_ROOT)
    return f"pip install with a compiler; {last_lines(printed)}"


def check_fallback(interpreter: Interpreter) -> str:
    """Checks what pip says where there is no plugin for the Python and the torch: no wheel of it is
    at hand, and the sdist names the way to build one."""
    with scratch_folder() as scratch:
        machine = PythonMachine(interpreter, scratch)
        name = f"mithril_cpp_torch-{version()}.tar.gz"
        shutil.copy2(DIST / name, scratch)
        printed = machine.run(
            "/scratch/venv/bin/pip install --no-index --no-deps "
            f"/scratch/{name} 2>&1 && exit 1 || true"
        )
    if "python -m mithril.build_torch" not in printed:
        raise CommandError(f"pip does not say how to build the plugin:\n{printed}")
    return "pip refuses it and says how to build the backend"
