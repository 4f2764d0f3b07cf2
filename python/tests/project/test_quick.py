"""tools/quick, which `make quick` runs: what it builds, what it tests, and what it refuses."""

from __future__ import annotations

import shlex
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    path = str(ROOT / "tools" / "quick")
    spec = spec_from_loader("quick", SourceFileLoader("quick", path))
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "CMakeCache.txt").write_text("MITHRIL_ALONE:STRING=gelu\n", encoding="utf-8")
    return tmp_path


def commands(tool: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> list[list[str]]:
    """The commands that the tool runs, in this order."""
    made: list[list[str]] = []

    def run(command: tuple[object, ...], **_: object) -> subprocess.CompletedProcess[str]:
        made.append([str(part) for part in command])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(tool.subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["quick", *arguments])
    tool.main()
    return made


def test_an_op_is_built_and_its_rows_run(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = str(build / "tests" / "mithril_tests")
    target = ["cmake", "--build", str(build), "--target", "mithril_tests"]
    made = commands(tool, monkeypatch, str(build), "--op", "gelu")
    assert made == [target, [tests, "-tc=op gelu"]]
    made = commands(tool, monkeypatch, str(build), "--op", "relu")
    assert made == [
        ["cmake", "-DMITHRIL_ALONE=gelu;relu", str(build)],
        target,
        [tests, "-tc=op relu"],
    ]


def test_the_test_cases_of_an_op_run_after_its_rows(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commands(tool, monkeypatch, str(build), "--op", "scatter")
    assert [command[-1] for command in made[2:]] == ["-tc=op scatter", "-sf=*tests/ops/scatter.cpp"]


def test_an_optimizer_is_compared_with_its_references_and_its_record(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure, target, cpp, python = commands(
        tool, monkeypatch, str(build), "--optimizer", "RMSprop"
    )
    assert configure == ["cmake", "-DMITHRIL_ALONE=gelu;rmsprop;optimizers", str(build)]
    assert target[-2:] == ["mithril_tests", "mithril_python"]
    assert cpp[-1] == "-sf=*tests/optim/optimizers.cpp"
    assert python[-2:] == ["-k", "RMSprop"]
    assert all(Path(part).exists() for part in (ROOT / cpp[-1].partition("*")[2], python[-3]))


def test_a_layer_is_found_by_its_class(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure, target, python = commands(tool, monkeypatch, str(build), "--layer", "PReLU")
    assert configure == ["cmake", "-DMITHRIL_ALONE=gelu;prelu", str(build)]
    assert target[-1] == "libraries"
    assert python[-2:] == ["-k", "PReLU"]


def test_tests_are_of_cpp_or_python(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, target, cpp = commands(tool, monkeypatch, str(build), "--test", "tests/optim/plateau.cpp")
    assert target[-1] == "mithril_tests"
    assert cpp == [str(build / "tests" / "mithril_tests"), "-sf=*tests/optim/plateau.cpp*"]
    configure, _, cpp = commands(tool, monkeypatch, str(build), "--test", "tests/codegen/numpy")
    assert configure[1] == "-DMITHRIL_ALONE=gelu;numpy_language;numpy_table;numpy_target"
    assert cpp[-1] == "-sf=*tests/codegen/numpy*"
    chosen = ["python/tests/test_json.py", "-k", "mistakes or forms"]
    target, python = commands(tool, monkeypatch, str(build), "--test", shlex.join(chosen))
    assert target[-1] == "libraries"
    assert python == [sys.executable, "-m", "pytest", "-q", "-rs", *chosen]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--op", "make quick: there is no op 'Missing' in mithril/ops/\\*"),
        ("--layer", "make quick: there is no layer 'Missing' in mithril/models"),
        ("--optimizer", "make quick: there is no optimizer 'Missing' in mithril/optim/rules"),
    ],
)
def test_a_name_without_a_record_is_refused(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch, option: str, message: str
) -> None:
    with pytest.raises(SystemExit, match=message):
        commands(tool, monkeypatch, str(build), option, "Missing")


def test_a_file_of_cpp_tests_must_exist(
    tool: ModuleType, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=r"make quick: there is no tests/optim/missing\.cpp"):
        commands(tool, monkeypatch, str(build), "--test", "tests/optim/missing.cpp")
