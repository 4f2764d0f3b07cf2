"""The cases: a small configuration of each architecture, and data of two sizes."""

import bert
import gpt2
import llama
import numpy as np
import transformers
from agreement import Arrays, Case

TEXT_SIZES = ((2, 5), (3, 9))
NO_DROPOUT = {
    "attn_pdrop": 0.0,
    "attention_dropout": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "embd_pdrop": 0.0,
    "hidden_dropout_prob": 0.0,
    "resid_pdrop": 0.0,
}


def text(vocab_size, left=False, types=None):
    """Batches of padded token ids: the padding precedes or follows the tokens."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        n, length = TEXT_SIZES[size]
        lengths = rng.integers(2, length + 1, n)
        lengths[0] = length
        mask = np.arange(length) < lengths[:, None]
        mask = mask[:, ::-1].copy() if left else mask
        data = {"input_ids": rng.integers(1, vocab_size, (n, length)), "attention_mask": mask}
        if types:
            data["token_type_ids"] = rng.integers(0, types, (n, length))
        return data

    return draw


def decoder(example, compose, reference, config, left=False):
    draw = text(config.vocab_size, left)
    valid = {"logits": "attention_mask"}
    return Case(example, compose, reference, config, draw, ("logits",), valid)


def gpt2_case():
    config = transformers.GPT2Config(
        vocab_size=61, n_positions=16, n_embd=24, n_layer=2, n_head=3, **NO_DROPOUT
    )
    return decoder(gpt2, gpt2.gpt2, transformers.GPT2LMHeadModel, config)


def bert_case():
    config = transformers.BertConfig(
        vocab_size=61,
        max_position_embeddings=16,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=3,
        **NO_DROPOUT,
    )
    outputs = ("last_hidden_state", "pooler_output")
    valid = {"last_hidden_state": "attention_mask"}
    draw = text(61, types=2)
    return Case(bert, bert.bert, transformers.BertModel, config, draw, outputs, valid)


def llama_case():
    config = transformers.LlamaConfig(
        vocab_size=61,
        hidden_size=32,
        intermediate_size=44,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        **NO_DROPOUT,
    )
    return decoder(llama, llama.llama, transformers.LlamaForCausalLM, config, left=True)


CASES = {"gpt2": gpt2_case, "bert": bert_case, "llama": llama_case}
