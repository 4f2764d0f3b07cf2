"""Small faults that can be planted in the C++ and Python sources of the product."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("mithril", "backends", "codegen", "python/mithril", "python/src")  # of the product
SUFFIXES = {".cpp", ".py"}

# Text that is not code: a raw string, a string, a character, a comment, a preprocessor line. A
# quote behind a digit separates digits.
CPP_TEXT = re.compile(
    r'R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\[^\n']+|\\'|[^'\\\n])'"
    r"|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
PYTHON_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*',
    re.DOTALL,
)

# A pattern of code and its replacement.
Rule = tuple[re.Pattern[str], str]


def rules(*pairs: tuple[str, str]) -> list[Rule]:
    return [(re.compile(pattern), replacement) for pattern, replacement in pairs]


# Spaces surround operators. Template brackets, pointers and references have none on one side.
OPERATORS = rules(
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r"(?<!\b2) \* (?!2\b)", " + "),  # 2 * 2 is 2 + 2
    (r" [+-] 1\b(?![.'])", ""),
    (r" \+= ", " -= "),
    (r" -= ", " += "),
    (r"(?<![\w.'])0(?![\w.'])", "1"),
    (r"(?<![\w.'])1(?![\w.'])", "2"),
    (r"(?<![\w.'])2(?![\w.'])", "3"),
)
CPP_RULES = OPERATORS + rules(
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bif \(!", "if ("),
    (r"\bstd::min\b(?=[<(])", "std::max"),
    (r"\bstd::max\b(?=[<(])", "std::min"),
    (r"\bcontinue;", "break;"),
    (r"\bbreak;", "continue;"),
)
PYTHON_RULES = OPERATORS + rules(
    (r" and ", " or "),
    (r" or ", " and "),
    (r"\bTrue\b", "False"),
    (r"\bFalse\b", "True"),
    (r"\bif not ", "if "),
    (r" is not ", " is "),
    (r" is (?!not )", " is not "),
    (r" not in ", " in "),
    (r"\bmax\(", "min("),
    (r"\bmin\(", "max("),
    (r"\bcontinue$", "break"),
    (r"\bbreak$", "continue"),
)

# Lines that are left alone: declarations, claims that no input can make false, capacities, and the
# lesser or greater of two numbers.
CPP_KEPT = re.compile(
    r"^(?! )|^\s*(?:(?:template|using|namespace|static_assert|assert)\b|MITHRIL_)"
    r"|\.(?:reserve|shrink_to_fit)\("
    r"|(?P<x>[\w.()]+) [<>]=? (?P<y>[\w.()]+) \? (?:(?P=x) : (?P=y)|(?P=y) : (?P=x))"
)
PYTHON_KEPT = re.compile(r"^\s*(?:(?:import|from|assert|class)\b|@|__\w+__ = )|\bTYPE_CHECKING\b")

# Calls and assignments that can be left out. Without a declaration, a name would be missing. In
# C++, the line before tells whether a statement begins. In Python, the parser refuses all else.
CPP_STATEMENT = re.compile(r"^ +(?!return|throw|co_)[a-z_][\w.:\->\[\]]*(?:\(.*\)| [+\-*|]?= .*);$")
PYTHON_STATEMENT = re.compile(
    r"^ +(?!return|raise|yield|global|nonlocal|del)[\w.\[\]]+(?:\(.*\)| [+\-*|]?= .*)$"
)
CPP_BEFORE = re.compile(r"[;{}:)]$|\belse$|^$")


@dataclass(frozen=True)
class Language:
    text: re.Pattern[str]
    rules: Sequence[Rule]
    kept: re.Pattern[str]
    statement: re.Pattern[str]
    before: re.Pattern[str]  # how the line before a statement ends
    nothing: str  # a statement that does nothing


CPP = Language(CPP_TEXT, CPP_RULES, CPP_KEPT, CPP_STATEMENT, CPP_BEFORE, "{}")
PYTHON = Language(PYTHON_TEXT, PYTHON_RULES, PYTHON_KEPT, PYTHON_STATEMENT, re.compile(""), "pass")


@dataclass(frozen=True)
class Fault:
    file: str
    line: int  # from 1
    old: str  # the line without its indentation
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old}  ->  {self.new}"

    def planted_in(self, text: str) -> str | None:
        """The text with the fault, in the line nearest to its own that has the old text; None if
        no line has it."""
        lines = text.split("\n")
        places = [i for i, line in enumerate(lines) if line.strip() == self.old]
        if not places:
            return None
        place = min(places, key=lambda i: abs(i - self.line + 1))
        lines[place] = lines[place].replace(self.old, self.new, 1)
        return "\n".join(lines)


def code_of(text: str, language: Language) -> str:
    """The text with `_` for each character of a string, and blanks for comments and directives."""

    def hidden(match: re.Match[str]) -> str:
        filler = " " if match[0].lstrip().startswith(("/", "#")) else "_"
        return re.sub(r"[^\n]", filler, match[0])

    return language.text.sub(hidden, text)


def faults_of(file: str, text: str) -> list[Fault]:
    """Returns all faults of a source, in the order of its lines."""
    language = PYTHON if file.endswith(".py") else CPP
    lines, before, faults = text.split("\n"), "", []
    for number, masked in enumerate(code_of(text, language).split("\n"), 1):
        code, line, previous = masked.rstrip(), lines[number - 1], before
        before = code.strip()
        if not before or language.kept.search(code):
            continue
        changed = [
            line[: match.start()] + replacement + line[match.end() :]
            for pattern, replacement in language.rules
            for match in pattern.finditer(code)
        ]
        whole = language.before.search(previous) and code.count("(") == code.count(")")
        if whole and language.statement.match(code):
            changed.append(language.nothing)
        faults += [Fault(file, number, line.strip(), new.strip()) for new in dict.fromkeys(changed)]
    return faults


def faults_in_order(root: Path, files: Sequence[Path], seed: int) -> Iterator[Fault]:
    """Yields each fault of the files once. The order depends on the seed and the sources: it takes
    one fault of a random file from each folder in turn."""
    draw = random.Random(seed)
    folders = defaultdict(list)
    for file in sorted(files):
        text = (root / file).read_text(encoding="utf-8")
        if faults := faults_of(file.as_posix(), text):
            draw.shuffle(faults)
            folders[file.parent].append(faults)
    turns = list(folders.values())
    draw.shuffle(turns)
    while turns:
        for sources in turns:
            faults = draw.choice(sources)
            yield faults.pop()
            if not faults:
                sources.remove(faults)
        turns = [sources for sources in turns if sources]
