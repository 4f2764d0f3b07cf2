"""The tokenizer in Python; tests/text/tokenizer.cpp has more, and tests/models_agreement/search.py
compares it with Hugging Face's."""

import json

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


@pytest.mark.parametrize(
    "ends",
    [
        {"cls": ["[CLS]", 2]},
        {"cls": ["[CLS]", 3], "sep": ["[SEP]", 3]},
        {"cls": ["[CLS]", 2], "sep": ["[CLS]", 2]},
    ],
)
def test_other_ends_of_texts_are_refused(ends: dict[str, object]) -> None:
    file = {**FILE, "post_processor": {"type": "BertProcessing", **ends}}
    with pytest.raises(ml.ParseError, match=r"E0771.*/post_processor"):
        ml.Tokenizer(json.dumps(file))
