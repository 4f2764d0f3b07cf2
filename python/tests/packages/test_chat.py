"""examples/chat on a small GPT-2 that transformers stores."""

import importlib
import subprocess
from pathlib import Path

import pytest

import mithril as ml

pytestmark = pytest.mark.slow  # they need the program examples/chat

ROOT = Path(__file__).parents[3]
TEXTS = [
    "It's 12 o'clock; we'll see what they've got.",
    "  Two  spaces,\ttabs\nand lines \n ",
    "Dots... (and) \u201cquotes\u201d \u2014 dashes, 3\u00bd \u20ac, na\u00efve "
    "\u65e5\u672c\u8a9e \u0440\u0443\u0441 \U0001f600!",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, torch, transformers, tokenizers):
    path = tmp_path_factory.mktemp("gpt2")
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train(
        [str(ROOT / "README.md")],
        vocab_size=500,
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    trained.save_model(str(path))
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=trained.get_vocab_size(), n_positions=256, n_embd=24, n_layer=2, n_head=3
    )
    module = transformers.GPT2LMHeadModel(config)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape))
        # Answers depend on where they are in the text.
        places = module.transformer.wpe.weight
        places.add_(2 * torch.randn(places.shape))
    module.eval().save_pretrained(path)
    return path


def answers(torch, module, tokenizer, lines):
    """Returns the greedy answers as the terminal shows them. A line and its answer are forgotten
    together."""
    end = tokenizer.token_to_id("<|endoftext|>")
    turns, shown = [], ""
    for line in lines:
        turns.append([*tokenizer.encode(line).ids, end])
        while sum(map(len, turns)) + 64 > 257:  # the last token of an answer is not read
            turns = turns[2:]
        text = [token for turn in turns for token in turn]
        made = module.generate(
            torch.tensor([text]),
            attention_mask=torch.ones(1, len(text)),
            max_new_tokens=64,
            do_sample=False,
            eos_token_id=end,
            pad_token_id=end,
        )[0, len(text) :].tolist()
        made = made[: made.index(end)] if end in made else made
        turns.append([*made, end])
        shown += "> " + tokenizer.decode(made) + "\n"
    return shown + "> \n"


def test_answers_equal_those_of_transformers(program, folder, torch, transformers, tokenizers):
    module = transformers.GPT2LMHeadModel.from_pretrained(folder)
    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt")
    )
    lines = ["What's a model?", TEXTS[2]]
    run = subprocess.run(
        [program, folder, "0"], input="\n".join(lines).encode(), capture_output=True, check=True
    )
    shown = run.stdout.decode(errors="replace")
    assert shown == answers(torch, module, tokenizer, lines)


def test_an_answer_is_forgotten_with_its_line(program, folder, torch, transformers, tokenizers):
    module = transformers.GPT2LMHeadModel.from_pretrained(folder)
    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt")
    )
    lines = ["What's a model? " * 8, "Hello", "And a tensor?"]
    run = subprocess.run(
        [program, folder, "0"], input="\n".join(lines).encode(), capture_output=True, check=True
    )
    shown = run.stdout.decode(errors="replace")
    assert shown == answers(torch, module, tokenizer, lines)


def test_drawn_tokens_equal_those_of_python(program, folder, tokenizers):
    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt")
    )
    gpt2 = importlib.import_module("gpt2")
    pretrained = importlib.import_module("pretrained")
    model = ml.compile(
        gpt2.gpt2(pretrained.read_config(gpt2.Config, folder), limit=256),
        ml.CpuBackend(),
        inference=True,
        shapes={"input_ids": [1, None]},
    )
    end = tokenizer.token_to_id("<|endoftext|>")
    made = ml.generate(
        model,
        model.load_state_dict(pretrained.read_weights(gpt2, folder)),
        [*tokenizer.encode(TEXTS[0]).ids, end],
        64,
        temperature=0.8,
        top_p=0.95,
        seed=5,
        stop=[end],
    )
    run = subprocess.run(
        [program, folder, "0.8", "5"], input=TEXTS[0].encode(), capture_output=True, check=True
    )
    assert len(set(made)) > 10
    assert run.stdout.decode(errors="replace") == "> " + tokenizer.decode(made) + "\n> \n"


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_equal_those_of_the_library(program, folder, tokenizers, text):
    tokenizer = tokenizers.ByteLevelBPETokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt")
    )
    run = subprocess.run(
        [program, "--tokens", folder], input=text.encode(), capture_output=True, check=True
    )
    assert list(map(int, run.stdout.split())) == tokenizer.encode(text).ids


def test_a_missing_file_is_named(program, tmp_path):
    run = subprocess.run([program, tmp_path], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == f"cannot read {tmp_path}/config.json\n"
