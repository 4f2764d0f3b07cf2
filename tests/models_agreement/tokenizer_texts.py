"""Random texts of all scripts."""

import random
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u2028"]
SPACES += ["\x85", "\u1680", "\x0b"]
EMOJI = ["\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea"]
EMOJI += ["\u2764\ufe0f", "\U0001f44d\U0001f3fd", "1\ufe0f\u20e3"]
MARKS = [chr(code) for code in [*range(0x300, 0x370), 0x5B0, 0x64B, 0x93C, 0x9CD, 0x3099, 0x20DD]]
CONTROLS = ["\x00", "\x07", "\x7f", "\u00ad", "\u200b", "\u200d", "\ufeff", "\ufffd", "\u2060"]
CONTROLS += ["\ue000", "\ufffe", "\U000e0041", "\U0010fffd"]
CONTRACTIONS = ["'s", "'T", "'re", "'VE", "'m", "'LL", "'d", "'\u017f", " n't", " do not", "'"]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def scripts() -> dict[str, list[str]]:
    """The characters of each script: of the names that begin with the same word."""
    found = defaultdict(list)
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in ("Cn", "Cs", "Co"):
            continue
        found[unicodedata.name(character, "NONE").split()[0].split("-")[0]].append(character)
    return dict(found)


class Texts:
    def __init__(self, seed: int, added: list[str]) -> None:
        self.random = random.Random(seed)
        self.scripts = scripts()
        self.names = sorted(self.scripts)
        self.common = ["LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW", "DEVANAGARI", "CJK"]
        self.common += ["HANGUL", "HIRAGANA", "THAI", "DIGIT"]
        self.added = added
        lines = [line for path in sorted(DOCS.glob("*.md")) for line in path.open(encoding="utf-8")]
        self.sentences = [line.strip("\n") for line in lines if len(line) > 20]

    def word(self) -> str:
        names = self.names if self.random.random() < 0.5 else self.common
        characters = self.scripts[self.random.choice(names)]
        return "".join(self.random.choices(characters, k=self.random.randint(1, 8)))

    def plain_word(self) -> str:
        return self.random.choice(self.random.choice(self.sentences).split())

    def mixture(self) -> str:
        kinds = [SPACES, EMOJI, MARKS, CONTROLS, CONTRACTIONS, self.added or SPACES]
        kinds.append([*'0123456789!?.,;:"()[]{}<>/\\|@#$%^&*-_=+~`', "...", "12345", "3.14"])
        return self.random.choice(self.random.choice(kinds))

    def part(self) -> str:
        choice = self.random.random()
        if choice < 0.35:
            return self.word()
        return self.plain_word() if choice < 0.6 else self.mixture()

    def text(self) -> str:
        if self.random.random() < 0.05:
            return self.random.choice(self.sentences)
        text = ""
        for _ in range(self.random.randint(0, 12)):
            text += self.part() + self.random.choice(["", " ", " ", ""])
        if self.random.random() < 0.2:
            text = unicodedata.normalize(self.random.choice(FORMS), text)
        return text
