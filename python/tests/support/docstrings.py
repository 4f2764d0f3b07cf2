"""The docstrings of the public names. Those of ops and layers are made from their records."""

import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from mithril._internal.records import public_records

import mithril as ml

RECORDS = {record["name"] for record in public_records()}


def public_names() -> Iterator[tuple[str, Any]]:
    """Yields the names of the package and of its public modules: "compile", "data.DataSource"."""
    for key in ml.__all__:
        thing = getattr(ml, key)
        if key in RECORDS:
            continue
        yield key, thing
        if isinstance(thing, ModuleType):
            names = (name for name in getattr(thing, "__all__", ()) if name not in RECORDS)
            yield from ((f"{key}.{name}", getattr(thing, name)) for name in names)


def is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def public_members(cls: type) -> Iterator[tuple[str, Any, Any]]:
    """Yields key, member and docstring of each public member, also of the bases in the package."""
    for key in dir(cls):
        owner = next(base for base in cls.__mro__ if key in vars(base) or base is object)
        if key.startswith("_") or not owner.__module__.startswith("mithril"):
            continue
        member = getattr(cls, key)
        yield key, member, inspect.getdoc(member) or ""


def public_methods() -> Iterator[tuple[str, Callable[..., Any], str]]:
    """Yields name, function and docstring of each method. A method that is inherited comes once."""
    seen: set[tuple[str, str]] = set()
    for name, thing in public_names():
        if not inspect.isclass(thing) or is_error(thing):
            continue
        for key, member, text in public_members(thing):
            is_old = text.startswith("The old name of")
            if callable(member) and not is_old and (key, text) not in seen:
                seen.add((key, text))
                yield f"{name}.{key}", member, text


def docstrings() -> dict[str, str]:
    """Returns the docstring of each public name and member."""
    found: dict[str, str] = {}
    for name, thing in public_names():
        if isinstance(thing, ModuleType) or not callable(thing):
            continue
        found.setdefault(name, inspect.getdoc(thing) or "")
        if inspect.isclass(thing):
            for key, _, text in public_members(thing):
                if text not in found.values():
                    found[f"{name}.{key}"] = text
    return {name: text for name, text in found.items() if text}


def section_faults(text: str) -> list[str]:
    """The lines of "Args:", "Returns:" and "Raises:" that are not in the form of the others."""
    faults: list[str] = []
    section, before = "", ""
    for line in text.splitlines():
        if re.fullmatch(r"(Args|Returns|Raises|Example):", line):
            section = line
            faults += [line] if before and section != "Example:" else []
        elif line and not line.startswith(" "):
            section = ""
        entry = re.match(r" {4}\w+: (.*)", line)
        if entry and section == "Args:" and re.match(r"(A|An|How|The|What|Whether) ", entry[1]):
            faults.append(line)
        is_condition = entry and re.match(r"(.*, )?[Ii]f |Always\.", entry[1])
        if entry and section == "Raises:" and not is_condition:
            faults.append(line)
        before = line
    return faults


def example_of(text: str) -> str:
    """The indented code after the last line "Example:"."""
    parts = re.split(r"^Example:\n", text, flags=re.MULTILINE)
    lines = parts[-1].splitlines() if len(parts) > 1 else []
    code = itertools.takewhile(lambda line: not line or line.startswith(" "), lines)
    return textwrap.dedent("\n".join(code)).strip()
