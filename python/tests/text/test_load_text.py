"""Text models of folders of Hugging Face, packages, names and functions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mithril.packages.huggingface import create_package
from text_models import CHATML_PROGRAM, SIZES, Characters, following_model, write_folder

import mithril as ml

ALPHABET = [ord(letter) for letter in "abcdef"]
SETTINGS = {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": "{{ x }}"}


@pytest.fixture(scope="module", params=SIZES)
def folder(request, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("text") / request.param
    write_folder(path, request.param, tokenizer_config=SETTINGS)
    return path


@pytest.fixture
def registry(monkeypatch) -> ml.ModelsRegistry:
    made = ml.ModelsRegistry()
    monkeypatch.setattr("mithril.loading.models_registry", made)
    return made


def uncached_answer(folder: Path, prompt: str, count: int) -> str:
    """The greedy answer of the model of the folder without a cache."""
    registry = ml.ModelsRegistry()
    registry.register("plain", folder)
    stop = json.loads((folder / "config.json").read_text()).get("eos_token_id", [])
    tokens = Characters().encode(prompt)
    made = ml.generate(registry.load("plain"), {}, tokens, count, stop=stop)
    return Characters().decode(made)


def caches(model: ml.text.TextModel) -> list[int]:
    """The numbers of places of the caches of a model."""
    states = model.compiled.initial_state_dict
    return [value.shape[1] for key, value in states.items() if key.endswith("cached_tokens")]


def test_a_folder_answers_as_its_model_does_without_a_cache(folder: Path) -> None:
    model = ml.text.load(folder, tokenizer=Characters())
    assert model("Hello", 12) == uncached_answer(folder, "Hello", 12)
    assert caches(model) == [SIZES[folder.name].get("n_positions", 96)]
    short = ml.text.load(str(folder), tokenizer=Characters(), limit=8)
    assert caches(short) == [8]
    assert short("Hello", 4) == model("Hello", 4)
    with pytest.raises(ml.InputError) as caught:
        short("Hello", 5)
    assert caught.value.code == "E0853"


def test_files_of_a_folder_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    write_folder(tmp_path, "gpt2", tokenizer_config=SETTINGS)
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        path = tmp_path / name
        path.unlink(missing_ok=True)
        path.mkdir()  # no user can read it as a file
        with pytest.raises(ml.InputError) as caught:
            ml.text.load(tmp_path, tokenizer=Characters())
        assert caught.value.code == "E0830"
        assert str(path) in str(caught.value)
        path.rmdir()


@pytest.mark.parametrize("ending", ["", ".zip"])
def test_a_package_answers_as_its_folder(folder: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"package{ending}"
    create_package(folder, path)
    expected = ml.text.load(folder, tokenizer=Characters())
    for source in (path, ml.load_package(path)):
        model = ml.text.load(source, tokenizer=Characters())
        assert model("Hello", 12) == expected("Hello", 12)
        assert caches(model) == caches(expected)
        assert model.special_tokens == expected.special_tokens


def test_a_package_of_another_model_runs_as_it_is(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder", "llama")
    config = tmp_path / "folder" / "config.json"
    net = ml.Model()
    net |= ml.Embedding(132, dim=132)(input="input_ids", output="logits")
    compiled, params = following_model(ALPHABET)
    [key] = compiled.parameter_keys
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"])
    ml.save_package(tmp_path / "p", net, {compiled.parameter_keys[0]: params[key]}, assets=[config])
    model = ml.text.load(tmp_path / "p", tokenizer=Characters())
    assert caches(model) == []
    assert model("a", 3) == "bcd"


def test_a_package_runs_on_the_backend_that_it_was_loaded_for(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", "llama")
    create_package(tmp_path / "m", tmp_path / "p")
    package = ml.load_package(tmp_path / "p", ml.CpuBackend(memory_limit=1))
    with pytest.raises(ml.OutOfMemoryError):
        ml.text.load(package, tokenizer=Characters())("a", 1)
    roomy = ml.CpuBackend(memory_limit="1GB")
    model = ml.text.load(package, tokenizer=Characters(), backend=roomy)
    assert isinstance(model("a", 1), str)


def test_a_backend_that_a_package_does_not_list_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", "llama")
    create_package(tmp_path / "m", tmp_path / "p")
    made = ml.load_package(tmp_path / "p")
    assets = [tmp_path / "m" / "config.json"]
    ml.save_package(tmp_path / "q", made.model, made.params, backends=["torch"], assets=assets)
    with pytest.raises(ml.BackendError):
        ml.text.load(tmp_path / "q", tokenizer=Characters())


def test_the_program_of_a_checkpoint_names_its_chat_template(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", "llama", tokenizer_config=SETTINGS)
    settings = tmp_path / "m" / "tokenizer_config.json"
    model = ml.text.load(tmp_path / "m", tokenizer=Characters())
    with pytest.raises(ml.InputError) as caught:
        model.chat([{"role": "user", "content": "Hi"}])
    assert caught.value.code == "E0855" and "{{ x }}" in str(caught.value)
    several = [
        {"name": "tools", "template": "{{ y }}"},
        {"name": "default", "template": CHATML_PROGRAM},
    ]
    for program in (CHATML_PROGRAM, several):
        settings.write_text(json.dumps({**SETTINGS, "chat_template": program}))
        model = ml.text.load(tmp_path / "m", tokenizer=Characters())
        assert model.chat_template is ml.text.chat_templates["chatml"]
        assert isinstance(model.chat([{"role": "user", "content": "Hi"}], 5), str)
    (tmp_path / "m" / "chat_template.jinja").write_text("{{ z }}")
    model = ml.text.load(tmp_path / "m", tokenizer=Characters())
    with pytest.raises(ml.InputError) as caught:
        model.chat([{"role": "user", "content": "Hi"}])
    assert "{{ z }}" in str(caught.value)
    model = ml.text.load(tmp_path / "m", tokenizer=Characters(), chat_template="zephyr")
    assert model.chat_template is ml.text.chat_templates["zephyr"]


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [128], "tokens": ["<s>"]}},
}
ADDED = [{"id": 128, "content": "<s>"}, {"id": 129, "content": "</s>"}]
TOKENS = [
    ({}, {}, (128, False)),
    ({"added_tokens": ADDED, "post_processor": TEMPLATE}, {}, (128, True)),
    ({"post_processor": {"type": "Sequence", "processors": [{}, TEMPLATE]}}, {}, (128, True)),
    ({"post_processor": TEMPLATE}, {"add_bos_token": False}, (128, False)),
    ({"added_tokens": ADDED, "post_processor": None}, {"add_bos_token": True}, (128, True)),
    ({"post_processor": {"type": "ByteLevel"}}, {}, (128, False)),
]


@pytest.mark.parametrize(("tokenizer", "more", "begins"), TOKENS)
def test_the_token_that_begins_a_text(tmp_path: Path, tokenizer, more, begins) -> None:
    files = {"tokenizer": tokenizer, "tokenizer_config": {**SETTINGS, **more}}
    write_folder(tmp_path / "m", "llama", **files)
    special = ml.text.load(tmp_path / "m", tokenizer=Characters()).special_tokens
    assert (special.bos_id, special.begins) == begins
    assert (special.bos, special.eos, special.stop_ids) == ("<s>", "</s>", (129,))


def test_the_tokens_that_end_a_text(tmp_path: Path) -> None:
    files = {
        "generation_config": {"eos_token_id": [129, 131]},
        "tokenizer": {"added_tokens": ADDED},
    }
    write_folder(tmp_path / "m", "gpt2", tokenizer_config={"eos_token": "<s>"}, **files)
    special = ml.text.load(tmp_path / "m", tokenizer=Characters()).special_tokens
    assert special.stop_ids == (128, 129, 131)


DAMAGED = [
    {"added_tokens": 3, "post_processor": 3},
    {"added_tokens": [3, {"content": ["x"]}], "post_processor": {"processors": 3, "single": {}}},
    {"post_processor": {**TEMPLATE, "special_tokens": 3}},
    {"post_processor": {**TEMPLATE, "special_tokens": {"<s>": {"ids": 3}}}},
    {"post_processor": {"single": [{"SpecialToken": {"id": []}}], "special_tokens": {}}},
]


@pytest.mark.parametrize("tokenizer", DAMAGED)
def test_a_tokenizer_of_your_own_needs_no_file(tmp_path: Path, tokenizer) -> None:
    settings = {**SETTINGS, "chat_template": [{"template": "{{ x }}"}, 3]}
    write_folder(tmp_path / "m", "llama", tokenizer=tokenizer, tokenizer_config=settings)
    model = ml.text.load(tmp_path / "m", tokenizer=Characters())
    assert (model.special_tokens.bos_id, model.special_tokens.begins) == (128, False)
    assert model.chat_template is None


def test_a_damaged_file_of_settings_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", "gpt2", tokenizer_config=[1])
    with pytest.raises(ml.InputError) as caught:
        ml.text.load(tmp_path / "m", tokenizer=Characters())
    assert str(caught.value) == (
        "mithril.InputError[E0864]: tokenizer_config.json: this file of a checkpoint cannot be "
        "read as JSON\n  why : it has a list, expected an object"
    )
    (tmp_path / "m" / "tokenizer_config.json").write_text("{")
    with pytest.raises(ml.InputError) as caught:
        ml.text.load(tmp_path / "m", tokenizer=Characters())
    assert caught.value.code == "E0864"


def test_a_source_without_a_tokenizer_is_refused(tmp_path: Path, registry) -> None:
    write_folder(tmp_path / "m", "gpt2")
    with pytest.raises(ml.InputError) as caught:
        ml.text.load(tmp_path / "m")
    assert str(caught.value) == (
        "mithril.InputError[E0858]: load: there is no tokenizer.json beside the model\n"
        "  help: pass tokenizer="
    )
    compiled, params = following_model(ALPHABET)
    with pytest.raises(ml.InputError) as caught:
        ml.text.load(compiled.bind(params))
    assert "E0858" in str(caught.value) and "the source has no tokenizer" in str(caught.value)


def test_a_folder_of_gpt2_may_have_the_files_of_its_tokenizer(tmp_path: Path, monkeypatch) -> None:
    made = []

    def tokenizer_of(source: Any) -> Characters:
        made.append(source)
        return Characters()

    monkeypatch.setattr("mithril.text.loading.Tokenizer", tokenizer_of)
    write_folder(tmp_path / "m", "gpt2", vocab={})
    ml.text.load(tmp_path / "m")
    write_folder(tmp_path / "m", "gpt2", tokenizer={})
    ml.text.load(tmp_path / "m")
    assert made == [str(tmp_path / "m"), b"{}"]


def bytes_of_gpt2() -> dict[str, int]:
    """The letters of bytes in the vocabulary of GPT-2."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    letters.update({byte: chr(256 + at) for at, byte in enumerate(others)})
    return {letters[byte]: byte for byte in range(256)}


BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
BYTES = {
    "version": "1.0",
    "added_tokens": [
        {
            **ADDED[0],
            **dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False),
            "special": True,
        }
    ],
    "pre_tokenizer": BYTE_LEVEL,
    "post_processor": {**TEMPLATE, "pair": TEMPLATE["single"]},
    "decoder": BYTE_LEVEL,
}


def test_a_folder_with_its_tokenizer_continues_texts_and_chats(tmp_path: Path) -> None:
    vocabulary = {letter: byte for letter, byte in bytes_of_gpt2().items() if byte < 128}
    vocabulary["<s>"] = 128
    made = {**BYTES, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}
    settings = {**SETTINGS, "chat_template": CHATML_PROGRAM}
    write_folder(tmp_path / "m", "llama", tokenizer=made, tokenizer_config=settings)
    model = ml.text.load(tmp_path / "m")
    plain = ml.text.load(tmp_path / "m", tokenizer=Characters())
    assert model._prompt_tokens("Hello") == [128, *Characters().encode("Hello")]
    assert model("Hello", 12) == plain("Hello", 12)
    assert "".join(model.stream("Hello", 12)) == model("Hello", 12)
    assert isinstance(model.chat([{"role": "user", "content": "Hi"}], 4), str)


def text_model() -> ml.text.TextModel:
    compiled, params = following_model(ALPHABET)
    return ml.text.TextModel(compiled, Characters(), params=params)


