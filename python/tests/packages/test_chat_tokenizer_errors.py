"""The errors of examples/chat for a tokenizer that is damaged or not supported."""

import copy
import json
import subprocess

import pytest
from chat_tokenizers import LEGACY, PREPEND, REPLACE, added_token, built_program, metaspace, trained

pytestmark = pytest.mark.slow  # they need the program examples/chat

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")


@pytest.fixture(scope="module")
def program():
    return built_program()


@pytest.fixture(scope="module")
def fields():
    return {**trained(tokenizers), **LEGACY}


def message(program, folder, text=""):
    run = subprocess.run(
        [program, "--tokens", folder], input=text, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    return run.stderr


SPLIT = {
    "type": "Split",
    "pattern": {"Regex": r"\d"},
    "behavior": "Isolated",
    "invert": False,
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
TOKENIZERS = '"BPE": the tokenizers of GPT-2, Llama, Mistral and Qwen2'
SPACES = metaspace("first")["pre_tokenizer"]
REGEX = {"type": "Replace", "pattern": {"Regex": "a"}, "content": "b"}
# The path of a field, a value that is refused there, and the end of the message.
REFUSED = [
    ("model.type", "Unigram", f'model.type is "Unigram", expected {TOKENIZERS}'),
    ("model.type", "WordPiece", f'model.type is "WordPiece", expected {TOKENIZERS}'),
    ("model.type", 1, f"model.type is 1, expected {TOKENIZERS}"),
    ("model.dropout", 0.1, "model.dropout is 0.1, expected 0.0"),
    (
        "model.continuing_subword_prefix",
        "##",
        'model.continuing_subword_prefix is "##", expected ""',
    ),
    ("model.end_of_word_suffix", "</w>", 'model.end_of_word_suffix is "</w>", expected ""'),
    ("model.max_length", 8, "model.max_length is 8, expected no such field"),
    ("model.byte_fallback", 1, "model.byte_fallback is 1, expected true or false"),
    ("model.unk_token", ["<unk>"], "model.unk_token is an array, expected a string"),
    ("normalizer", {"type": "NFKC"}, 'normalizer is "NFKC", expected Prepend, Replace or NFC'),
    (
        "normalizer.normalizers",
        [PREPEND, {"type": "Lowercase"}],
        'normalizer.normalizers[1] is "Lowercase", expected Prepend, Replace or NFC',
    ),
    (
        "normalizer.normalizers",
        [{"type": "Sequence", "normalizers": [REPLACE]}],
        'normalizer.normalizers[0] is "Sequence", expected Prepend, Replace or NFC',
    ),
    ("normalizer", REGEX, "normalizer.pattern.String is null, expected a string"),
    (
        "normalizer",
        {**REPLACE, "pattern": {"String": ""}},
        'normalizer.pattern.String is "", expected a text that is not empty',
    ),
    (
        "pre_tokenizer",
        {"type": "Whitespace"},
        'pre_tokenizer is "Whitespace", expected Metaspace, ByteLevel, or a Sequence of Split and '
        "ByteLevel",
    ),
    (
        "pre_tokenizer",
        {**SPACES, "prepend_scheme": "last"},
        'pre_tokenizer.prepend_scheme is "last", expected first, always or never',
    ),
    (
        "pre_tokenizer",
        {"type": "Metaspace"},
        "pre_tokenizer.replacement is null, expected a string",
    ),
    (
        "pre_tokenizer",
        {"type": "ByteLevel", "add_prefix_space": True},
        "pre_tokenizer.add_prefix_space is true, expected false",
    ),
    (
        "pre_tokenizer",
        {"type": "Sequence", "pretokenizers": [SPLIT, BYTE_LEVEL]},
        r'pre_tokenizer.pretokenizers[0].pattern.Regex is "\\d", expected that of Llama 3 or Qwen2',
    ),
    (
        "pre_tokenizer",
        {"type": "Sequence", "pretokenizers": [SPACES, BYTE_LEVEL]},
        'pre_tokenizer.pretokenizers[0] is "Metaspace", expected Split',
    ),
    (
        "decoder",
        {"type": "WordPiece"},
        'decoder is "WordPiece", expected ByteLevel, or a Sequence of Replace, ByteFallback, Fuse '
        "and Strip",
    ),
    (
        "decoder",
        None,
        "decoder is null, expected ByteLevel, or a Sequence of Replace, ByteFallback, Fuse and "
        "Strip",
    ),
    (
        "decoder.decoders.1.type",
        "CTC",
        'decoder.decoders[1] is "CTC", expected ByteFallback',
    ),
    ("decoder.decoders.3.content", "x", 'decoder.decoders[3].content is "x", expected " "'),
    ("decoder.decoders.3.stop", 1, "decoder.decoders[3].stop is 1, expected 0"),
    (
        "post_processor.type",
        "BertProcessing",
        'post_processor is "BertProcessing", expected TemplateProcessing or ByteLevel',
    ),
    ("added_tokens.0.lstrip", True, "added_tokens[0].lstrip is true, expected false"),
    ("added_tokens.1.rstrip", True, "added_tokens[1].rstrip is true, expected false"),
    ("added_tokens.2.single_word", True, "added_tokens[2].single_word is true, expected false"),
]
TOKENS = "an integer from 0 to 16777215"
DAMAGED = [
    ("model", None, "model is null, expected an object"),
    ("model", [], "model is an array, expected an object"),
    ("model.vocab", None, "model.vocab is null, expected an object"),
    ("model.vocab.a", "1", f'model.vocab.a is "1", expected {TOKENS}'),
    ("model.vocab.a", -1, f"model.vocab.a is -1, expected {TOKENS}"),
    ("model.vocab.a", 2**24, f"model.vocab.a is 16777216, expected {TOKENS}"),
    ("model.vocab.a", 2**64 - 1, f"model.vocab.a is 18446744073709551615, expected {TOKENS}"),
    ("model.vocab.a", 1e300, f"model.vocab.a is 1e+300, expected {TOKENS}"),
    ("model.merges", None, "model.merges is null, expected an array"),
    ("model.merges.0", 5, "model.merges[0] is 5, expected an array"),
    ("model.merges.0", ["a"], "model.merges[0] is an array, expected two tokens"),
    ("model.merges.0", ["a", 1], "model.merges[0][1] is 1, expected a string"),
    ("model.merges.0", "ab", 'the merge "ab" is not two tokens with a space between'),
    ("model.merges.0", "a b c", 'the merge "a b c" is not two tokens with a space between'),
    (
        "model.merges.0",
        ["a", "qqq"],
        'the merge of "a" and "qqq" needs the token "qqq", which the vocabulary lacks',
    ),
    (
        "model.merges.0",
        ["z", "z"],
        'the merge of "z" and "z" needs the token "zz", which the vocabulary lacks',
    ),
    ("added_tokens", {}, "added_tokens is an object, expected an array"),
    ("added_tokens.0", 1, "added_tokens[0] is 1, expected an object"),
    (
        "added_tokens.0.content",
        "",
        'added_tokens[0].content is "", expected a text that is not empty',
    ),
    ("added_tokens.0.id", 7, "added_tokens[0].id is 7, expected 0, as in the vocabulary"),
    (
        "added_tokens.0",
        added_token(2**40, "q"),
        f"added_tokens[0].id is 1099511627776, expected {TOKENS}",
    ),
    ("normalizer", 1, "normalizer is 1, expected an object"),
    ("normalizer", {}, "normalizer.type is null, expected a string"),
    ("post_processor.single", None, "post_processor.single is null, expected an array"),
    (
        "post_processor.special_tokens",
        {},
        "post_processor.special_tokens.<s> is null, expected an object",
    ),
]


def changed(fields, path, value):
    """A copy of the fields with another value at a path."""
    result = copy.deepcopy(fields)
    *way, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    place = result
    for name in way:
        place = place[name]
    place[last] = value
    return result


@pytest.mark.parametrize("case", [*REFUSED, *DAMAGED], ids=lambda case: case[0])
def test_the_error_names_the_file_and_the_field(program, tmp_path, fields, case):
    path, value, expected = case
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(changed(fields, path, value)))
    assert message(program, tmp_path) == f"{file}: {expected}\n"


@pytest.mark.parametrize("end", [0, 1, 100, -1])
def test_a_file_that_ends_early_is_named(program, tmp_path, fields, end):
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(fields)[:end])
    error = message(program, tmp_path)
    assert error.startswith(f"{file}: [json.exception.parse_error")


