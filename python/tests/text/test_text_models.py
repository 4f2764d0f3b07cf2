"""Text models: continuing texts, chats and vectors, with models of which the answer is known."""

import threading
from typing import Any

import numpy as np
import pytest
from text_models import SIZE, SPECIAL, Characters, Utf8, following_model, random_model

import mithril as ml

ALPHABET = [ord(letter) for letter in "abcdefghij"]
EOS = 128 + SPECIAL.index("</s>")
TURN = 128 + SPECIAL.index("<|im_end|>")
NEWLINE = 10


def writer(tokens: list[int], tokenizer: Any = None, **options: Any) -> ml.text.TextModel:
    compiled, params = following_model(tokens)
    return ml.text.TextModel(compiled, tokenizer or Characters(), params=params, **options)


@pytest.fixture(scope="module")
def random_writer() -> ml.text.TextModel:
    compiled, params = random_model()
    return ml.text.TextModel(compiled, Characters(), params=params)


def test_a_text_is_continued() -> None:
    model = writer(ALPHABET)
    assert model("abc", 4) == "defg"
    assert model("abc", max_tokens=1) == "d"
    assert model(["a", "xc"], 2) == ["bc", "de"]
    assert model([]) == []


def test_a_token_that_ends_texts_ends_the_answer() -> None:
    special = ml.text.SpecialTokens(stop_ids=(EOS,))
    model = writer([*ALPHABET, EOS], special_tokens=special)
    assert model("f") == "ghij"


@pytest.mark.parametrize("stop", ["f", "ef", ["zz", "ghi", "efg"], ("efgh", "ef"), ["eff", "ef"]])
def test_a_stop_text_ends_the_answer(stop) -> None:
    expected = "cde" if stop == "f" else "cd"
    assert writer(ALPHABET)("ab", 8, stop=stop) == expected
    assert "".join(writer(ALPHABET).stream("ab", 8, stop=stop)) == expected


def test_the_beginning_of_a_stop_text_is_part_of_the_answer() -> None:
    assert writer(ALPHABET)("ab", 4, stop=["efz", "fgh"]) == "cdef"


def test_a_stop_text_in_the_prompt_ends_nothing() -> None:
    assert writer(ALPHABET)("abc", 2, stop="c") == "de"


def test_options_are_those_of_generate(random_writer) -> None:
    options = {"temperature": 0.9, "top_k": 40, "top_p": 0.8, "seed": 5}
    prompt = Characters().encode("Hello")
    tokens = ml.generate(
        random_writer.compiled, random_writer.params, prompt, 12, **options, stop=[EOS]
    )
    model = ml.text.TextModel(
        random_writer.compiled,
        Characters(),
        params=random_writer.params,
        special_tokens=ml.text.SpecialTokens(stop_ids=(EOS,)),
    )
    assert model("Hello", 12, **options) == Characters().decode(tokens)
    assert model("Hello", 12) == model("Hello", 12, temperature=0)
    assert model("Hello", 12, temperature=2.0) != model("Hello", 12, temperature=2.0, seed=1)
    assert model(["Hello", "Hello"], 12, **options) == [model("Hello", 12, **options)] * 2


def test_pieces_of_a_stream_are_the_answer(random_writer) -> None:
    options = {"temperature": 1.0, "seed": 3}
    pieces = list(random_writer.stream("Hello", 20, **options))
    assert len(pieces) > 1 and "" not in pieces
    assert "".join(pieces) == random_writer("Hello", 20, **options)


def test_a_piece_of_a_stream_is_a_whole_character() -> None:
    text = "\u00e4\U0001f600\u20ac"
    tokens = list(("a" + text).encode())
    compiled, params = following_model(tokens, 256)
    model = ml.text.TextModel(compiled, Utf8(), params=params)
    assert list(model.stream("a", len(tokens) - 1)) == list(text)
    # An answer that ends within a character has the text that the tokenizer gives it.
    assert list(model.stream("a", 4)) == ["\u00e4", bytes(tokens[3:5]).decode(errors="replace")]


def test_a_tokenizer_may_decode_streams() -> None:
    class Upper:
        def push(self, token: int) -> str:
            return chr(token).upper() if token != ord("e") else ""

        def finish(self) -> str:
            return "!"

    class Streaming(Characters):
        def stream(self) -> Upper:
            return Upper()

    model = writer(ALPHABET, Streaming())
    assert model("ab", 4) == "CDF!"
    assert list(model.stream("ab", 4)) == ["C", "D", "F", "!"]


def test_a_stream_that_is_closed_ends_its_thread() -> None:
    model = writer([*ALPHABET, ALPHABET[0]])
    stream = model.stream("a", 100_000)
    before = threading.enumerate()  # threads of other tests may not have ended
    assert next(stream) == "b"
    after = [each for each in threading.enumerate() if each not in before]
    [thread] = [each for each in after if each.name == "mithril_text"]
    stream.close()
    thread.join(60)
    assert not thread.is_alive()


