"""Text from language models, with a cache and without one."""

import importlib

import numpy as np
import pytest

import mithril as ml

gpt2 = importlib.import_module("gpt2")
llama = importlib.import_module("llama")
mistral = importlib.import_module("mistral")

GPT2 = gpt2.Config(vocab_size=61, n_positions=32, n_embd=24, n_layer=2, n_head=3)
SIZES = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
MODELS = {
    "gpt2": lambda limit=None: gpt2.gpt2(GPT2, limit),
    "llama": lambda limit=None: llama.llama(llama.Config(**SIZES), limit),
    "mistral": lambda limit=None: mistral.mistral(mistral.Config(**SIZES, sliding_window=4), limit),
}
LIMIT = 20
PROMPTS = [[5, 17, 3, 29, 8], [44, 2], [9, 1, 60]]
TOKENS = 12


def compiled(name, batch=1, limit=None, backend=None):
    backend = backend or ml.CpuBackend(dtype=ml.float64)
    shapes = {"input_ids": [batch if limit else None, None]}
    return ml.compile(MODELS[name](limit), backend, inference=True, shapes=shapes)


def parameters(model):
    """Returns parameters so large that the tokens differ from step to step."""
    return {key: 3 * np.asarray(value) for key, value in model.get_parameters(seed=4).items()}


@pytest.mark.parametrize("name", MODELS)
def test_tokens_are_the_same_with_and_without_a_cache(name):
    without, cached = compiled(name), compiled(name, limit=LIMIT)
    params = parameters(without)
    for prompt in PROMPTS:
        tokens = ml.generate(without, params, prompt, TOKENS)
        assert len(tokens) == TOKENS and len(set(tokens)) > 2
        assert ml.generate(cached, params, prompt, TOKENS) == tokens


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("limit", [None, LIMIT])
def test_a_batch_makes_the_tokens_of_each_prompt(name, limit):
    one, all_of_them = compiled(name, 1, limit), compiled(name, 3, limit)
    params = parameters(one)
    for options in ({}, {"temperature": 0.7, "top_k": 20, "seed": 3}):
        alone = [ml.generate(one, params, prompt, TOKENS, **options) for prompt in PROMPTS[:1]]
        together = ml.generate(all_of_them, params, PROMPTS, TOKENS, **options)
        assert together[:1] == alone
    assert together != ml.generate(all_of_them, params, PROMPTS, TOKENS)
    greedy = ml.generate(all_of_them, params, PROMPTS, TOKENS)
    assert greedy == [ml.generate(one, params, prompt, TOKENS) for prompt in PROMPTS]


def test_pieces_of_a_text_evaluate_to_the_logits_of_the_whole():
    model, cached = compiled("llama"), compiled("llama", 2, LIMIT)
    params = parameters(model)
    ids = np.arange(18).reshape(2, 9) % 61
    mask = np.ones((2, 9), bool)
    mask[1, :2] = False
    whole = model.evaluate(params, {"input_ids": ids, "attention_mask": mask})["logits"]
    state = cached.initial_state_dict
    for piece in (slice(0, 4), slice(4, 5), slice(5, 9)):
        data = {"input_ids": ids[:, piece], "attention_mask": mask[:, piece]}
        out, state = cached.evaluate(params, data, state=state)
        np.testing.assert_allclose(out["logits"][:, 0], whole[:, piece.stop - 1], rtol=1e-9)


def test_the_torch_backend_makes_the_same_tokens():
    pytest.importorskip("torch", reason="torch is not installed")
    params = parameters(compiled("gpt2"))
    expected = ml.generate(compiled("gpt2", 3, LIMIT), params, PROMPTS, TOKENS)
    backend = ml.TorchBackend(dtype=ml.float64)
    for limit in (None, LIMIT):
        model = compiled("gpt2", 3, limit, backend)
        assert ml.generate(model, model.load_state_dict(params), PROMPTS, TOKENS) == expected


@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "qwen2", "gemma"])
def test_greedy_tokens_equal_those_of_transformers(name):
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert importlib.import_module("generated").generation_differences(name) == []


