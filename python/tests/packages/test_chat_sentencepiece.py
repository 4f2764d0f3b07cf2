"""examples/chat with tokenizers that were converted from SentencePiece."""

import copy
import json
import random
import shutil
import subprocess

import pytest
from chat_tokenizers import (
    BYTES,
    LEGACY,
    PREPEND,
    REPLACE,
    added_token,
    documents,
    metaspace,
    trained,
)

pytestmark = pytest.mark.slow  # they need the program examples/chat

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")

MARK = "\u2581"
PARTS = [
    *(
        "the ",
        "Tensor",
        " model",
        "x",
        "1234",
        "<s",
        "<0x0A>",
        "<tool>",
        " <s> ",
        MARK,
        MARK + "<s>",
    ),
    *("<s>", "</s>", "<unk>", " ", "  ", "       ", "\n", "\n\n\n", "\t", "\r\n", "\0"),
    *("\u00e9", "e\u0301", "\u00df", "\u0416", "\u65e5\u672c\u8a9e", "\u0645\u0631\u062d"),
    *("\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0010ffff"),
    *("\u00a0", "\u3000", "\ufeff", "\ufffd"),
]


def with_model(**options):
    def change(fields):
        fields["model"].update(options)

    return change


def without_some_bytes(fuse_unk):
    def change(fields):
        vocabulary = fields["model"]["vocab"]
        for name in BYTES[::3]:
            vocabulary["lost " + name] = vocabulary.pop(name)
        fields["model"]["fuse_unk"] = fuse_unk

    return change


def with_normalized_tokens(fields):
    for token in fields["added_tokens"]:
        token["normalized"] = True


def with_tokens_of_words(fields):
    first = len(fields["model"]["vocab"])
    fields["added_tokens"] += [
        added_token(first, "<tool>", special=False),
        added_token(first + 1, "<s", special=False),
        added_token(first + 2, "e\u0301 x", special=False, normalized=True),
    ]


def with_a_repeated_merge(fields):
    merges = fields["model"]["merges"]
    merges.append(merges[0])  # its last place counts


def without_spaces(fields):
    steps = [{**REPLACE, "content": ""}, PREPEND]
    fields["normalizer"] = {"type": "Sequence", "normalizers": steps}


def without_a_type(fields):
    del fields["model"]["type"]  # as the oldest files


def unchanged(_):
    pass


# By name: where spaces become marks, and a change of the fields of tokenizer.json.
FORMS = {
    "legacy": (LEGACY, unchanged),
    "first": (metaspace("first"), unchanged),
    "always": (metaspace("always"), unchanged),
    "never": (metaspace("never"), unchanged),
    "words": (metaspace("first", split=True), unchanged),
    "some bytes": (LEGACY, without_some_bytes(fuse_unk=True)),
    "some bytes, each unknown character": (metaspace("first"), without_some_bytes(fuse_unk=False)),
    "no bytes": (LEGACY, with_model(byte_fallback=False)),
    "no unknown token": (LEGACY, with_model(byte_fallback=False, unk_token=None)),
    "whole words": (metaspace("always", split=True), with_model(ignore_merges=True)),
    "normalized tokens": (LEGACY, with_normalized_tokens),
    "tokens of words": (LEGACY, with_tokens_of_words),
    "a repeated merge": (LEGACY, with_a_repeated_merge),
    "without spaces": (LEGACY, without_spaces),
    "without a type": (LEGACY, without_a_type),
}


