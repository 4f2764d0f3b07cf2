"""What holds for all tests of Python."""

import os
import sys

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
