"""Small configurations of architectures of transformers, with inputs, for `ml.from_torch`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers as hf

WORDS, POSITIONS = 99, 64
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
ENCODER = {**SMALL, "vocab_size": WORDS, "max_position_embeddings": POSITIONS}
DECODER = {**ENCODER, "use_cache": False}
GROUPED = {**DECODER, "num_key_value_heads": 2}
VISION = {**SMALL, "image_size": 32, "patch_size": 8}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SEQ2SEQ = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "vocab_size": WORDS,
    "use_cache": False,
}
AUDIO = {
    **SMALL,
    "vocab_size": WORDS,
    "conv_dim": (16, 16),
    "conv_stride": (5, 2),
    "conv_kernel": (10, 3),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}


def ids(samples: int, length: int) -> torch.Tensor:
    return torch.randint(3, WORDS, (samples, length))


def text(samples: int, length: int) -> dict[str, torch.Tensor]:
    """Tokens, with padding at the end of the first sample."""
    mask = torch.ones(samples, length, dtype=torch.int64)
    mask[0, -2:] = 0
    return {"input_ids": ids(samples, length), "attention_mask": mask}


def tokens(samples: int, length: int) -> dict[str, torch.Tensor]:
    return {"input_ids": ids(samples, length)}


def both(samples: int, length: int) -> dict[str, torch.Tensor]:
    return {**text(samples, length), "decoder_input_ids": ids(samples, length)}


def image(samples: int, length: int, size: int = 32) -> dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(samples, 3, size, size)}


def wave(samples: int, length: int) -> dict[str, torch.Tensor]:
    return {"input_values": torch.randn(samples, 400)}


def text_and_image(samples: int, length: int) -> dict[str, torch.Tensor]:
    return {**text(samples, length), **image(samples, length)}


def speech(samples: int, length: int) -> dict[str, torch.Tensor]:
    features = torch.randn(samples, 8, 32)
    return {"input_features": features, "decoder_input_ids": ids(samples, length)}


@dataclass
class Imported:
    kind: Any  # the class in transformers
    config: Any
    options: dict[str, Any]
    inputs: Callable[[int, int], dict[str, torch.Tensor]]
    long: bool = False  # whether the length stays symbolic, too

    def module(self) -> torch.nn.Module:
        torch.manual_seed(0)
        made: torch.nn.Module = self.kind(self.config(**self.options)).eval()
        return made


def encoder(kind: Any, config: Any, **more: Any) -> Imported:
    return Imported(kind, config, {**ENCODER, **more}, text, long=True)


def decoder(kind: Any, config: Any, options: dict[str, Any], **more: Any) -> Imported:
    return Imported(kind, config, {**options, **more}, text, long=True)


IMPORTED = {
    "bert": encoder(hf.BertModel, hf.BertConfig),
    "roberta": encoder(hf.RobertaModel, hf.RobertaConfig, max_position_embeddings=66),
    "distilbert": decoder(
        hf.DistilBertModel,
        hf.DistilBertConfig,
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": WORDS},
    ),
    "albert": encoder(hf.AlbertModel, hf.AlbertConfig, embedding_size=16),
    "electra": encoder(hf.ElectraModel, hf.ElectraConfig, embedding_size=16),
    "modernbert": encoder(
        hf.ModernBertModel,
        hf.ModernBertConfig,
        **TOKENS,
        cls_token_id=1,
        sep_token_id=2,
        local_attention=4,
    ),
    "deberta": encoder(
        hf.DebertaV2Model,
        hf.DebertaV2Config,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=8,
    ),
    "gpt2": decoder(
        hf.GPT2LMHeadModel,
        hf.GPT2Config,
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": WORDS, "use_cache": False},
        n_positions=POSITIONS,
        **TOKENS,
    ),
    "gpt_neox": decoder(hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig, DECODER),
    "opt": decoder(
        hf.OPTForCausalLM, hf.OPTConfig, DECODER, ffn_dim=64, word_embed_proj_dim=32, **TOKENS
    ),
    "bloom": decoder(
        hf.BloomForCausalLM,
        hf.BloomConfig,
        {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": WORDS, "use_cache": False},
    ),
    "llama": decoder(hf.LlamaForCausalLM, hf.LlamaConfig, GROUPED),
    "mistral": decoder(hf.MistralForCausalLM, hf.MistralConfig, GROUPED, sliding_window=4),
    "qwen2": decoder(hf.Qwen2ForCausalLM, hf.Qwen2Config, GROUPED),
    "gemma": decoder(hf.GemmaForCausalLM, hf.GemmaConfig, GROUPED, head_dim=8),
    "phi": decoder(hf.PhiForCausalLM, hf.PhiConfig, DECODER),
    "t5": Imported(
        hf.T5Model,
        hf.T5Config,
        {
            **{"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4},
            **{"vocab_size": WORDS, "use_cache": False},
        },
        both,
        long=True,
    ),
    "bart": Imported(
        hf.BartModel, hf.BartConfig, {**SEQ2SEQ, "max_position_embeddings": 64}, both, long=True
    ),
    "xlnet": decoder(
        hf.XLNetModel,
        hf.XLNetConfig,
        {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 64, "vocab_size": WORDS},
    ),
    "rwkv": Imported(
        hf.RwkvModel,
        hf.RwkvConfig,
        {
            **{"hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32},
            **{"intermediate_size": 64, "vocab_size": WORDS, "context_length": 64},
            "use_cache": False,
        },
        tokens,
    ),
    "mamba": Imported(
        hf.MambaModel,
        hf.MambaConfig,
        {
            **{"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
            **{"vocab_size": WORDS, "use_cache": False},
        },
        tokens,
    ),
    "vit": Imported(hf.ViTModel, hf.ViTConfig, VISION, image),
    "deit": Imported(hf.DeiTModel, hf.DeiTConfig, VISION, image),
    "beit": Imported(hf.BeitModel, hf.BeitConfig, VISION, image),
    "dinov2": Imported(hf.Dinov2Model, hf.Dinov2Config, VISION, image),
    "swin": Imported(
        hf.SwinModel,
        hf.SwinConfig,
        {
            **{"image_size": 32, "patch_size": 2, "embed_dim": 16},
            **{"depths": [2, 2], "num_heads": [2, 4], "window_size": 4},
        },
        image,
    ),
    "convnext": Imported(
        hf.ConvNextModel,
        hf.ConvNextConfig,
        {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2, "patch_size": 4},
        image,
    ),
    "resnet": Imported(
        hf.ResNetModel,
        hf.ResNetConfig,
        {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1]},
        image,
    ),
    "regnet": Imported(
        hf.RegNetModel,
        hf.RegNetConfig,
        {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "groups_width": 8},
        image,
    ),
    "mobilenet_v2": Imported(
        hf.MobileNetV2Model,
        hf.MobileNetV2Config,
        {"depth_multiplier": 0.25, "image_size": 32},
        image,
    ),
    "efficientnet": Imported(
        hf.EfficientNetModel,
        hf.EfficientNetConfig,
        {
            **{"image_size": 64, "width_coefficient": 0.25, "depth_coefficient": 0.25},
            "hidden_dim": 320,
        },
        lambda samples, length: image(samples, length, 64),
    ),
    "segformer": Imported(
        hf.SegformerForSemanticSegmentation,
        hf.SegformerConfig,
        {
            **{"depths": [1, 1], "num_encoder_blocks": 2, "hidden_sizes": [16, 32]},
            **{"num_attention_heads": [1, 2], "sr_ratios": [2, 1], "patch_sizes": [7, 3]},
            **{"strides": [4, 2], "mlp_ratios": [2, 2], "decoder_hidden_size": 32},
        },
        image,
    ),
    "clip": Imported(
        hf.CLIPModel,
        hf.CLIPConfig,
        {
            "text_config": {**ENCODER, "projection_dim": 16, **TOKENS},
            "vision_config": {**VISION, "projection_dim": 16},
            "projection_dim": 16,
        },
        text_and_image,
        long=True,
    ),
    "wav2vec2": Imported(hf.Wav2Vec2Model, hf.Wav2Vec2Config, AUDIO, wave),
    "hubert": Imported(hf.HubertModel, hf.HubertConfig, AUDIO, wave),
    "whisper": Imported(
        hf.WhisperModel,
        hf.WhisperConfig,
        {
            **SEQ2SEQ,
            **TOKENS,
            **{"max_source_positions": 16, "max_target_positions": POSITIONS},
            **{"num_mel_bins": 8, "decoder_start_token_id": 1},
        },
        speech,
        long=True,
    ),
}
# Models of texts alone.
TEXTS = [name for name, case in IMPORTED.items() if case.inputs in (text, tokens, both)]
