"""The tokenizer in Python; tests/text has more, and tests/models_agreement/run_tokenizers compares
it with Hugging Face's."""

import json
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "##s"]
FILE = {
    "truncation": {"max_length": 128},
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: i for i, piece in enumerate(PIECES)},
    },
}


def test_texts_become_the_inputs_of_a_model() -> None:
    tokenizer = ml.Tokenizer(json.dumps(FILE))
    assert tokenizer.ids("Hello worlds") == [2, 4, 5, 6, 3]
    data = tokenizer(["Hello worlds", "hello"])
    np.testing.assert_array_equal(data["input_ids"], [[2, 4, 5, 6, 3], [2, 4, 3, 0, 0]])
    np.testing.assert_array_equal(data["attention_mask"], [[1] * 5, [1, 1, 1, 0, 0]])
    assert (data["token_type_ids"].dtype, data["attention_mask"].dtype) == (np.int64, np.bool_)
    assert ml.Tokenizer(json.dumps(FILE).encode(), max_length=3).ids("hello world") == [2, 4, 3]


def test_one_text_is_not_a_list_of_texts() -> None:
    tokenizer = ml.Tokenizer(json.dumps(FILE))
    with pytest.raises(ml.TypeError, match="argument 'texts' has the wrong kind"):
        tokenizer("hello")  # type: ignore[arg-type]


def test_a_negative_length_is_refused() -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.Tokenizer(json.dumps(FILE), max_length=-1)
    assert str(caught.value) == (
        "mithril.ValueError[E0406]: Tokenizer: max_length is -1, expected at least 0"
    )


def test_ids_that_no_tokenizer_has_add_no_text() -> None:
    tokenizer = ml.Tokenizer(json.dumps({**FILE, "decoder": {"type": "WordPiece"}}))
    assert tokenizer.decode([-1, 4, 7, 2**62, -(2**63), 5]) == "hello world"
    assert tokenizer.token(-1) is None and tokenizer.decode([]) == ""


def test_ids_become_text() -> None:
    tokenizer = ml.Tokenizer(json.dumps({**FILE, "decoder": {"type": "WordPiece"}}))
    assert tokenizer.encode("Hello worlds") == [2, 4, 5, 6, 3]
    assert tokenizer.encode("Hello worlds", add_special_tokens=False) == [4, 5, 6]
    assert tokenizer.decode([4, 5, 6]) == "hello worlds"
    assert tokenizer.decode(np.array([4, 5]).tolist()) == "hello world"
    stream = tokenizer.stream()
    assert [stream.push(token) for token in (4, 5, 6, 99)] == ["hello", " world", "s", ""]
    assert stream.finish() == ""


def test_a_tokenizer_shows_its_vocabulary() -> None:
    tokenizer = ml.Tokenizer(json.dumps(FILE))
    assert repr(tokenizer) == "<Tokenizer WordPiece, 7 tokens>"
    assert (tokenizer.vocab_size, tokenizer.id("hello"), tokenizer.token(6)) == (7, 4, "##s")
    assert tokenizer.id("none") is None and tokenizer.token(7) is None
    assert tokenizer.begin_of_text == [2]


def test_a_tokenizer_is_read_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(FILE))
    for source in (path, str(path), tmp_path, str(tmp_path), path.read_bytes()):
        assert ml.Tokenizer(source).ids("hello") == [2, 4, 3]
    assert ml.Tokenizer(path, max_length=3).ids("hello world") == [2, 4, 3]
    with pytest.raises(ml.InputError, match=r"E0830.*none\.json"):
        ml.Tokenizer(tmp_path / "none.json")
    path.write_text("{")
    with pytest.raises(ml.ParseError, match=r"E0720.*tokenizer\.json"):
        ml.Tokenizer(path)


def test_the_files_of_gpt2_are_read(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1, "ab": 2, "\u0120": 3}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\n")
    tokenizer = ml.Tokenizer(tmp_path)
    assert tokenizer.encode("ab ba") == [2, 3, 1, 0]
    assert tokenizer.decode([2, 3, 1, 0]) == "ab ba"


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2]}}, "/post_processor"),
        ({"normalizer": {"type": "Nmt"}}, "/normalizer"),
        ({"pre_tokenizer": {"type": "UnicodeScripts"}}, "/pre_tokenizer"),
        ({"decoder": {"type": "CTC"}}, "/decoder"),
        ({"model": {"type": "WordLevel"}}, "/model/type"),
    ],
)
def test_other_parts_are_refused(part: dict[str, object], place: str) -> None:
    with pytest.raises(ml.ParseError, match=rf"E07(72|27).*{place}"):
        ml.Tokenizer(json.dumps({**FILE, **part}))