def test_models_and_functions_are_sources() -> None:
    compiled, params = following_model(ALPHABET)
    sources: list[Any] = [compiled.bind(params), lambda: (compiled, params)]
    for source in sources:
        assert ml.text.load(source, tokenizer=Characters())("a", 3) == "bcd"
    assert ml.text.load(text_model)("a", 3) == "bcd"


def test_a_registered_text_model_is_loaded_by_its_name(registry, tmp_path) -> None:
    registry.register("function", text_model)
    assert ml.load("function")("a", 3) == "bcd"
    assert ml.load("function") is ml.load("function")
    compiled, params = following_model(ALPHABET)
    registry.register("compiled", lambda: compiled.bind(params))
    assert ml.text.load(ml.load("compiled"), tokenizer=Characters())("a", 3) == "bcd"
    write_folder(tmp_path / "m", "gpt2", tokenizer_config=SETTINGS)
    create_package(tmp_path / "m", tmp_path / "p.zip")
    for name, source in [("m", tmp_path / "m"), ("p", f"cpu:{tmp_path}/p.zip")]:
        registry.register(name, source, text=True)
        with pytest.raises(ml.InputError) as caught:
            ml.load(name)  # it reads tokenizer.json
        assert caught.value.code == "E0858"
    registry.register("loaded", ml.load_package(tmp_path / "p.zip"), text=True)
    with pytest.raises(ml.InputError) as caught:
        ml.load("loaded")
    assert caught.value.code == "E0858"