def test_a_stream_checks_its_arguments_at_once() -> None:
    with pytest.raises(ml.ValueError):
        writer(ALPHABET).stream("a", top_k=-1)


def test_an_error_of_a_stream_is_raised_where_it_is_read() -> None:
    stream = writer(ALPHABET).stream("", 3)
    with pytest.raises(ml.InputError) as caught:
        next(stream)
    assert caught.value.code == "E0851"


OUT_OF_RANGE = [
    ({"max_tokens": 0}, "max_tokens is 0, expected at least 1"),
    ({"temperature": -0.5}, "temperature is -0.5, expected at least 0"),
    ({"temperature": float("nan")}, "temperature is nan, expected at least 0"),
    ({"temperature": float("inf")}, "temperature is inf, expected at least 0"),
    ({"top_k": -1}, "top_k is -1, expected at least 0"),
    ({"top_p": 0.0}, "top_p is 0.0, expected above 0 and at most 1"),
    ({"top_p": 1.5}, "top_p is 1.5, expected above 0 and at most 1"),
    ({"seed": -1}, "seed is -1, expected at least 0"),
    ({"stop": ["a", ""]}, "stop is '', expected a text that is not empty"),
]


@pytest.mark.parametrize(("option", "message"), OUT_OF_RANGE)
@pytest.mark.parametrize("method", ["TextModel", "stream", "chat", "stream_chat"])
def test_an_option_out_of_range_is_refused(method: str, option, message: str) -> None:
    model = writer(ALPHABET, chat_template="chatml")
    source = [{"role": "user", "content": "a"}] if "chat" in method else "a"
    with pytest.raises(ml.ValueError) as caught:
        (model if method == "TextModel" else getattr(model, method))(source, **option)
    assert str(caught.value) == f"mithril.ValueError[E0406]: {method}: {message}"


@pytest.mark.parametrize("option", [{"stop": 3}, {"stop": ["a", 3]}, {"top_k": "1"}, {"seed": 1.5}])
def test_an_option_of_another_type_is_refused(option) -> None:
    with pytest.raises(ml.TypeError) as caught:
        writer(ALPHABET)("a", **option)
    [name] = option
    assert caught.value.code == "E0395"
    assert f"TextModel: argument '{name}' has the wrong kind" in str(caught.value)


def test_lists_of_other_things_than_texts_are_refused() -> None:
    for call in (lambda: writer(ALPHABET)(["a", 3]), lambda: encoder("embedding").embed([b"a"])):
        with pytest.raises(ml.TypeError) as caught:
            call()
        assert caught.value.code == "E0395" and "a list of texts" in str(caught.value)


def test_an_option_of_another_name_is_refused() -> None:
    with pytest.raises(ml.NameError) as caught:
        writer(ALPHABET)("a", temprature=1.0)
    assert "did you mean 'temperature'?" in str(caught.value)


def test_a_chat_is_answered_until_its_turn_ends() -> None:
    special = ml.text.SpecialTokens(bos="<s>", eos="</s>", bos_id=128, stop_ids=(EOS,))
    model = writer(
        [NEWLINE, *ALPHABET, TURN, ord("x")], chat_template="chatml", special_tokens=special
    )
    messages = [{"role": "user", "content": "Hi"}]
    assert model.chat(messages) == "abcdefghij"
    assert model.chat(messages, 3) == "abc"
    assert model.chat(messages, stop="d") == "abc"
    assert list(model.stream_chat(messages)) == list("abcdefghij")


def test_the_end_of_a_turn_may_be_several_tokens() -> None:
    template = ml.text.ChatTemplate(
        name="plain", user="{content}", assistant="{content}", answer="a", stop=("fg",)
    )
    model = writer(ALPHABET, chat_template=template)
    assert model.chat([{"role": "user", "content": "Hi"}], 9) == "bcde"


class Seen(Characters):
    """Begins each text with <s>, as the tokenizers of some checkpoints do, and keeps texts."""

    def __init__(self, begins: bool) -> None:
        self.begins = begins

    def encode(self, text: str) -> list[int]:
        return [128] * self.begins + super().encode(text)


@pytest.mark.parametrize("begins", [False, True])
@pytest.mark.parametrize(("template", "count"), [("llama2", 1), ("chatml", 0)])
def test_a_chat_begins_with_one_token_if_its_template_says_so(begins, template, count) -> None:
    special = ml.text.SpecialTokens(bos="<s>", eos="</s>", bos_id=128, begins=True)
    model = writer(ALPHABET, Seen(begins), chat_template=template, special_tokens=special)
    tokens, _ = model._chat_tokens([{"role": "user", "content": "Hi"}])
    assert tokens[:2].count(128) == count and tokens[0] == (128 if count else 130)
    assert model._prompt_tokens("Hi") == [128, ord("H"), ord("i")]


def test_tokens_of_the_package_tokenizers_are_ids() -> None:
    class Encoding:
        def __init__(self, ids: list[int]) -> None:
            self.ids = ids

    class Encodes(Characters):
        def encode(self, text: str) -> Any:
            return Encoding(super().encode(text))

    assert writer(ALPHABET, Encodes())("ab", 2) == "cd"


