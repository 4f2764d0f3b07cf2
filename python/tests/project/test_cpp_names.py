"""C++ has the library of Python: each model as a function, and its arguments as options.

Both sides read the same records for ops; the functions of library models are written by hand.
"""

import re
from pathlib import Path

import pytest

from mithril import _core

ROOT = Path(__file__).parents[3]
RECORDS = {
    record["name"]: record
    for record in _core.library()
    if record["op"] is None and not record["alias_of"]
}


def headers() -> str:
    """The headers of layers; mithril/mithril.hpp includes them through layers.hpp."""
    layers = (ROOT / "mithril" / "models" / "layers.hpp").read_text(encoding="utf-8")
    names = re.findall(r'#include "(mithril/models/\w+\.hpp)"', layers)
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


TEXT = re.sub(r"//[^\n]*", "", headers())


def fields(struct: str) -> set[str]:
    """Names of members, including the members of nested structs."""
    found = re.search(rf"struct {struct} {{(.*?)\n}};", TEXT, re.DOTALL)
    assert found, struct
    names = set()
    for kind, members in re.findall(r"([\w:<>]+) ([^;]+);", found[1]):
        if f"struct {kind} {{" in TEXT:
            names |= fields(kind)
        names |= {re.match(r"\s*(\w+)", member)[1] for member in members.split(",")}  # type: ignore[index]
    return names


@pytest.mark.parametrize("name", RECORDS)
def test_a_library_model_is_a_function_with_options(name: str) -> None:
    found = re.search(rf"\bModel {name}\(([^)]*)\)", TEXT)
    assert found, f"mithril/mithril.hpp has no function {name}"
    arguments = {argument["name"] for argument in RECORDS[name]["arguments"]}
    struct = re.search(r"(?:const )?(\w+)&? options", found[1])
    positional = set(re.findall(r"(\w+)(?: =[^,]*)?(?:,|$)", found[1])) if not struct else set()
    assert arguments <= (fields(struct[1]) if struct else positional)


WORDS = [
    (record["name"], argument["name"], argument["words"])
    for record in _core.library()
    for argument in record["arguments"]
    if argument["words"] and not record.get("internal")
]


def test_some_arguments_are_words() -> None:
    assert ("Upsample", "mode", ["nearest", "bilinear", "bicubic"]) in WORDS


@pytest.mark.parametrize(("name", "argument", "words"), WORDS)
def test_words_are_an_enumeration(name: str, argument: str, words: list[str]) -> None:
    headers = [*(ROOT / "mithril" / "models").rglob("*.hpp")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in headers)
    found = re.findall(r"enum class \w+ \{([^}]*)\}", text)
    assert set(words) in [set(re.findall(r"\w+", name)) for name in found]
