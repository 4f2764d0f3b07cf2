"""Small configurations of examples/models with inputs of two sizes, for tests of ONNX files."""

import importlib

import numpy as np

TEXT = {"vocab_size": 61}
BERT = {
    **TEXT,
    "max_position_embeddings": 16,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
LLAMA = {
    **TEXT,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 16,
}
BART = {
    **TEXT,
    "d_model": 24,
    "encoder_layers": 2,
    "encoder_attention_heads": 3,
    "encoder_ffn_dim": 40,
    "decoder_layers": 2,
    "decoder_attention_heads": 3,
    "decoder_ffn_dim": 40,
}
TOWER = {
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
SEVEN = {"id2label": dict.fromkeys(range(7))}
CONFIGS = {
    "bart": {**BART, "max_position_embeddings": 16, "scale_embedding": True},
    "bert": BERT,
    "clip": {
        "text_config": {**TEXT, **TOWER, "max_position_embeddings": 16, "eos_token_id": 60},
        "vision_config": {**TOWER, "image_size": 16, "patch_size": 8},
        "projection_dim": 20,
    },
    "distilbert": {
        **TEXT,
        "max_position_embeddings": 16,
        "dim": 24,
        "hidden_dim": 40,
        "n_layers": 2,
        "n_heads": 3,
    },
    "efficientnet": {
        "width_coefficient": 0.1,
        "depth_coefficient": 0.5,
        "depthwise_padding": [3],
        **SEVEN,
    },
    "gemma": {**LLAMA, "num_key_value_heads": 1, "head_dim": 6},
    "gpt2": {**TEXT, "n_positions": 16, "n_embd": 24, "n_layer": 2, "n_head": 3},
    "llama": LLAMA,
    "mamba": {**TEXT, "hidden_size": 24, "state_size": 5, "num_hidden_layers": 2},
    "mistral": {**LLAMA, "sliding_window": 4},
    "mobilenet_v2": {"depth_multiplier": 0.35, **SEVEN},
    "qwen2": LLAMA,
    "resnet": {
        "embedding_size": 8,
        "hidden_sizes": [8, 12],
        "depths": [2, 1],
        "layer_type": "basic",
        **SEVEN,
    },
    "roberta": BERT,
    "segformer": {
        "depths": [1, 2, 1],
        "sr_ratios": [4, 2, 1],
        "hidden_sizes": [8, 12, 16],
        "patch_sizes": [7, 3, 3],
        "strides": [4, 2, 2],
        "num_attention_heads": [1, 2, 4],
        "mlp_ratios": [2, 3, 2],
        "decoder_hidden_size": 12,
        **SEVEN,
    },
    "swin": {
        "image_size": 20,
        "patch_size": 2,
        "embed_dim": 8,
        "depths": [2, 2],
        "num_heads": [2, 4],
        "window_size": 4,
        **SEVEN,
    },
    "t5": {
        **TEXT,
        "d_model": 24,
        "d_kv": 7,
        "d_ff": 40,
        "num_layers": 2,
        "num_heads": 3,
        "relative_attention_num_buckets": 8,
        "relative_attention_max_distance": 7,
    },
    "vit": {**TOWER, "image_size": 16, "patch_size": 8, **SEVEN},
    "whisper": {
        **BART,
        "num_mel_bins": 10,
        "max_source_positions": 12,
        "max_target_positions": 16,
    },
}
IMAGES = {
    "clip": ((16, 16), (16, 16)),
    "vit": ((16, 16), (16, 16)),
    "swin": ((20, 20), (20, 20)),
    "segformer": ((32, 64), (48, 32)),
}


def composed(name):
    example = importlib.import_module(name)
    return getattr(example, name)(example.Config(**CONFIGS[name]))


def inputs(name, compiled, size):
    """Inputs of one of two sizes: the batch and lengths differ, and for some models images."""
    rng = np.random.default_rng(size)
    batch, length = ((2, 5), (3, 9))[size]
    data = {}
    for key in compiled.data_keys:
        if key == "pixel_values":
            height, width = IMAGES.get(name, ((64, 32), (33, 64)))[size]
            data[key] = rng.normal(size=(batch, 3, height, width)).astype(np.float32)
        elif key == "input_features":
            data[key] = rng.normal(size=(batch, 10, 24)).astype(np.float32)
        elif key.endswith("mask"):
            columns = length + 1 if key.startswith("decoder") else length
            lengths = np.array([columns, *range(2, batch + 1)])
            data[key] = np.arange(columns) < lengths[:, None]
        else:
            columns = length + 1 if key.startswith("decoder") else length
            most = 2 if key == "token_type_ids" else 60
            data[key] = rng.integers(0, most, (batch, columns))
            if name == "clip":
                data[key][:, -1] = 60
    return data
