"""Cases of models that read or write text."""

from functools import partial

import bart
import bert
import clip
import distilbert
import gemma
import gpt2
import llama
import mamba
import mistral
import numpy as np
import qwen2
import roberta
import t5
import torch
import transformers
import whisper
from agreement import NO_DROPOUT, Arrays, Case

TEXT_SIZES = ((2, 5), (3, 9))


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


# The texts are longer than the 4 tokens of the training. Within 4 tokens, the pairs of a head make
# 0.64, 0.20, 0.06 and 0.02 turns. The first frequency stays, the second is interpolated, and the
# others are divided by the factor.
SCALED = {"rope_theta": 100.0, "factor": 8.0, "original_max_position_embeddings": 4}
ROTATIONS = {
    "linear": {"rope_type": "linear", "rope_theta": 100.0, "factor": 2.5},
    "llama3": {"rope_type": "llama3", "low_freq_factor": 0.1, "high_freq_factor": 0.5, **SCALED},
    "yarn": {"rope_type": "yarn", "beta_fast": 0.5, "beta_slow": 0.05, "truncate": False, **SCALED},
}


def llama_case(**more):
    config = llama_config(transformers.LlamaConfig, **more)
    return decoder(llama, llama.llama, transformers.LlamaForCausalLM, config, left=True)


def mistral_case(**more):
    config = llama_config(transformers.MistralConfig, sliding_window=3, **more)
    return decoder(mistral, mistral.mistral, transformers.MistralForCausalLM, config)


def qwen2_case(**more):
    config = llama_config(transformers.Qwen2Config, **{"tie_word_embeddings": True, **more})
    return decoder(qwen2, qwen2.qwen2, transformers.Qwen2ForCausalLM, config)


def gemma_case(**more):
    config = llama_config(transformers.GemmaConfig, head_dim=12, **more)
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


def texts(rng, size, names, lengths):
    """Padded token ids and their mask."""
    n, length = TEXT_SIZES[size][0], lengths[size]
    counts = rng.integers(2, length + 1, n)
    counts[-1] = length
    mask = np.arange(length) < counts[:, None]
    return dict(zip(names, (rng.integers(2, 61, (n, length)), mask), strict=True))


def pairs(rng: np.random.Generator, size: int) -> Arrays:
    """A text to read and one to write."""
    source = texts(rng, size, ("input_ids", "attention_mask"), (6, 9))
    target = ("decoder_input_ids", "decoder_attention_mask")
    return source | texts(rng, size, target, (4, 7))


def writer(example, compose, reference, config):
    valid = {"logits": "decoder_attention_mask"}
    return Case(example, compose, reference, config, pairs, ("logits",), valid)


def untied_t5(config):
    """Returns T5 as transformers loads a checkpoint that also has lm_head.weight."""
    module = transformers.T5ForConditionalGeneration(config)
    module.lm_head.weight = torch.nn.Parameter(torch.randn_like(module.shared.weight))
    module.config.tie_word_embeddings = False
    return module


def t5_case(reference=transformers.T5ForConditionalGeneration, **more):
    config = transformers.T5Config(
        vocab_size=61,
        d_model=24,
        d_kv=7,
        d_ff=40,
        num_layers=2,
        num_heads=3,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=7,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        **more,
    )
    return writer(t5, t5.t5, reference, config)


def bart_sizes():
    return {
        "vocab_size": 61,
        "d_model": 24,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 3,
        "decoder_attention_heads": 2,
        "encoder_ffn_dim": 40,
        "decoder_ffn_dim": 32,
        "dropout": 0.0,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
    }


def bart_case():
    config = transformers.BartConfig(
        max_position_embeddings=16, scale_embedding=True, **bart_sizes()
    )
    return writer(bart, bart.bart, transformers.BartForConditionalGeneration, config)


def speech(rng: np.random.Generator, size: int) -> Arrays:
    target = texts(rng, size, ("decoder_input_ids", "decoder_attention_mask"), (5, 9))
    target["decoder_input_ids"] %= 60  # 60 is padding, which has no gradient
    count = len(target["decoder_input_ids"])
    return {"input_features": rng.normal(size=(count, 10, 24))} | target


def whisper_case():
    config = transformers.WhisperConfig(
        num_mel_bins=10,
        max_source_positions=12,
        max_target_positions=16,
        pad_token_id=60,
        **bart_sizes(),
    )
    reference = transformers.WhisperForConditionalGeneration
    valid = {"logits": "decoder_attention_mask"}
    return Case(whisper, whisper.whisper, reference, config, speech, ("logits",), valid)


def captions(rng: np.random.Generator, size: int) -> Arrays:
    """Texts that end with the token 60, and images."""
    result = texts(rng, size, ("input_ids", "attention_mask"), (5, 8))
    ids, mask = result["input_ids"], result["attention_mask"]
    last = np.arange(ids.shape[1]) == mask.sum(1, keepdims=True) - 1
    result["input_ids"] = np.where(last | ~mask, 60, ids % 60)
    return result | {"pixel_values": rng.normal(size=(3 - size, 3, 16, 16))}


def clip_case():
    sizes = {
        "hidden_size": 24,
        "intermediate_size": 40,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
    }
    text = {"vocab_size": 61, "max_position_embeddings": 16, "eos_token_id": 60, **sizes}
    vision = {"image_size": 16, "patch_size": 8, **sizes}
    config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=20)
    outputs = ("text_embeds", "image_embeds", "logits_per_image")
    return Case(clip, clip.clip, transformers.CLIPModel, config, captions, outputs)


def mamba_case():
    config = transformers.MambaConfig(
        vocab_size=61,
        hidden_size=24,
        state_size=5,
        num_hidden_layers=2,
        use_associative_scan=False,
    )
    return decoder(mamba, mamba.mamba, transformers.MambaForCausalLM, config)


CASES = {
    "gpt2": gpt2_case,
    "bert": bert_case,
    "llama": llama_case,
    "llama_linear": lambda: llama_case(rope_parameters=ROTATIONS["linear"]),
    "llama_llama3": lambda: llama_case(rope_parameters=ROTATIONS["llama3"]),
    "llama_yarn": lambda: llama_case(rope_parameters=ROTATIONS["yarn"]),
    "roberta": roberta_case,
    "distilbert": distilbert_case,
    "mistral": mistral_case,
    "mistral_yarn": lambda: mistral_case(rope_parameters=ROTATIONS["yarn"]),
    "qwen2": qwen2_case,
    "qwen2_untied": lambda: qwen2_case(tie_word_embeddings=False),
    "qwen2_yarn": lambda: qwen2_case(rope_parameters=ROTATIONS["yarn"]),
    "gemma": gemma_case,
    "gemma_linear": lambda: gemma_case(rope_parameters=ROTATIONS["linear"]),
    "t5": t5_case,
    "t5_gated": lambda: t5_case(feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "t5_untied": lambda: t5_case(
        untied_t5, feed_forward_proj="gated-gelu", tie_word_embeddings=False
    ),
    "bart": bart_case,
    "clip": clip_case,
    "whisper": whisper_case,
    "mamba": mamba_case,
}
