"""Puts vowel marks on Arabic text, with LSTMs of 8-bit weights from text2tashkeel.

Arabic is written without its short vowels. One file has two networks: one tells which letters bear
a mark, and the other which mark. A network has two bidirectional LSTMs of 8-bit weights, which
quantise their inputs, too.

python examples/onnx/packages.py && python examples/onnx/add_vowels.py [TEXT]
"""

import json
import sys
import unicodedata

import numpy as np
from packages import find

import mithril as ml

TEXT = "ذهب الولد إلى المدرسة في الصباح"  # The boy went to school in the morning.


def letters_of(text):
    """The characters without their marks. A letter with a hamza is a letter and a mark."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(c for c in decomposed if unicodedata.category(c) not in {"Mn", "So"})


def with_marks(letters, marks):
    pairs = zip(letters, marks, strict=True)
    is_letter = lambda letter: unicodedata.category(letter).startswith("L")  # noqa: E731
    marked = [letter + (mark if is_letter(letter) else "") for letter, mark in pairs]
    return unicodedata.normalize("NFC", "".join(marked))


class VowelMarker:
    def __init__(self):
        vocabulary = find("text2tashkeel", "text2tashkeel/models/rawi_v2.vocab.json")
        tables = json.loads(vocabulary.read_text(encoding="utf-8"))
        self.ids = tables["char_to_idx"]
        self.marks = {number: mark for mark, number in tables["diac_to_idx"].items()}
        path = find("text2tashkeel", "text2tashkeel/models/rawi_ensemble.int8.onnx")
        model, self.params, _ = ml.from_onnx(path, shapes={"input": [1, "length"]})
        self.compiled = ml.compile(model, ml.CpuBackend(), inference=True)

    def __call__(self, text):
        letters = letters_of(text)
        if not letters:
            return text
        ids = [[self.ids.get(letter, self.ids["<UNK>"]) for letter in letters]]
        outputs = self.compiled.evaluate(self.params, {"input": np.array(ids, np.int64)})
        return with_marks(letters, [self.marks[int(mark)] for mark in outputs["gated_cls"][0]])


def main(text=TEXT):
    marked = VowelMarker()(text)
    print(text)
    print(marked)
    return marked


if __name__ == "__main__":
    main(*sys.argv[1:2])
