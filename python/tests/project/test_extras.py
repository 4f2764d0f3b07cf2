"""The extras of pip (`mithril-cpp[torch]`) are in the ranges that are tested."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no reader of TOML")
ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    extra: [Requirement(text) for text in given]
    for extra, given in PROJECT["optional-dependencies"].items()
}


def requirements(file: str) -> dict[str, Requirement]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    parsed = [Requirement(line) for line in lines if not line.startswith(("#", "-"))]
    return {given.name: given for given in parsed}


def releases_of_torch() -> list[str]:
    """What the Makefile installs, and the other release that the documents name."""
    text = (ROOT / "docs/pytorch-backend.md").read_text(encoding="utf-8")
    (default,) = re.findall(r"^TORCH \?= (.+)$", (ROOT / "Makefile").read_text(), re.M)
    return [default, *re.findall(r"`make test TORCH=([\d.]+)`", text)]


def test_extras_allow_the_releases_of_torch_that_are_tested() -> None:
    (torch,) = EXTRAS["torch"]
    releases = releases_of_torch()
    assert releases == ["2.11.0", "2.15.0"]
    assert all(release in torch.specifier for release in releases)
    assert "2.10.0" not in torch.specifier
    assert "2.16.0" not in torch.specifier


@pytest.mark.parametrize("extra", ["jax", "serve"])
def test_extras_have_the_ranges_of_the_tools_of_tests(extra: str) -> None:
    tested = requirements("tools/requirements.txt")
    assert all(str(tested[given.name]) == str(given) for given in EXTRAS[extra])


def test_extras_of_models_allow_the_releases_that_are_compared() -> None:
    tested = requirements("tests/models_agreement/requirements.txt")
    for given in EXTRAS["models"]:
        (pin,) = tested[given.name].specifier
        assert pin.operator == "=="
        assert pin.version in given.specifier, given.name


def test_all_has_every_extra() -> None:
    (given,) = EXTRAS["all"]
    assert given.name == PROJECT["name"]
    assert given.extras == EXTRAS.keys() - {"all"}
