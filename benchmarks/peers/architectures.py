"""Published architectures as workloads: those of examples/models, and the same in transformers.

Both sides read the configuration and the weights of one checkpoint folder, which
`benchmarks.peers.prepare` writes. The sizes are published ones, the weights random.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Input:
    shape: tuple[int, ...]
    # Integers below this number; 0: normal numbers.
    below: int = 0
    # A mask without padding, or token types: the same value everywhere.
    value: bool | int | None = None
    # The last integer of each row, such as the token that ends a text.
    last: int | None = None


@dataclass(frozen=True)
class Architecture:
    example: str  # the file of examples/models
    model: str  # the class in transformers
    config: str  # its configuration
    inputs: Mapping[str, Input]
    output: str
    fields: Mapping[str, object] = field(default_factory=dict)  # that differ from the defaults


def image(size: int) -> dict[str, Input]:
    return {"pixel_values": Input((1, 3, size, size))}


def text(batch: int, tokens: int, vocabulary: int, last: int | None = None) -> dict[str, Input]:
    return {
        "input_ids": Input((batch, tokens), below=vocabulary, last=last),
        "attention_mask": Input((batch, tokens), value=True),
    }


def minilm(batch: int, tokens: int) -> Architecture:
    return Architecture(
        "bert",
        "BertModel",
        "BertConfig",
        {**text(batch, tokens, 30522), "token_type_ids": Input((batch, tokens), value=0)},
        "last_hidden_state",
        {"hidden_size": 384, "intermediate_size": 1536, "num_hidden_layers": 6},
    )


def llama(tokens: int) -> Architecture:
    return Architecture(
        "llama",
        "LlamaForCausalLM",
        "LlamaConfig",
        text(1, tokens, 32000),
        "logits",
        {
            "hidden_size": 768,
            "intermediate_size": 3072,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "num_key_value_heads": 12,
            "use_cache": False,
        },
    )


ARCHITECTURES = {
    "mobilenet_v2": Architecture(
        "mobilenet_v2",
        "MobileNetV2ForImageClassification",
        "MobileNetV2Config",
        image(224),
        "logits",
        {"num_labels": 1001},
    ),
    "efficientnet_b0": Architecture(
        "efficientnet",
        "EfficientNetForImageClassification",
        "EfficientNetConfig",
        image(224),
        "logits",
        {
            "width_coefficient": 1.0,
            "depth_coefficient": 1.0,
            "image_size": 224,
            "hidden_dim": 1280,
            "num_labels": 1000,
        },
    ),
    "vit_b16": Architecture(
        "vit", "ViTForImageClassification", "ViTConfig", image(224), "logits", {"num_labels": 1000}
    ),
    "swin_t": Architecture(
        "swin",
        "SwinForImageClassification",
        "SwinConfig",
        image(224),
        "logits",
        {"num_labels": 1000},
    ),
    "segformer_b0": Architecture(
        "segformer",
        "SegformerForSemanticSegmentation",
        "SegformerConfig",
        image(512),
        "logits",
        {"num_labels": 150},
    ),
    "clip_text": Architecture(
        "clip", "CLIPTextModel", "CLIPTextConfig", text(1, 77, 49406, last=49407), "pooler_output"
    ),
    "whisper_tiny_encoder": Architecture(
        "whisper",
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        {"input_features": Input((1, 80, 3000))},
        "last_hidden_state",
    ),
    "t5_small_encoder": Architecture(
        "t5", "T5EncoderModel", "T5Config", text(1, 128, 32128), "last_hidden_state"
    ),
    "minilm_s16": minilm(1, 16),
    "minilm_s16_b16": minilm(16, 16),
    "minilm_s128": minilm(1, 128),
    "minilm_s128_b16": minilm(16, 128),
    "llama_160m_s256": llama(256),
    "llama_160m_s1": llama(1),
}
