"""examples/chat on small models of the family of Llama that transformers stores."""

import json
import subprocess
from pathlib import Path

import pytest

import mithril as ml

pytestmark = pytest.mark.slow  # they need the program examples/chat

ROOT = Path(__file__).parents[3]
LINES = [
    "What's a model in 1234567 words?",
    "  And 'RE two  spaces,\tand caf\u00e9s \u2014 \u65e5\u672c\u8a9e!",
]
TEXT = (
    "It's 12 o'clock; WE'LL see what they've got: 1234567 things.\n\n  Two  spaces,\ttabs \n \n"
    "x = f(y);\r\n\r\n\tif (x) ...\n} \u201cquotes\u201d\n 3\u00bd \u20ac na\u00efve "
    "\u65e5\u672c\u8a9e \u0440\u0443\u0441 \U0001f600!\n   "
)
# As in the tokenizer.json of Llama 3 and of Qwen2.
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3, QWEN2 = WORDS % "{1,3}", WORDS % ""
END = "<|endoftext|>"
LLAMA_TOKENS = [
    *("<|begin_of_text|>", "<|end_of_text|>"),
    *("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
]
# By architecture: words, special tokens, those that end a text, and a turn.
FORMATS = {
    "llama": (
        LLAMA3,
        LLAMA_TOKENS,
        ["<|end_of_text|>", "<|eot_id|>"],
        "<|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>",
    ),
    "qwen2": (
        QWEN2,
        [END, "<|im_start|>", "<|im_end|>"],
        ["<|im_end|>"],
        "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n",
    ),
    "mistral": (LLAMA3, [END], [END], "{}" + END + "{}" + END),
}
# Scaling for texts of more than 16 tokens.
SCALED = {"rope_theta": 100.0, "factor": 8.0, "original_max_position_embeddings": 16}
LLAMA3_ROTATION = {"low_freq_factor": 0.5, "high_freq_factor": 2.0, **SCALED}
# An architecture, and its rotary embedding.
CHECKPOINTS = {
    "llama": ("llama", {"rope_type": "default", "rope_theta": 5e5}),
    "llama_31": ("llama", {"rope_type": "llama3", **LLAMA3_ROTATION}),
    "llama_linear": ("llama", {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0}),
    "qwen2": ("qwen2", None),
    "qwen2_yarn": ("qwen2", {"rope_type": "yarn", "beta_fast": 2.0, "beta_slow": 0.5, **SCALED}),
    "mistral": ("mistral", None),
}
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 44,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}


def stored_tokenizer(path, name, tokenizers):
    words, specials, _, _ = FORMATS[name]
    made = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=name == "llama"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split(tokenizers.Regex(words), "isolated"),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = tokenizers.decoders.ByteLevel()
    made.train(
        [str(ROOT / "README.md")],
        tokenizers.trainers.BpeTrainer(
            vocab_size=500,
            special_tokens=specials,
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    if name == "llama":
        made.post_processor = tokenizers.processors.TemplateProcessing(
            single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", 0)]
        )
    made.save(str(path / "tokenizer.json"))
    return made


@pytest.fixture(scope="module", params=CHECKPOINTS)
def checkpoint(request, tmp_path_factory, torch, transformers, tokenizers):
    """A name, its folder, its module and its tokenizer."""
    name, rotation = CHECKPOINTS[request.param]
    path = tmp_path_factory.mktemp(name)
    tokenizer = stored_tokenizer(path, name, tokenizers)
    ends = [tokenizer.token_to_id(template) for template in FORMATS[name][2]]
    kind, options = {
        "llama": (transformers.LlamaForCausalLM, {}),
        "qwen2": (transformers.Qwen2ForCausalLM, {"tie_word_embeddings": True}),
        "mistral": (transformers.MistralForCausalLM, {"sliding_window": 128}),
    }[name]
    torch.manual_seed(0)
    config = kind.config_class(
        vocab_size=tokenizer.get_vocab_size(),
        bos_token_id=None,
        eos_token_id=ends if len(ends) > 1 else ends[0],
        rope_parameters=rotation,
        **SIZES,
        **options,
    )
    module = kind(config)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape))
    module.eval().save_pretrained(path)
    return name, path, module, tokenizer


def answers(torch, checkpoint, lines):
    """Returns the greedy answers as the terminal shows them."""
    name, _, module, tokenizer = checkpoint
    _, _, ends, turn = FORMATS[name]
    before, after, closing = turn.split("{}")
    limit = 128 if name == "mistral" else 256
    stop = [tokenizer.token_to_id(end) for end in ends]
    text, shown = tokenizer.encode("").ids, ""
    for line in lines:
        text += tokenizer.encode(before + line + after, add_special_tokens=False).ids
        made = module.generate(
            torch.tensor([text]),
            attention_mask=torch.ones(1, len(text)),
            max_new_tokens=limit // 4,
            do_sample=False,
            eos_token_id=stop,
            pad_token_id=0,
        )[0, len(text) :].tolist()
        made = made[:-1] if made[-1] in stop else made
        text += made + tokenizer.encode(closing, add_special_tokens=False).ids
        shown += "> " + tokenizer.decode(made) + "\n"
    assert len(text) <= limit
    return shown + "> \n"


