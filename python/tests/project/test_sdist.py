"""The sdist has what a build from it reads, and the requirements name what tools/setup installs."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import release_builds  # noqa: E402
from clean_root import CommandError  # noqa: E402
from release_checks import BUILT, MISSING, is_built  # noqa: E402
from tracked import tracked_files  # noqa: E402


def checkout(folder: Path) -> list[str]:
    """Copies what a build reads, and returns its names. Beside it are files that no sdist may have.

    ROOT has large folders, and other tests write there at the same time.
    """
    copied = [name for name in tracked_files() if is_built(name) or name.name == ".gitignore"]
    for name in copied:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    for left_out in (".venv", "build", "dist"):
        (folder / left_out).mkdir()
        (folder / left_out / "file.py").touch()
    return [str(name) for name in copied if is_built(name)]


def test_an_sdist_has_every_file_of_the_build(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core")
    needed = checkout(tmp_path / "source")
    command = [sys.executable, "-c", release_builds.SDIST.format(str(tmp_path))]
    subprocess.run(command, cwd=tmp_path / "source", check=True, capture_output=True)
    (path,) = tmp_path.glob("mithril_cpp-*.tar.gz")
    with tarfile.open(path) as sdist:
        (folder,) = {name.split("/", 1)[0] for name in sdist.getnames()}
        names = {name.split("/", 1)[1] for name in sdist.getnames()}
        metadata = sdist.extractfile(f"{folder}/PKG-INFO")
        assert metadata is not None
        assert b"\nName: mithril-cpp\n" in metadata.read()
    assert set(needed) - names == set()
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/"))]


def test_a_build_without_a_compiler_names_the_packages(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("cmake", "ninja"):
        place = subprocess.run(["which", tool], capture_output=True, text=True, check=True).stdout
        (tmp_path / "bin" / tool).symlink_to(Path(place.strip()).resolve())
    # scikit-build-core sets CXX to the compiler that Python was built with.
    missing = {"CXX": "x86_64-linux-gnu-no-such-g++ -pthread", "PATH": str(tmp_path / "bin")}
    run = subprocess.run(
        [tmp_path / "bin" / "cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "tree"],
        env={**os.environ, **missing},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert "Mithril did not find a C++20 compiler" in run.stderr
    assert "  apt-get install --no-install-recommends g++" in run.stderr


def test_the_requirements_are_packages_of_the_setup() -> None:
    setup = (ROOT / "tools" / "setup").read_text(encoding="utf-8")
    text = (ROOT / "cmake" / "MithrilRequirements.cmake").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(lib[a-z0-9]+-dev|[a-z0-9-]+-dev|g\+\+)(?=[\s)])", text))
    assert named == set(MISSING.split())
    assert named <= set(re.findall(r"[a-z0-9+-]+", setup))


def test_each_part_of_a_release_is_documented() -> None:
    parts = runpy.run_path(str(ROOT / "tools" / "release"))["PARTS"]
    text = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    assert [name for name in parts if f"\n| `{name}` |" not in text] == []


def test_conan_exports_the_libraries() -> None:
    """The recipe leaves out what only the Python package reads."""
    recipe = (ROOT / "conanfile.py").read_text(encoding="utf-8")
    (exported,) = re.findall(r"exports_sources = \((.*?)^    \)", recipe, re.DOTALL | re.MULTILINE)
    names = {name.removesuffix("*") for name in re.findall(r'"([^"]+)"', exported)}
    python = ("README.md", "conanfile.py", "pyproject.toml", "python/", "examples/")
    assert names == {name for name in BUILT if not name.startswith(python)}


def test_parts_of_a_release_use_the_files_of_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_builds, "DIST", tmp_path)
    with pytest.raises(CommandError, match=r"expected one mithril_cpp-.*\.tar\.gz, got none"):
        release_builds.artefact("mithril_cpp-VERSION.tar.gz")
    for version in ("0.0.1", release_builds.version()):
        (tmp_path / f"mithril_cpp-{version}.tar.gz").touch()
    sdist = release_builds.artefact("mithril_cpp-VERSION.tar.gz")
    assert sdist.name == f"mithril_cpp-{release_builds.version()}.tar.gz"
