"""Compares greedy tokens with those of transformers: with a cache and without one, for one prompt
and for a batch with padding on the left, on both backends."""

import tempfile

import gemma
import gpt2
import llama
import mistral
import pretrained
import qwen2
import torch
import transformers
from agreement import BACKENDS, randomise

import mithril as ml

SIZES = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
MODELS = {
    "gpt2": (
        gpt2,
        transformers.GPT2LMHeadModel,
        {"vocab_size": 61, "n_positions": 32, "n_embd": 24, "n_layer": 2, "n_head": 3},
    ),
    "llama": (llama, transformers.LlamaForCausalLM, SIZES),
    "mistral": (mistral, transformers.MistralForCausalLM, {**SIZES, "sliding_window": 4}),
    "qwen2": (qwen2, transformers.Qwen2ForCausalLM, {**SIZES, "tie_word_embeddings": True}),
    "gemma": (gemma, transformers.GemmaForCausalLM, {**SIZES, "head_dim": 12}),
}
PROMPTS = [[5, 17, 3, 29, 8], [44, 2], [9, 1, 60]]
TOKENS, LIMIT = 12, 20


def reference(name):
    """Returns a model with weights so large that the tokens differ from step to step."""
    _, kind, fields = MODELS[name]
    config = kind.config_class(**fields, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    torch.manual_seed(0)
    module = kind(config).double().eval()
    for _ in range(5):
        randomise(module)
    return module


def tokens_of(module, prompts):
    longest = max(map(len, prompts))
    ids = [[0] * (longest - len(prompt)) + prompt for prompt in prompts]
    mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    made = module.generate(
        torch.tensor(ids),
        attention_mask=torch.tensor(mask),
        max_new_tokens=TOKENS,
        do_sample=False,
        pad_token_id=0,
    )
    return made[:, longest:].tolist()


def generation_differences(name):
    """Lines about tokens that differ."""
    example = MODELS[name][0]
    module = reference(name)
    with tempfile.TemporaryDirectory() as folder:
        module.save_pretrained(folder)
        config = pretrained.read_config(example.Config, folder)
        weights = pretrained.read_weights(example, folder)
    wrong = []
    for prompts in ([PROMPTS[0]], PROMPTS):
        expected = tokens_of(module, prompts)
        if min(len(set(tokens)) for tokens in expected) < 3:
            wrong.append(f"{expected} is not a test: tokens repeat")
        for backend, make in BACKENDS.items():
            for limit in (None, LIMIT):
                model = ml.compile(
                    getattr(example, name)(config, limit),
                    make(dtype=ml.float64),
                    inference=True,
                    shapes={"input_ids": [len(prompts) if limit else None, None]},
                )
                made = ml.generate(model, model.load_state_dict(weights), prompts, TOKENS)
                if made != expected:
                    cache = f"a cache of {limit}" if limit else "no cache"
                    wrong.append(f"{backend}, {cache}: {made}, expected {expected}")
    return wrong
