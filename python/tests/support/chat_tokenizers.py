"""Tokenizers in the forms of converters of SentencePiece, trained on the project's documents."""

import json
from pathlib import Path

import pytest

import mithril as ml

ROOT = Path(__file__).parents[3]
SPECIALS = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
PREPEND = {"type": "Prepend", "prepend": "\u2581"}
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
LEGACY = {
    "normalizer": {"type": "Sequence", "normalizers": [PREPEND, REPLACE]},
    "pre_tokenizer": None,
}


def metaspace(scheme, split=False):
    return {
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": scheme,
            "split": split,
        },
    }


DECODER = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}


def built_program():
    built = Path(ml.__file__).parents[2] / "examples" / "chat"
    if not built.exists():
        pytest.skip("the examples in C++ are not built")
    return built


def added_token(token, content, special=True, normalized=False):
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    return {
        "id": token,
        "content": content,
        "normalized": normalized,
        "special": special,
        **flags,
    }


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def trained(tokenizers):
    """The fields of a tokenizer.json as that of Llama 2, with few characters in the vocabulary."""
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    made.train(
        [str(document) for document in documents()],
        tokenizers.trainers.BpeTrainer(
            vocab_size=1500,
            limit_alphabet=90,
            special_tokens=[*SPECIALS, *BYTES],
            show_progress=False,
        ),
    )
    fields = json.loads(made.to_str())
    # In SentencePiece, the bytes are in the vocabulary alone.
    fields["added_tokens"] = [token for token in fields["added_tokens"] if token["id"] < 3]
    return {**fields, "decoder": DECODER, **LEGACY}
