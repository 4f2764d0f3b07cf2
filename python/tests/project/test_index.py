"""docs/index.md has every page in one group, as the README has them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted(path.name for path in ROOT.glob("docs/*.md") if path.name != "index.md")
GROUPS = ["Start", "Guides", "Reference", "Deploy", "Contribute"]


def groups_of_the_index():
    """The pages of each group, in order, as often as they are linked."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    sections = re.split(r"^## (.*)$", text, flags=re.MULTILINE)[1:]
    names, bodies = sections[::2], sections[1::2]
    return {
        name: re.findall(r"\]\(([\w-]+\.md)\)", body)
        for name, body in zip(names, bodies, strict=True)
    }


def groups_of_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Documents\n")[2]
    groups = re.findall(r"^- \*\*(\w+)\*\*: (.*?)(?=^- |^$)", text, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"\]\(docs/([\w-]+\.md)\)", body) for name, body in groups}


def test_every_page_is_in_one_group():
    linked = [page for pages in groups_of_the_index().values() for page in pages]
    assert sorted(linked) == PAGES


def test_the_readme_has_the_groups_of_the_index():
    index, readme = groups_of_the_index(), groups_of_the_readme()
    assert list(index) == list(readme) == GROUPS
    for name, pages in readme.items():
        assert pages and set(pages) <= set(index[name]), name
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_first_what_the_reader_can_do(page):
    title, sentence, *_ = (ROOT / "docs" / page).read_text(encoding="utf-8").split("\n\n")
    assert title.startswith("# ")
    assert re.match(r"(After|On) this page you can ", sentence)
