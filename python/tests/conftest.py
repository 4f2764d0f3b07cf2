"""What holds for all tests of Python."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _same_numbers_of_torch() -> None:
    """Every process of torch begins with another seed."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)