def test_a_registered_folder_is_a_compiled_model_unless_it_is_a_text(registry, folder) -> None:
    registry.register("plain", folder)
    data = {"input_ids": np.array([[5, 7]]), "attention_mask": np.ones((1, 2), bool)}
    assert ml.load("plain").evaluate({}, data)["logits"].shape == (1, 2, 132)


PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "##s"]
WORD_PIECE = {
    "normalizer": {
        "type": "BertNormalizer",
        "lowercase": True,
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "vocab": {piece: number for number, piece in enumerate(PIECES)},
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
    },
}


def test_a_folder_of_an_encoder_embeds_texts(tmp_path: Path) -> None:
    write_folder(tmp_path / "m", "bert", tokenizer=WORD_PIECE)
    model = ml.text.load(tmp_path / "m")
    texts = ["Hello", "hello worlds world"]
    batch = ml.Tokenizer(json.dumps(WORD_PIECE))(texts)
    hidden = model.compiled.evaluate({}, batch)["last_hidden_state"]
    for row, vector in enumerate(model.embed(texts)):
        expected = hidden[row][np.asarray(batch["attention_mask"])[row]].mean(0)
        np.testing.assert_allclose(vector, expected, rtol=1e-5, atol=1e-6)
    alone = model.embed(texts[:1])
    np.testing.assert_allclose(alone[0], model.embed(texts)[0], rtol=1e-4, atol=1e-5)


def test_a_function_of_something_else_is_refused() -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.text.load(lambda: 7, tokenizer=Characters())
    assert caught.value.code == "E0395" and "load: argument 'the result of source'" in str(
        caught.value
    )


def test_a_limit_out_of_range_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.text.load(tmp_path, limit=0)
    assert str(caught.value) == "mithril.ValueError[E0406]: load: limit is 0, expected at least 1"
