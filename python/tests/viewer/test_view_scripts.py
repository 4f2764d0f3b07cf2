"""The scripts of the page without a browser: their logic in Node, and their types."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from web_tools import ROOT, needs_node

PAGE = ROOT / "mithril" / "viewer" / "page"
TESTS = ROOT / "tests" / "viewer"


@needs_node
@pytest.mark.parametrize("test", sorted(path.name for path in TESTS.glob("*.mjs")))
def test_the_logic_of_the_page_in_node(test: str) -> None:
    ended = subprocess.run(
        ["node", "--test", TESTS / test], capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stdout[-6000:]


@pytest.mark.slow
def test_the_scripts_have_types() -> None:
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("tsc is not installed")
    options = ["--allowJs", "--checkJs", "--strict", "--noEmit", "--target", "es2022"]
    options += ["--module", "es2022", "--moduleResolution", "node"]
    options += ["--lib", "es2022,dom,dom.iterable"]
    ended = subprocess.run(
        [tsc, *options, PAGE / "main.js"], capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stdout


def test_modules_that_become_one_script_share_no_name() -> None:
    owners: dict[str, str] = {}
    declaration = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.M)
    for path in sorted(PAGE.glob("*.js")):
        for name in declaration.findall(path.read_text(encoding="utf-8")):
            assert name not in owners, f"{name} is in {owners[name]} and {path.name}"
            owners[name] = path.name


def test_the_page_has_every_module() -> None:
    source = (ROOT / "mithril" / "viewer" / "page.cpp").read_text(encoding="utf-8")
    names = set(re.findall(r'"(\w+\.js)"', source)) - {"dagre.js"}
    assert names == {path.name for path in PAGE.glob("*.js")}


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_scripts_write_no_markup(path) -> None:
    text = path.read_text(encoding="utf-8")
    for way in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
    ]:
        assert way not in text
    assert len(text.splitlines()) <= 400
