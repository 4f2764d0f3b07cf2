"""Fixtures and settings of all Python tests."""

import importlib.util
import mmap
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

# A shell without job control starts background jobs with SIGINT ignored, which the programs that
# tests start and interrupt would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Gives the tests an empty cache, without files of other programs or runs."""
    os.environ["MITHRIL_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def all_cases(pytestconfig: pytest.Config) -> bool:
    """Returns whether each test runs all of its cases, as in `make test-all`."""
    return "not slow" not in pytestconfig.getoption("markexpr")


@pytest.fixture(scope="session", autouse=True)
def _less_optimization(all_cases: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compiles generated code in less time: in the sample it runs only shortly."""
    if all_cases:
        return
    compiler = tmp_path_factory.mktemp("compiler") / "c++"
    compiler.write_text('#!/bin/sh\nexec c++ "$@" -O0\n', encoding="utf-8")
    compiler.chmod(0o755)
    importlib.import_module("command").VARIABLES["CXX"] = os.environ.get("CXX", str(compiler))
    for name, level in {"library": "-O0", "wasm": "-O1"}.items():
        flags = importlib.import_module(f"mithril.export.{name}").FLAGS
        flags[flags.index("-O3")] = level


def pytest_configure(config: pytest.Config) -> None:
    """In the sample, XLA compiles in three fifths of the time: functions run only shortly."""
    spec = importlib.util.find_spec("jaxlib")
    if "not slow" not in config.getoption("markexpr") or not (spec and spec.origin):
        return
    flags = [os.environ.get("XLA_FLAGS", ""), "--xla_backend_optimization_level=0"]
    # The older emitters write LLVM without MLIR. XLA ends a process that names an unknown flag.
    emitters = "xla_cpu_use_fusion_emitters"
    for library in Path(spec.origin).parent.glob("*.so"):
        with (
            library.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text,
        ):
            if text.find(emitters.encode()) >= 0:
                flags.append(f"--{emitters}=false")
                break
    os.environ["XLA_FLAGS"] = " ".join(flags)


@pytest.fixture(autouse=True)
def _same_numbers_of_torch() -> None:
    """Every process of torch begins with another seed."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow the tests outside of the sample. Of a test that is marked sampled(n), the
    sample has the first case and every n-th case after it."""
    seen: Counter[str] = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            if seen[test] % sampled.args[0]:
                item.add_marker("slow")
            seen[test] += 1
