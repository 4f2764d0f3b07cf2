"""Fixtures and settings of all Python tests."""

import importlib
import os
import signal
import sys
from collections import Counter

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
def _less_optimization(all_cases: bool) -> None:
    """Compiles generated code in less time: in the sample it runs only shortly."""
    if all_cases:
        return
    for name, level in {"library": "-O0", "wasm": "-O1"}.items():
        flags = importlib.import_module(f"mithril.export.{name}").FLAGS
        flags[flags.index("-O3")] = level


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
