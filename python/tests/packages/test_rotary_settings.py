"""Settings of rotary embeddings in config.json: the frequencies of transformers, and refusals."""

import importlib
import json
from pathlib import Path
from typing import Any

import llama
import mistral
import numpy as np
import pretrained
import pytest
import qwen2
import rotary

import mithril as ml

# As published. Those of Llama 3.1 and 3.2, Qwen2.5 and gpt-oss.
LLAMA_31 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
QWEN_25 = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
GPT_OSS = {
    "rope_type": "yarn",
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "original_max_position_embeddings": 4096,
    "truncate": False,
}
FIELDS: dict[str, dict[str, Any]] = {
    "default": {"rope_theta": 5e5},
    "linear": {"rope_scaling": {"type": "linear", "factor": 4.0}},
    "linear, newer": {"rope_parameters": {"rope_type": "linear", "rope_theta": 5e5, "factor": 4.0}},
    "llama 3.1": {"rope_theta": 5e5, "rope_scaling": LLAMA_31, "head_dim": 128},
    "llama 3.2": {"rope_scaling": LLAMA_31 | {"factor": 32.0, "rope_theta": 5e5}},
    "llama 3 of the length of the model": {
        "rope_scaling": {
            key: LLAMA_31[key] for key in LLAMA_31 if key != "original_max_position_embeddings"
        },
        "max_position_embeddings": 64,
    },
    "llama 3 of another length": {
        "rope_scaling": LLAMA_31,
        "original_max_position_embeddings": 64,
    },
    "yarn": {"rope_theta": 1e6, "rope_scaling": QWEN_25, "head_dim": 128},
    "yarn of a paper": {"rope_scaling": {**QWEN_25, "finetuned": True}},
    "yarn, not truncated": {"rope_parameters": GPT_OSS | {"rope_theta": 150000.0}},
    "yarn of an attention factor": {"rope_scaling": {**QWEN_25, "attention_factor": 0.75}},
    "yarn of scales": {"rope_scaling": {**QWEN_25, "mscale": 0.707, "mscale_all_dim": 0.5}},
    "yarn of one scale": {"rope_scaling": {**QWEN_25, "mscale": 0.707}},
    "yarn without a factor": {
        "rope_scaling": {**QWEN_25, "factor": None},
        "max_position_embeddings": 65536,
    },
    "yarn of a narrow range": {"rope_scaling": {**QWEN_25, "beta_fast": 2, "beta_slow": 2.0}},
    "scaling is read first": {
        "rope_scaling": {"type": "linear", "factor": 4.0},
        "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 5e5},
    },
}


def read(folder: Path, fields: dict[str, Any], example: Any = llama) -> Any:
    (folder / "config.json").write_text(json.dumps(fields))
    return pretrained.read_config(example.Config, folder)


@pytest.mark.parametrize("name", FIELDS)
def test_frequencies_are_those_of_transformers(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    agreement = importlib.import_module("agreement")
    fields = {"hidden_size": 64, "num_attention_heads": 1, **FIELDS[name]}
    rotation = rotary.rotation(read(tmp_path, fields))
    with agreement.everything_in_double():
        config = transformers.LlamaConfig.from_pretrained(tmp_path)
        layer = transformers.models.llama.modeling_llama.LlamaRotaryEmbedding(config)
    frequencies = rotation.frequencies
    if frequencies is None:
        frequencies = [rotation.theta ** (-i / 32) for i in range(32)]
    assert layer.inv_freq.dtype == torch.float64
    np.testing.assert_allclose(frequencies, layer.inv_freq.numpy(), rtol=1e-13)
    assert rotation.attention_factor == pytest.approx(layer.attention_scaling, rel=1e-15)


YARN = {"rope_type": "yarn", "factor": 4.0}
POSITIVE, NONE, TYPES = "a number above 0", "null", "default, linear, llama3, yarn"
# Settings: the one that is refused, what is expected and what was got.
REFUSED: list[tuple[dict[str, Any], tuple[str, str, str]]] = [
    ({"type": "dynamic", "factor": 2.0}, ("type", TYPES, '"dynamic"')),
    ({"rope_type": "longrope"}, ("rope_type", TYPES, '"longrope"')),
    ({"rope_type": ["linear"]}, ("rope_type", TYPES, '["linear"]')),
    ({"rope_type": "linear"}, ("factor", POSITIVE, "null")),
    ({"rope_type": "linear", "factor": 0}, ("factor", POSITIVE, "0")),
    ({"rope_type": "linear", "factor": "2"}, ("factor", POSITIVE, '"2"')),
    ({"rope_type": "linear", "factor": True}, ("factor", POSITIVE, "true")),
    ({**YARN, "beta_fast": -1}, ("beta_fast", POSITIVE, "-1")),
    ({**YARN, "rope_theta": 0}, ("rope_theta", POSITIVE, "0")),
    ({**YARN, "long_factor": [1.0]}, ("long_factor", NONE, "[1.0]")),
    ({**LLAMA_31, "beta_fast": 32}, ("beta_fast", NONE, "32")),
    ({"partial_rotary_factor": 0.5}, ("partial_rotary_factor", NONE, "0.5")),
    ({"full_attention": {"factor": 2}}, ("full_attention", NONE, '{"factor": 2}')),
    (
        {**LLAMA_31, "high_freq_factor": 1.0},
        ("high_freq_factor", "a number above low_freq_factor, 1.0", "1.0"),
    ),
]


@pytest.mark.parametrize(("settings", "says"), REFUSED)
@pytest.mark.parametrize("field", ["rope_scaling", "rope_parameters"])
def test_settings_that_no_model_has_are_refused(
    field: str, settings: dict[str, Any], says: tuple[str, str, str], tmp_path: Path
) -> None:
    key, expected, got = says
    for example in (llama, mistral, qwen2):
        with pytest.raises(ml.InputError) as raised:
            read(tmp_path, {field: settings}, example)
        assert str(raised.value) == (
            f"mithril.InputError[E0866]: config.json: {field}: {key}: the models of this package "
            f"do not have this setting\n  expected : {expected}\n  got      : {got}"
        )


def test_settings_without_effect_are_accepted(tmp_path: Path) -> None:
    for settings in (None, {}, {"type": "default"}, {"factor": None, "partial_rotary_factor": 1}):
        for field in ("rope_scaling", "rope_parameters"):
            config = read(tmp_path, {field: settings, "rope_theta": 500.0})
            assert rotary.rotation(config) == (500.0, None, 1.0)


def test_settings_that_are_no_object_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ml.InputError, match="rope_scaling: the models"):
        read(tmp_path, {"rope_scaling": "linear"})