def constant(logits):
    """A model of these logits for any text."""
    model = ml.Model()
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    rows = ml.Embedding(1, dim=len(logits))(input=ids * 0, weight=ml.Tensor(np.array([logits])))
    model |= ml.Model.create(logits=rows)(input_ids="input_ids", logits="logits")
    return ml.compile(model, ml.CpuBackend(), inference=True)


def drawn(logits, **options):
    tokens = ml.generate(constant(logits), {}, np.zeros((4000, 1), int), 1, **options)
    return np.bincount(np.ravel(tokens), minlength=len(logits)) / 4000


def test_tokens_are_drawn_with_their_probabilities():
    logits = np.log([0.5, 0.2, 0.2, 0.1])
    np.testing.assert_allclose(drawn(logits, temperature=1.0), np.exp(logits), atol=0.03)
    squared = np.exp(2 * logits) / np.exp(2 * logits).sum()
    np.testing.assert_allclose(drawn(logits, temperature=0.5, seed=1), squared, atol=0.03)
    top = [5 / 7, 2 / 7, 0, 0]
    np.testing.assert_allclose(drawn(logits, temperature=1.0, top_k=2), top, atol=0.03)
    np.testing.assert_allclose(drawn(logits, temperature=1.0, top_p=0.6), top, atol=0.03)
    assert drawn(logits, temperature=1.0, top_p=0.5)[0] == 1
    assert drawn(logits)[0] == 1


def test_a_seed_repeats_its_tokens():
    model = compiled("gpt2", limit=LIMIT)
    params = parameters(model)

    def made(seed):
        return ml.generate(model, params, PROMPTS[0], TOKENS, temperature=1.0, seed=seed)

    assert made(1) == made(1) != made(2)


def test_a_text_ends_before_a_stop_token():
    model = compiled("gpt2", 3, LIMIT)
    params = parameters(model)
    whole = ml.generate(model, params, PROMPTS, TOKENS)
    stop = whole[0][4]
    shown = []
    made = ml.generate(
        model,
        params,
        PROMPTS,
        TOKENS,
        stop=[stop],
        stream=lambda *arguments: shown.append(arguments),
    )
    for tokens, all_tokens in zip(made, whole, strict=True):
        end = all_tokens.index(stop) if stop in all_tokens else TOKENS
        assert tokens == all_tokens[:end]
    assert [[token for at, token in shown if at == row] for row in range(3)] == made
    assert len(made[0]) == whole[0].index(stop)


def test_an_exception_of_the_stream_passes():
    def stream(prompt, token):
        raise KeyError(token)

    model = constant([0.0, 1.0])
    with pytest.raises(KeyError):
        ml.generate(model, {}, [0], 3, stream=stream)


def test_a_model_compiled_for_training_generates():
    model = ml.compile(MODELS["gpt2"](LIMIT), ml.CpuBackend(), shapes={"input_ids": [1, None]})
    assert len(ml.generate(model, model.get_parameters(), np.array(PROMPTS[0]), 3)) == 3