def test_a_chat_without_a_template_is_refused() -> None:
    with pytest.raises(ml.InputError) as caught:
        writer(ALPHABET).chat([{"role": "user", "content": "Hi"}])
    assert str(caught.value) == (
        "mithril.InputError[E0855]: the model has no chat template\n"
        "  help: pass chat_template=, a name in ml.text.chat_templates, or continue texts"
    )


def test_an_unknown_program_is_refused_at_the_first_chat() -> None:
    model = writer(ALPHABET, chat_template="{{ messages }}")
    assert model("a", 1) == "b"
    with pytest.raises(ml.InputError) as caught:
        model.chat([{"role": "user", "content": "Hi"}])
    assert caught.value.code == "E0855" and "{{ messages }}" in str(caught.value)


def test_a_tokenizer_that_encodes_nothing_is_refused() -> None:
    compiled, params = following_model(ALPHABET)
    with pytest.raises(ml.TypeError) as caught:
        ml.text.TextModel(compiled, "tokenizer.json", params=params)
    assert "an object with encode(text) and decode(tokens)" in str(caught.value)


def encoder(output: str) -> ml.text.TextModel:
    """An encoder whose vector of a token is [token, 1]."""
    net = ml.Model()
    hidden = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    net |= ml.Embedding(SIZE, dim=2)(input=hidden, output="last_hidden_state")
    if output == "embedding":
        net |= ml.Max(axis=1)(input="last_hidden_state", output="embedding")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"], inference=True)
    [key] = compiled.parameter_keys
    table = np.stack([np.arange(SIZE), np.ones(SIZE)], 1).astype(np.float32)
    return ml.text.TextModel(compiled, Characters(), params={key: table})


def test_a_vector_is_the_mean_over_the_tokens() -> None:
    texts = ["a", "abc", "ac"]
    vectors = encoder("last_hidden_state").embed(texts)
    means = [[np.mean([ord(letter) for letter in text]), 1] for text in texts]
    np.testing.assert_allclose(vectors, means, rtol=1e-6)
    assert vectors.dtype == np.float32


def test_a_vector_is_the_output_embedding() -> None:
    np.testing.assert_array_equal(encoder("embedding").embed(["ab", "ca"]), [[98, 1], [99, 1]])


def test_no_texts_have_no_vectors() -> None:
    assert encoder("last_hidden_state").embed([]).shape == (0, 2)


def test_a_text_without_tokens_has_no_vector() -> None:
    with pytest.raises(ml.InputError) as caught:
        encoder("embedding").embed(["a", ""])
    assert str(caught.value) == "mithril.InputError[E0851]: embed: text 1 has no tokens"


@pytest.mark.parametrize("dtype", [ml.float16, ml.bfloat16, ml.float64])
def test_vectors_of_other_dtypes(dtype) -> None:
    net = ml.Model()
    hidden = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    net |= ml.Embedding(SIZE, dim=2)(input=hidden, output="last_hidden_state")
    backend = ml.CpuBackend(dtype=dtype)
    compiled = ml.compile(net, backend, data_keys=["input_ids"], inference=True)
    [key] = compiled.parameter_keys
    table = np.full((SIZE, 2), 256, np.float32)
    model = ml.text.TextModel(compiled, Characters(), params={key: backend.array(table)})
    vectors = model.embed(["a" * 300, "b"])  # the sum is more than float16 holds
    np.testing.assert_array_equal(vectors, np.full((2, 2), 256))


class Batches(Characters):
    """Makes the inputs of an encoder, perhaps with a mask."""

    def __init__(self, masks: bool) -> None:
        self.masks = masks

    def __call__(self, texts: list[str]) -> dict[str, np.ndarray]:
        rows = [self.encode(text) for text in texts]
        size = max(map(len, rows))
        made = {"input_ids": np.array([[*row, *[0] * (size - len(row))] for row in rows])}
        if self.masks:
            made["attention_mask"] = np.array([np.arange(size) < len(row) for row in rows])
        return made


def test_a_tokenizer_may_make_batches() -> None:
    model = encoder("last_hidden_state")
    model.tokenizer = Batches(True)
    np.testing.assert_array_equal(model.embed(["ac", "b"]), [[98, 1], [98, 1]])
    with pytest.raises(ml.InputError) as caught:
        model.embed(["a", ""])
    assert str(caught.value) == "mithril.InputError[E0851]: embed: text 1 has no tokens"
    model.tokenizer = Batches(False)
    np.testing.assert_array_equal(model.embed(["ac", "bd"]), [[98, 1], [99, 1]])


def test_a_language_model_embeds_nothing() -> None:
    with pytest.raises(ml.InputError) as caught:
        writer(ALPHABET).embed(["a"])
    assert str(caught.value) == (
        "mithril.InputError[E0857]: embed needs a model with the output 'embedding' or "
        "'last_hidden_state'\n  outputs : logits\n"
        "  help: load an encoder, such as a BERT of sentence-transformers"
    )