SIZES = {
    "hidden_size": 32,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


@pytest.fixture(scope="module")
def fields():
    return trained(tokenizers)


@pytest.fixture(scope="module")
def texts():
    lines = [line for path in documents() for line in path.read_text().split("\n")]
    rng = random.Random(7)
    mixtures = ["".join(rng.choices(PARTS, k=rng.randrange(1, 14))) for _ in range(600)]
    return ["", " ", "   ", "\n", "<s>", "<s><s>", *rng.sample(lines, 600), *mixtures]


@pytest.fixture(scope="module")
def files(tmp_path_factory, texts):
    folder = tmp_path_factory.mktemp("texts")
    paths = [folder / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    return paths


def stored(folder, fields):
    """Stores the tokenizer in a folder, and returns that of the library."""
    (folder / "tokenizer.json").write_text(json.dumps(fields))
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(params=FORMS)
def form(request, tmp_path, fields):
    """A name, its folder and its tokenizer of the library."""
    spaces, change = FORMS[request.param]
    changed = copy.deepcopy({**fields, **spaces})
    change(changed)
    return request.param, tmp_path, stored(tmp_path, changed)


def pieces(program, folder, lists):
    """Returns for each list of tokens the text that each token adds, and the remaining text."""
    lines = "".join(" ".join(map(str, tokens)) + "\n" for tokens in lists)
    run = subprocess.run(
        [program, "--text", folder], input=lines.encode(), capture_output=True, check=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_tokens_equal_those_of_the_library(program, form, texts, files):
    _, folder, tokenizer = form
    run = subprocess.run([program, "--tokens", folder, *files], capture_output=True, check=True)
    made = [list(map(int, line.split())) for line in run.stdout.decode().split("\n")[:-1]]
    assert len(made) == len(texts) > 1000
    for text, tokens in zip(texts, made, strict=True):
        assert (text, tokens) == (text, tokenizer.encode(text, add_special_tokens=False).ids)


def test_text_equals_that_of_the_library(program, form, texts):
    name, folder, tokenizer = form
    if name == "normalized tokens":  # the library prints these special tokens as "<s>"
        texts = [text for text in texts if "<" not in text]
    lists = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    made = ["".join(piece) for piece in pieces(program, folder, lists)]
    assert len(made) > 700
    for text, tokens in zip(made, lists, strict=True):
        assert (tokens, text) == (tokens, tokenizer.decode(tokens))


def test_special_tokens_that_are_normalized_add_no_text(program, tmp_path, fields):
    changed = copy.deepcopy({**fields, **LEGACY})
    with_normalized_tokens(changed)
    stored(tmp_path, changed)
    assert pieces(program, tmp_path, [[1, 2]]) == [["", "", ""]]


BAD = "\ufffd"
# Tokens, and the texts that they add. The library makes the same text of all but the last.
RUNS = {
    "a character": (["<0xF0>", "<0x9F>", "<0x98>", "<0x80>"], ["", "", "", "\U0001f600", ""]),
    "newlines": (["<0x0A>", "<0x0A>"], ["\n", "\n", ""]),
    "the beginning of a character": (["<0xE5>", "<0x8F>"], ["", "", BAD * 2]),
    "a beginning before text": (["<0xE5>", "<0x8F>", "t"], ["", "", BAD * 2 + "t", ""]),
    "a special token in a character": (["<0xC3>", "<s>", "<0xA9>"], ["", "", "\u00e9", ""]),
    "a byte that begins nothing": (["<0xFF>", "<0x41>", "t"], ["", "", BAD * 2 + "t", ""]),
    "a character after a bad run": (
        ["<0xFF>", "t", "<0xC3>", "<0xA9>"],
        ["", BAD + "t", "", "\u00e9", ""],
    ),
    "a surrogate": (["<0xED>", "<0xA0>", "<0x80>"], ["", "", "", BAD * 3]),
    "spaces": ([MARK, MARK, "t"], ["", " ", "t", ""]),
    "a space as a byte": (["<0x20>", "t"], ["", "t", ""]),
    "a character, then none": (["<0x0A>", "<0xFF>"], ["\n", "", BAD]),
}


@pytest.mark.parametrize("case", RUNS)
def test_a_character_is_text_when_it_is_complete(program, tmp_path, fields, case):
    tokenizer = stored(tmp_path, fields)
    names, expected = RUNS[case]
    tokens = [tokenizer.token_to_id(name) for name in names]
    assert pieces(program, tmp_path, [tokens]) == [expected]
    # There, the library puts U+FFFD for the newline, too: a stream has printed it by then.
    assert ("".join(expected) == tokenizer.decode(tokens)) == (case != "a character, then none")


@pytest.mark.parametrize("spaces", [LEGACY, metaspace("first")], ids=["legacy", "metaspace"])
def test_bytes_that_are_not_utf8_count_as_replacement_characters(program, tmp_path, fields, spaces):
    tokenizer = stored(tmp_path, {**fields, **spaces})
    text = b"a\xff\xe5\x8f b\xed\xa0\x80\xf0\x9f\x98 \xc0\xaf\xf4\x90\x80\x80 \xe5"
    run = subprocess.run(
        [program, "--tokens", tmp_path], input=text, capture_output=True, check=True
    )
    expected = tokenizer.encode(text.decode(errors="replace"), add_special_tokens=False).ids
    assert list(map(int, run.stdout.split())) == expected


@pytest.fixture(scope="module", params=["llama", "mistral"])
def checkpoint(request, tmp_path_factory, fields):
    """A folder, its module and its tokenizer."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    folder = tmp_path_factory.mktemp(request.param)
    spaces, kind = {
        "llama": (LEGACY, transformers.LlamaForCausalLM),
        "mistral": (metaspace("first"), transformers.MistralForCausalLM),
    }[request.param]
    tokenizer = stored(folder, {**fields, **spaces})
    torch.manual_seed(0)
    module = kind(kind.config_class(vocab_size=tokenizer.get_vocab_size(), **SIZES))
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape))
        # Runs of bytes that are not UTF-8 have a test of their own.
        module.lm_head.weight[3:259] = 0
    module.eval().save_pretrained(folder)
    return folder, module, tokenizer


def answers(checkpoint, lines):
    """Returns the greedy answers as the terminal shows them."""
    torch = pytest.importorskip("torch")
    _, module, tokenizer = checkpoint
    text, shown = [1], ""
    for line in lines:
        text += [*tokenizer.encode(line, add_special_tokens=False).ids, 2]
        made = module.generate(
            torch.tensor([text]),
            attention_mask=torch.ones(1, len(text)),
            max_new_tokens=64,
            do_sample=False,
            eos_token_id=2,
            pad_token_id=0,
        )[0, len(text) :].tolist()
        made = made[:-1] if made[-1] == 2 else made
        text += [*made, 2]
        shown += "> " + tokenizer.decode(made) + "\n"
    assert len(text) <= 256
    return shown + "> \n"


def test_answers_equal_those_of_transformers(program, checkpoint):
    lines = ["What's a model of \U0001f600?", " And  two spaces, <unk>"]
    run = subprocess.run(
        [program, checkpoint[0], "0"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    assert run.stdout.decode() == answers(checkpoint, lines)


def test_an_answer_may_end_within_a_character(program, checkpoint, tmp_path):
    torch = pytest.importorskip("torch")
    folder, module, _ = checkpoint
    module = copy.deepcopy(module)
    module.config.max_position_embeddings = 4  # one token for an answer
    with torch.no_grad():
        module.lm_head.weight.zero_()
        module.lm_head.weight[3 + 0xE5] = 1
        module.lm_head.weight[3 + 0xE6] = -1
    module.save_pretrained(tmp_path)
    shutil.copy(folder / "tokenizer.json", tmp_path)
    run = subprocess.run([program, tmp_path, "0"], input=b"a", capture_output=True, check=True)
    assert run.stdout.decode() == f"> {BAD}\n> \n"