def test_answers_equal_those_of_transformers(program, checkpoint, torch):
    lines = LINES[:1] if checkpoint[0] == "mistral" else LINES
    run = subprocess.run(
        [program, checkpoint[1], "0"],
        input="\n".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    assert run.stdout.decode(errors="replace") == answers(torch, checkpoint, lines)


def test_tokens_equal_those_of_the_library(program, checkpoint):
    _, folder, _, tokenizer = checkpoint
    run = subprocess.run(
        [program, "--tokens", folder], input=TEXT.encode(), capture_output=True, check=True
    )
    expected = tokenizer.encode(TEXT, add_special_tokens=False).ids
    assert list(map(int, run.stdout.split())) == expected


def test_added_tokens_are_found_in_the_text(program, checkpoint):
    name, folder, _, tokenizer = checkpoint
    text = "It's" + "a".join(FORMATS[name][1]) + " " + " ".join(FORMATS[name][1]) + "<|im_end| >"
    run = subprocess.run(
        [program, "--tokens", folder], input=text.encode(), capture_output=True, check=True
    )
    expected = tokenizer.encode(text, add_special_tokens=False).ids
    assert list(map(int, run.stdout.split())) == expected


TYPES = "expected default, linear, llama3 or yarn"
REFUSED = [
    ({"model_type": "falcon"}, 'model_type is "falcon", expected gpt2, llama, mistral or qwen2'),
    ({"hidden_act": "gelu"}, 'hidden_act is "gelu", expected "silu"'),
    ({"head_dim": 16}, "head_dim is 16, expected 8"),
    ({"attention_bias": True}, "attention_bias is true, expected false"),
    ({"rope_scaling": {"type": "dynamic"}}, f'rope_scaling: type is "dynamic", {TYPES}'),
    ({"rope_scaling": "linear"}, 'rope_scaling is "linear", expected an object'),
    (
        {"rope_parameters": {"rope_type": "longrope"}},
        f'rope_parameters: rope_type is "longrope", {TYPES}',
    ),
    (
        {"rope_scaling": {"type": "linear"}},
        "rope_scaling: factor is null, expected a number above 0",
    ),
    (
        {"rope_scaling": {"type": "linear", "factor": 0}},
        "rope_scaling: factor is 0, expected a number above 0",
    ),
    (
        {"rope_scaling": {"type": "linear", "factor": 2.0, "beta_fast": 32}},
        "rope_scaling: beta_fast is 32, expected null",
    ),
    (
        {"rope_scaling": {"rope_type": "yarn", "factor": 2.0, "truncate": 0}},
        "rope_scaling: truncate is 0, expected true or false",
    ),
    (
        {"rope_scaling": {"rope_type": "llama3", **LLAMA3_ROTATION, "high_freq_factor": 0.5}},
        "rope_scaling: high_freq_factor is 0.5, expected more than low_freq_factor",
    ),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED)
def test_a_model_of_another_kind_is_refused(program, tmp_path, fields, message):
    ml.save_safetensors(str(tmp_path / "model.safetensors"), {})
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", **SIZES, **fields}))
    run = subprocess.run([program, tmp_path], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (1, f"config.json: {message}\n")


def test_a_tokenizer_of_another_kind_is_refused(program, tmp_path):
    file = tmp_path / "tokenizer.json"
    file.write_text('{"model": {"type": "WordLevel"}}')
    run = subprocess.run(
        [program, "--tokens", tmp_path], input="", capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr == (
        "mithril.ParseError[E0772]: /model/type: Tokenizer does not read tokenizers of this kind\n"
        f"  at       : {file}\n"
        "  expected : BPE, WordPiece or Unigram\n"
        '  got      : "WordLevel"\n'
        "  help: the Python package tokenizers reads tokenizers of all kinds\n"
    )


@pytest.mark.parametrize("token", [-1, 2**24])
def test_a_token_outside_of_vocabularies_is_refused(program, tmp_path, token):
    file = tmp_path / "vocab.json"
    file.write_text(json.dumps({"a": token}))
    (tmp_path / "merges.txt").write_text("")
    run = subprocess.run(
        [program, "--tokens", tmp_path], input="", capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr == (
        "mithril.ParseError[E0726]: /a: this does not fit here\n"
        f"  at       : {file}\n"
        "  expected : an integer from 0 to 16777215\n"
        f"  got      : {token}\n"
    )


def test_a_merge_of_tokens_that_do_not_exist_is_refused(program, tmp_path):
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 1}))
    file = tmp_path / "merges.txt"
    file.write_text("#version: 0.2\na b\n")
    run = subprocess.run(
        [program, "--tokens", tmp_path], input="", capture_output=True, text=True, check=False
    )
    expected = (
        "mithril.ParseError[E0773]: line 2: the merge of 'a' and 'b' needs the token 'ab', which "
        f"the vocabulary lacks\n  at : {file}\n"
    )
    assert (run.returncode, run.stderr) == (1, expected)