CACHED = {"name": "gpt2", "limit": 8}
ERRORS = {
    "E0853": (
        CACHED,
        [[1] * 9],
        {},
        "mithril.InputError[E0853]: a prompt has 9 tokens, and the cache has 8 rows",
    ),
    "E0853 new": (
        CACHED,
        [1] * 6,
        {"max_tokens": 4},
        "mithril.InputError[E0853]: a prompt of 6 tokens and 4 new tokens need 9 rows, "
        "and the cache has 8",
    ),
    "E0852": (
        CACHED,
        [3, 61],
        {},
        "mithril.InputError[E0852]: token 1 of prompt 0 is 61, expected 0 to 60",
    ),
    "E0852 below": (
        CACHED,
        [[3], [-1]],
        {},
        "mithril.InputError[E0852]: token 0 of prompt 1 is -1, expected 0 to 60",
    ),
    "E0851": (CACHED, [[1], []], {}, "mithril.InputError[E0851]: prompt 1 has no tokens"),
    "E0851 none": (
        CACHED,
        np.zeros((0, 3), int),
        {},
        "mithril.InputError[E0851]: generate needs at least one prompt",
    ),
    "E0406 count": (
        CACHED,
        [1],
        {"max_tokens": 0},
        "mithril.ValueError[E0406]: generate: max_tokens is 0, expected at least 1",
    ),
    "E0406": (
        CACHED,
        [1],
        {"temperature": -1.0},
        "mithril.ValueError[E0406]: generate: temperature is -1, expected at least 0",
    ),
    "E0406 k": (
        CACHED,
        [1],
        {"top_k": -1},
        "mithril.ValueError[E0406]: generate: top_k is -1, expected at least 0",
    ),
    "E0406 p": (
        CACHED,
        [1],
        {"top_p": 0.0},
        "mithril.ValueError[E0406]: generate: top_p is 0, expected above 0 and at most 1",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_mistake_names_its_cause(name):
    model, prompt, options, message = ERRORS[name]
    model = compiled(**model)
    with pytest.raises(ml.Error) as caught:
        ml.generate(model, parameters(model), prompt, **({"max_tokens": 2} | options))
    assert str(caught.value).splitlines()[0] == message


def backends():
    made = {"cpu": ml.CpuBackend}
    try:
        importlib.import_module("mithril._torch")
    except ImportError:
        return made
    return made | {"torch": ml.TorchBackend}


@pytest.mark.parametrize("backend", backends())
@pytest.mark.parametrize("limit", [None, 64])
@pytest.mark.parametrize("length", [33, 30])
def test_a_text_longer_than_the_table_of_positions_is_refused(backend, limit, length):
    """The call is refused before the first token, or after some tokens."""
    model = compiled("gpt2", 1, limit, backends()[backend](dtype=ml.float64))
    params = model.load_state_dict(parameters(compiled("gpt2")))
    made = []
    with pytest.raises(ml.InputError) as caught:
        ml.generate(model, params, [1] * length, 9, stream=lambda _, token: made.append(token))
    assert len(made) == max(0, 33 - length)
    assert str(caught.value) == (
        "mithril.InputError[E0853]: a text of 33 tokens is too long: 'wpe.weight' has 32 rows\n"
        "  cause : wpe.output: gather: index 32 is out of range for size 32\n"
        "  help: shorten the prompt or max_tokens"
    )


def test_a_longest_text_fills_the_cache():
    model = compiled("gpt2", limit=8)
    assert len(ml.generate(model, parameters(model), [1] * 6, 3)) == 3


def test_a_model_without_logits_is_refused():
    model = ml.compile(ml.Relu(), ml.CpuBackend())
    with pytest.raises(ml.InputError) as caught:
        ml.generate(model, {}, [1])
    assert str(caught.value) == (
        "mithril.InputError[E0850]: generate needs a model with the input 'input_ids' and the "
        "output 'logits'\n  inputs  : input\n  outputs : output"
    )


def test_prompts_of_different_lengths_need_a_mask():
    with pytest.raises(ml.InputError) as caught:
        ml.generate(constant([0.0, 1.0]), {}, [[1], [1, 1]])
    assert str(caught.value).splitlines()[0] == (
        "mithril.InputError[E0854]: prompts of different lengths need a model with the input "
        "'attention_mask'"
    )


def test_logits_that_are_not_numbers_are_refused():
    with pytest.raises(ml.ValueError) as caught:
        ml.generate(constant([0.0, np.nan]), {}, [[0], [0]])
    assert str(caught.value) == ("mithril.ValueError[E0417]: the logits after prompt 0 contain NaN")


@pytest.mark.parametrize("prompt", ["text", 3, [1.5], [[1], 2], [True], np.zeros(3), [[[1]]]])
def test_a_prompt_is_a_list_of_ints(prompt):
    with pytest.raises(ml.TypeError, match="token ids"):
        ml.generate(constant([0.0, 1.0]), {}, prompt)
