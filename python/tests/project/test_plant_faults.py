"""The list of faults that tools/plant_faults plants, and how it runs a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return import_module("faults")


@pytest.fixture
def first_failure(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return import_module("first_failure")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Loads tools/plant_faults, which changes files in tmp_path."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    path = str(ROOT / "tools" / "plant_faults")
    spec = spec_from_loader("plant_faults", SourceFileLoader("plant_faults", path))
    assert spec and spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "plant_faults", module)  # dataclasses look it up
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "COPY", tmp_path)
    return module


def changes(faults: ModuleType, text: str, file: str = "a.cpp") -> list[str]:
    return [fault.new for fault in faults.faults_of(file, text)]


def test_operators_numbers_and_conditions_are_changed(faults: ModuleType) -> None:
    assert changes(faults, "  if (!a && b < n - 1) return false;") == [
        "if (!a && b <= n - 1) return false;",
        "if (!a && b < n + 1) return false;",
        "if (!a && b < n) return false;",
        "if (!a && b < n - 2) return false;",
        "if (!a || b < n - 1) return false;",
        "if (!a && b < n - 1) return true;",
        "if (a && b < n - 1) return false;",
    ]
    assert changes(faults, "    return x is not None and not y", "a.py") == [
        "return x is not None or not y",
        "return x is None and not y",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '  raise("a < b + 1");',
        "  raise('0', '\\'', '\"', '+');",
        '  raise(R"x(\n  a < b;\n  true)x");',
        "  /* a < b;\n  true */",
        "  // a < b",
        "#define X \\\n  a < b",
        "template <int n = 0>",
        "  MITHRIL_CHECK(a < b);",
        "  names.reserve(2 * n);",
        "  T&& take(T* x, std::vector<T> y);",
        "  return a < b ? a : b;",
        "  return x < T() ? T() : x;",
        "  return 0x10 | 1'000 | 2.5;",
    ],
)
def test_text_declarations_and_equivalent_changes_are_skipped(
    faults: ModuleType, text: str
) -> None:
    assert [new for new in changes(faults, text) if new != "{}"] == []


@pytest.mark.parametrize(
    "text",
    ["    f(\"a < b\", '0')", '    """a\n    0 < 1\n    """', "    # 0", "    import a0 as b"],
)
def test_text_of_python_is_skipped(faults: ModuleType, text: str) -> None:
    assert [new for new in changes(faults, text, "a.py") if new != "pass"] == []


def test_whole_statements_are_left_out(faults: ModuleType) -> None:
    text = "  int a = f(x);\n  a = g(x);\n  return\n      h(a);\n  sum +=\n      g(a);\n  h(a);"
    assert changes(faults, text) == ["{}"] * 2
    assert [fault.line for fault in faults.faults_of("a.cpp", text)] == [2, 7]
    assert changes(faults, "    a = f(x)\n    return a", "a.py") == ["pass"]


def test_code_beside_text_is_changed(faults: ModuleType) -> None:
    line = "    size = '0' + names[i] + '<';  // + 1"
    assert changes(faults, line) == [
        "size = '0' - names[i] + '<';  // + 1",
        "size = '0' + names[i] - '<';  // + 1",
        "{}",
    ]


def test_a_fault_is_planted_at_the_current_place_of_its_line(faults: ModuleType) -> None:
    fault = faults.Fault("a.cpp", 4, "f(0);", "f(1);")
    assert fault.planted_in("  f(0);\n\n\n\n  f(0);\n") == "  f(0);\n\n\n\n  f(1);\n"
    assert fault.planted_in("  f(2);\n") is None


def test_the_order_depends_on_the_seed(faults: ModuleType, tmp_path: Path) -> None:
    names = [Path("a/a.cpp"), Path("a/b.cpp"), Path("b/c.py")]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            "  f(0, 1, 2);\n  g(true);\n" if "cpp" in name.name else "x = 0"
        )
    first = list(faults.faults_in_order(tmp_path, names, 1))
    assert first == list(faults.faults_in_order(tmp_path, names[::-1], 1))
    assert first != list(faults.faults_in_order(tmp_path, names, 2))
    assert len(first) == len(set(first)) == 2 * 6 + 1
    assert "b/c.py" in [fault.file for fault in first[:2]]  # folders take turns


def test_the_first_failure_ends_a_command(first_failure: ModuleType, tmp_path: Path) -> None:
    def run(program: str, limit: float = 60) -> str:
        command = [sys.executable, "-c", program]
        return first_failure.first_failure(command, tmp_path, os.environ, limit).by

    assert run("pass") == ""
    assert run("raise SystemExit(3)") == "exit status 3"
    assert run("print('FAILED a test', flush=True); import time; time.sleep(600)") == (
        "FAILED a test"
    )
    assert run("import time; time.sleep(600)", limit=0.5) == "time"


def test_processes_in_other_sessions_are_killed(first_failure: ModuleType, tmp_path: Path) -> None:
    command = "setsid sh -c 'echo $$ >started; echo FAILED on purpose; sleep 600' & sleep 600"
    ended = first_failure.first_failure(command, tmp_path, os.environ, 600)
    assert ended.by == "FAILED on purpose"
    process = Path("/proc", (tmp_path / "started").read_text().strip(), "stat")
    deadline = time.monotonic() + 60
    while is_running(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_running(process: Path) -> bool:
    try:
        return process.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_each_fault_is_planted_alone_and_taken_out(tool: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text("def f(x):\n    return x + 1 if x else True\n")
    (tmp_path / "test.py").write_text("from source import f\nassert f(2) == 3\n")
    given = [
        tool.Fault("source.py", 2, "return x + 1 if x else True", new)
        for new in ("return x - 1 if x else True", "return x + 1 if x else False", "return (")
    ]
    results = list(tool.results(given, "true", [sys.executable, "test.py"], None))
    assert [result.by for result in results] == ["exit status 1", ""]
    assert source.read_text() == "def f(x):\n    return x + 1 if x else True\n"


def test_an_interrupt_takes_the_fault_out(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source.py").write_text("x = 1\n")

    def interrupted(*_: object) -> None:
        assert (tmp_path / "source.py").read_text() == "x = 2\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(tool, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tool.trial(tool.Fault("source.py", 1, "x = 1", "x = 2"), "true", [], 60)
    assert (tmp_path / "source.py").read_text() == "x = 1\n"


def test_a_command_that_fails_without_a_fault_is_refused(tool: ModuleType) -> None:
    with pytest.raises(SystemExit, match="fails without a fault: exit status 3"):
        list(tool.results([], "true", [sys.executable, "-c", "raise SystemExit(3)"], None))


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("mithril/ops/moving_data/sort.cpp", "--test-case='op sort'"),
        ("mithril/server/metrics.cpp", "--source-file='*tests/server/*'"),
        ("python/mithril/training/fit.py", "python/tests/training/test_fit.py"),
    ],
)
def test_near_tests_run_first(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, file: str, first: str
) -> None:
    monkeypatch.setattr(tool, "COPY", tool.ROOT)
    commands = tool.tests_of(file).split(" && ")
    assert first in commands[0]
    assert {f"{{ {tool.CPP_TESTS} & }}", tool.PYTHON_TESTS, "wait $cpp"} <= set(commands)


def test_the_last_result_of_a_fault_counts(tool: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [
        {"file": "a", "line": line, "old": "0", "new": "1", "found": found, "by": "", "seconds": 1}
        for line, found in [(1, False), (2, False), (3, True), (2, True)]
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert tool.missed_in(log) == [tool.Fault("a", 1, "0", "1")]


@pytest.mark.slow
def test_a_resumed_run_leaves_out_the_faults_of_the_log(tool: ModuleType, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    options = ["--dry-run", "--folders", "mithril/text", "--count", "2", "--log", str(log)]

    def listed(*more: str) -> list[str]:
        command = [sys.executable, str(ROOT / "tools" / "plant_faults"), *options, *more]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return ran.stdout.splitlines()

    sources = [name for name in tool.tracked_files() if tool.is_source(name, ["mithril/text"])]
    first, second = islice(tool.faults_in_order(tool.ROOT, sources, 1), 2)
    assert listed("--resume") == [str(first), str(second)]
    log.write_text(json.dumps(asdict(tool.Result(**asdict(first), found=True, by="", seconds=1))))
    assert listed("--resume")[0] == str(second)
    assert listed() == [str(first), str(second)]