@pytest.mark.parametrize("text", ["1", "[]", "null", '{"model": ' * 3 + "1" + "}" * 3])
def test_json_that_is_not_a_tokenizer_is_refused(program, tmp_path, text):
    file = tmp_path / "tokenizer.json"
    file.write_text(text)
    assert message(program, tmp_path).startswith(f"{file}: ")


def test_deep_nesting_is_refused(program, tmp_path):
    file = tmp_path / "tokenizer.json"
    depth = 200_000
    nested = '{"type": "Sequence", "normalizers": [' * depth + "]}" * depth
    file.write_text(
        '{"model": {"type": "BPE", "vocab": {}, "merges": []}, "normalizer": ' + nested + "}"
    )
    assert message(program, tmp_path) == (
        f'{file}: normalizer.normalizers[0] is "Sequence", expected Prepend, Replace or NFC\n'
    )


def test_an_unknown_token_that_the_vocabulary_lacks_is_named(program, tmp_path, fields):
    model = {**fields["model"], "byte_fallback": False, "unk_token": "<none>"}
    (tmp_path / "tokenizer.json").write_text(json.dumps({**fields, "model": model}))
    expected = 'tokenizer.json: model.unk_token is "<none>", which the vocabulary lacks\n'
    assert message(program, tmp_path, "\U0001f600") == expected


@pytest.mark.parametrize("merge", ["a", "a b c", "a b"])
def test_a_damaged_merge_of_gpt2_is_refused(program, tmp_path, merge):
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1}))
    file = tmp_path / "merges.txt"
    file.write_text(f"#version: 0.2\n{merge}\n")
    assert message(program, tmp_path).startswith(f"{file}: the merge ")


def test_an_added_token_that_normalization_empties_is_not_found_in_text(program, tmp_path, fields):
    normalizer = {"type": "Replace", "pattern": {"String": "~"}, "content": ""}
    added = [*fields["added_tokens"], added_token(900, "~", special=False, normalized=True)]
    changes = {"normalizer": normalizer, "added_tokens": added}
    (tmp_path / "tokenizer.json").write_text(json.dumps({**fields, **changes}))
    command = [program, "--tokens", tmp_path]
    run = subprocess.run(command, input=b"a\0~b", capture_output=True, timeout=300, check=True)
    assert b"900" not in run.stdout.split()
