"""The cases: a small configuration of each architecture, and data of two sizes."""

from functools import partial

import bert
import distilbert
import gemma
import gpt2
import llama
import mistral
import numpy as np
import qwen2
import resnet
import roberta
import transformers
import vit
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


def text(vocab_size, left=False, types=None, pad=None):
    """Batches of padded token ids: the padding precedes or follows the tokens."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        n, length = TEXT_SIZES[size]
        lengths = rng.integers(2, length + 1, n)
        lengths[0] = length
        mask = np.arange(length) < lengths[:, None]
        mask = mask[:, ::-1].copy() if left else mask
        ids = rng.integers(2, vocab_size, (n, length))
        data = {"input_ids": ids if pad is None else np.where(mask, ids, pad)}
        data["attention_mask"] = mask
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


def llama_config(make, **more):
    return make(
        vocab_size=61,
        hidden_size=32,
        intermediate_size=44,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        **NO_DROPOUT,
        **more,
    )


def llama_case():
    config = llama_config(transformers.LlamaConfig)
    return decoder(llama, llama.llama, transformers.LlamaForCausalLM, config, left=True)


def mistral_case():
    config = llama_config(transformers.MistralConfig, sliding_window=3)
    return decoder(mistral, mistral.mistral, transformers.MistralForCausalLM, config)


def qwen2_case():
    config = llama_config(transformers.Qwen2Config, tie_word_embeddings=True)
    return decoder(qwen2, qwen2.qwen2, transformers.Qwen2ForCausalLM, config)


def gemma_case():
    config = llama_config(transformers.GemmaConfig, head_dim=12)
    return decoder(gemma, gemma.gemma, transformers.GemmaForCausalLM, config)


def encoder(example, compose, reference, config, **options):
    outputs, valid = ("last_hidden_state",), {"last_hidden_state": "attention_mask"}
    draw = text(config.vocab_size, **options)
    return Case(example, compose, reference, config, draw, outputs, valid)


def roberta_case():
    config = transformers.RobertaConfig(
        vocab_size=61,
        max_position_embeddings=16,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=3,
        **NO_DROPOUT,
    )
    reference = partial(transformers.RobertaModel, add_pooling_layer=False)
    return encoder(roberta, roberta.roberta, reference, config, pad=1)


def distilbert_case():
    config = transformers.DistilBertConfig(
        vocab_size=61,
        max_position_embeddings=16,
        dim=24,
        hidden_dim=40,
        n_layers=2,
        n_heads=3,
        dropout=0.0,
        **NO_DROPOUT,
    )
    return encoder(distilbert, distilbert.distilbert, transformers.DistilBertModel, config)


def images(*sizes):
    """Batches of images of the given heights and widths."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return {"pixel_values": rng.normal(size=(2 + size, 3, *sizes[size]))}

    return draw


def classifier(example, compose, reference, config, *sizes):
    return Case(example, compose, reference, config, images(*sizes), ("logits",))


def resnet_case(layer_type):
    config = transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 12],
        depths=[1, 2],
        layer_type=layer_type,
        num_labels=7,
    )
    reference = transformers.ResNetForImageClassification
    return classifier(resnet, resnet.resnet, reference, config, (24, 32), (33, 40))


def vit_case():
    config = transformers.ViTConfig(
        image_size=16,
        patch_size=8,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=3,
        num_labels=7,
        **NO_DROPOUT,
    )
    reference = transformers.ViTForImageClassification
    return classifier(vit, vit.vit, reference, config, (16, 16), (16, 16))


CASES = {
    "gpt2": gpt2_case,
    "bert": bert_case,
    "llama": llama_case,
    "resnet_basic": lambda: resnet_case("basic"),
    "resnet_bottleneck": lambda: resnet_case("bottleneck"),
    "vit": vit_case,
    "roberta": roberta_case,
    "distilbert": distilbert_case,
    "mistral": mistral_case,
    "qwen2": qwen2_case,
    "gemma": gemma_case,
}
