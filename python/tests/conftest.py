"""What holds for all tests of Python."""

import os
import sys
from collections import Counter

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test uses what programs or other runs have left in the cache."""
    os.environ["MITHRIL_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _same_numbers_of_torch() -> None:
    """Every process of torch begins with another seed."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow what a sample leaves out: it has the first case of a test that is marked
    sampled(n), and each n-th after it."""
    seen: Counter[str] = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            if seen[test] % sampled.args[0]:
                item.add_marker("slow")
            seen[test] += 1
