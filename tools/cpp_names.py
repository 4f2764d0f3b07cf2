"""The names that headers of C++ declare, read from their tokens.

It understands the headers of this project, which clang-format has formatted. It does not expand
macros, and does not tell overloads apart.
"""

import re
from collections.abc import Iterator
from pathlib import Path

INCLUDE = re.compile(r'#include "((?:mithril|backends|codegen)/[^"]+)"')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
TEXT = re.compile(r'R"\((?:.*?)\)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
TOKEN = re.compile(r"operator\s*(?:\(\)|\[\]|[^\s\w(]+)|\w+|::|\[\[.*?\]\]|\S", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
ACCESS = {"public", "private", "protected"}
CLASSES = {"class", "struct", "union"}
NOT_NAMES = {"const", "noexcept", "override", "final", "default", "delete", "requires", "mutable"}


def headers_of(root: Path, roots: list[str]) -> list[str]:
    """The headers and those that they include, in turn."""
    found: list[str] = []
    waiting = list(roots)
    while waiting:
        header = waiting.pop()
        if header not in found:
            found.append(header)
            waiting += INCLUDE.findall((root / header).read_text(encoding="utf-8"))
    return sorted(found)


def names_of(text: str) -> set[str]:
    """The public names of a header: "mithril::Tensor::reshape"."""
    plain = TEXT.sub('""', COMMENT.sub("", text))
    tokens = [token for token in TOKEN.findall(plain) if not token.startswith("[[")]
    return {
        name
        for name in _Reader(tokens).scope("", is_public=True)
        if not re.search(r"(^|::)(detail|internal)::|_$|::~", name)
    }


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def scope(self, prefix: str, *, is_public: bool) -> Iterator[str]:
        """The names declared up to the brace that closes a namespace or a class."""
        statement: list[str] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token == "}":
                return
            if statement[-1:] and statement[-1] in ACCESS and token == ":":
                is_public, statement = statement[-1] == "public", []
            elif token == ";":
                yield from _declared(prefix, statement) if is_public else ()
                statement = []
            elif token == "{":
                yield from self._braces(prefix, statement, is_public)
                statement = [] if self._ends_here(statement) else [*statement, "{}"]
            else:
                statement.append(token)

    def _braces(self, prefix: str, statement: list[str], is_public: bool) -> Iterator[str]:
        head = _without_templates(statement)
        if head[:1] == ["namespace"] or head[:2] == ["inline", "namespace"]:
            name = "".join(head[head.index("namespace") + 1 :])
            yield from self.scope(f"{prefix}{name}::", is_public=bool(name))
        elif head[:1] == ["extern"]:
            yield from self.scope(prefix, is_public=is_public)
        elif head[:1] == ["enum"]:
            name = _class_name(head)
            values = self._enumerators()
            if is_public:
                yield from (f"{prefix}{name}", *(f"{prefix}{name}::{value}" for value in values))
        elif set(head) & CLASSES and "(" not in head and "=" not in head:
            name = _class_name(head)
            is_struct = next(token for token in head if token in CLASSES) != "class"
            if is_public and name:
                yield f"{prefix}{name}"
            within = f"{prefix}{name}::" if name else prefix
            inner = list(self.scope(within, is_public=is_struct))
            yield from inner if is_public else ()
        else:
            if is_public:
                yield from _declared(prefix, statement)
            self._skip()

    def _ends_here(self, statement: list[str]) -> bool:
        """Whether the statement ends at this brace: it does not after an initialiser."""
        head = _without_templates(statement)
        following = self.tokens[self.at] if self.at < len(self.tokens) else ""
        return following not in {",", "{"} and (
            "(" in head or head[:1] in (["namespace"], ["inline"], ["extern"]) or following == ";"
        )

    def _skip(self) -> None:
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            self.at += 1

    def _enumerators(self) -> list[str]:
        start = self.at
        self._skip()
        inside = self.tokens[start : self.at - 1]
        return [
            token
            for before, token in zip([",", *inside], inside, strict=False)
            if before == "," and WORD.fullmatch(token)
        ]


def _without_templates(statement: list[str]) -> list[str]:
    """The statement without what is between angle brackets."""
    kept: list[str] = []
    open_brackets = ""
    for token in statement:
        if token == "<" or (token == "(" and open_brackets):
            open_brackets += token
        elif token in {">", ")"} and open_brackets:
            if open_brackets[-1] + token in {"<>", "()"}:
                open_brackets = open_brackets[:-1]
        elif not open_brackets and token != "template":
            kept.append(token)
    return kept


def _class_name(head: list[str]) -> str:
    """The name after class, struct, union or enum class, before its bases."""
    head = head[: head.index(":")] if ":" in head else head
    words = [token for token in head if WORD.fullmatch(token) and token not in NOT_NAMES]
    return words[-1] if words[-1] not in CLASSES | {"enum"} else ""


def _declared(prefix: str, statement: list[str]) -> Iterator[str]:
    """The names of a declaration without its body."""
    head = _without_templates(statement)
    if not head or head[0] in {"friend", "static_assert", ",", "}", "namespace", "{}"}:
        return
    if head[0] == "using" and "=" not in head:
        yield from [f"{prefix}{head[-1]}"] if head[1] != "namespace" else []
        return
    if head[0] == "using":
        yield f"{prefix}{head[1]}"
        return
    if head[0] in CLASSES | {"enum"} and "(" not in head and len(head) <= 3 and "{}" not in head:
        return  # declared here, defined elsewhere
    for i, token in enumerate(head):
        if token == "(":
            name = head[i - 1] if i else ""
            is_member = head[max(i - 2, 0)] == "::"  # defined outside of its class
            if not is_member and (WORD.fullmatch(name) or name.startswith("operator")):
                yield prefix + "".join(name.split())
            return
        if token in {"=", "{}", "["}:
            head = head[:i]
            break
    names = [token for token in head if WORD.fullmatch(token) and token not in NOT_NAMES]
    if len(names) > 1:
        yield f"{prefix}{names[-1]}"
