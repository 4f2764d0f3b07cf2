"""Packages of checkpoints of Hugging Face, which are made here with the names of Hugging Face."""

import json
from pathlib import Path
from typing import Any

import bert
import gpt2
import llama
import numpy as np
import pretrained
import pytest
import safetensors.numpy
from mithril.packages.huggingface import create_package

import mithril as ml

TEXT = {
    "bert": {
        "vocab_size": 61,
        "max_position_embeddings": 16,
        "hidden_size": 24,
        "intermediate_size": 40,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
    },
    "gpt2": {"vocab_size": 61, "n_positions": 16, "n_embd": 24, "n_layer": 2, "n_head": 3},
    "llama": {
        "vocab_size": 61,
        "hidden_size": 32,
        "intermediate_size": 44,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    },
}
# As in Llama 3.1, for texts of more than 2 tokens.
SCALED = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 0.01,
    "high_freq_factor": 0.2,
    "original_max_position_embeddings": 2,
}
PREFIX = {"bert": "bert.", "gpt2": "transformer.", "llama": "model."}
MODULES = {"bert": bert, "gpt2": gpt2, "llama": llama}
FAMILY = {"bert": "EncoderOnly", "gpt2": "DecoderOnly", "llama": "DecoderOnly"}


def transposed(name: str) -> bool:
    return name.split(".")[-2] in {"c_attn", "c_proj", "c_fc"} and name.endswith("weight")


def checkpoint(folder: Path, kind: str, **settings: Any) -> tuple[Any, dict[str, Any]]:
    """Writes a checkpoint with random weights; returns the compiled model and its parameters."""
    example, settings = MODULES[kind], TEXT[kind] | settings
    model = getattr(example, kind)(example.Config(**settings))
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    params = compiled.randomize_params(3)
    weights = {}
    for name, array in params.items():
        stored = f"{'' if name.startswith('lm_head') else PREFIX[kind]}{name}"
        weights[stored] = np.ascontiguousarray(array.T) if transposed(name) else array
    safetensors.numpy.save_file(weights, folder / "model.safetensors")
    fields = {"model_type": kind, **settings}
    (folder / "config.json").write_text(json.dumps(fields))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "README.md").write_text("---\nlicense: mit\ntags: []\n---\n# A model\n")
    return compiled, params


def inputs(kind: str) -> dict[str, Any]:
    ids = np.array([[5, 7, 11, 13], [17, 19, 23, 0]])
    data = {"input_ids": ids, "attention_mask": ids > 0}
    return {**data, "token_type_ids": ids % 2} if kind == "bert" else data


@pytest.mark.parametrize("kind", TEXT)
def test_the_package_of_a_checkpoint_gives_its_answers(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    compiled, params = checkpoint(folder, kind)
    create_package(folder, tmp_path / "p", origin="a test")
    package = ml.load_package(tmp_path / "p")
    info = package.info
    assert info.model_type == kind
    assert info.family == FAMILY[kind]
    assert info.licence == "mit"
    assert info.source == "a test"
    assert {port.name: port.dtype for port in info.inputs}["input_ids"] == ml.int64
    assert all(port.shape == ["N", "L"] for port in info.inputs)
    assert info.sizes["vocab_size"] == 61
    assert package.assets == ["config.json", "tokenizer.json"]
    data = inputs(kind)
    expected = compiled.evaluate(params, data)
    got = package.compile(bind=False).evaluate(package.params, data)
    assert got.keys() == expected.keys()
    for key, array in expected.items():
        np.testing.assert_array_equal(got[key], array)


def test_the_package_of_a_scaled_model_gives_its_answers(tmp_path: Path) -> None:
    compiled, params = checkpoint(tmp_path, "llama", rope_scaling=SCALED)
    create_package(tmp_path, tmp_path / "p.zip")
    plain = ml.compile(llama.llama(llama.Config(**TEXT["llama"])), ml.CpuBackend(), inference=True)
    data = inputs("llama")
    got = ml.load_package(tmp_path / "p.zip").compile().evaluate({}, data)["logits"]
    np.testing.assert_array_equal(got, compiled.evaluate(params, data)["logits"])
    assert np.abs(got - plain.evaluate(params, data)["logits"]).max() > 1e-3


def test_a_sentence_encoder_is_recognised(tmp_path: Path) -> None:
    checkpoint(tmp_path, "bert")
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (tmp_path / "modules.json").write_text('[{"type": "sentence_transformers.models.Normalize"}]')
    create_package(tmp_path, tmp_path / "p.zip")
    package = ml.load_package(tmp_path / "p.zip")
    assert [port.name for port in package.info.outputs] == ["embedding"]
    embedding = package.compile().evaluate({}, inputs("bert"))["embedding"]
    np.testing.assert_allclose(np.linalg.norm(embedding, axis=1), 1, rtol=1e-6)


def test_a_file_of_a_checkpoint_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    checkpoint(tmp_path, "bert")
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    modules = tmp_path / "modules.json"
    modules.mkdir()  # no user can read it as a file
    with pytest.raises(ml.InputError, match="E0830") as raised:
        create_package(tmp_path, tmp_path / "made")
    assert str(modules) in str(raised.value)
    modules.rmdir()
    modules.write_text("[")
    with pytest.raises(ml.InputError, match="E0864") as raised:
        create_package(tmp_path, tmp_path / "made")
    assert f"{modules}: this file of a checkpoint cannot be read as JSON" in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "settings", "says"),
    [
        (
            "llama",
            {"rope_scaling": {"rope_type": "dynamic", "factor": 8.0}},
            ("rope_scaling: rope_type", "default, linear, llama3, yarn", '"dynamic"'),
        ),
        (
            "llama",
            {"rope_parameters": {"rope_type": "longrope", "rope_theta": 1e4}},
            ("rope_parameters: rope_type", "default, linear, llama3, yarn", '"longrope"'),
        ),
        ("gpt2", {"tie_word_embeddings": False}, ("tie_word_embeddings", "true", "false")),
        (
            "bert",
            {"position_embedding_type": "relative_key"},
            ("position_embedding_type", '"absolute"', '"relative_key"'),
        ),
        (
            "gpt2",
            {"scale_attn_by_inverse_layer_idx": True},
            ("scale_attn_by_inverse_layer_idx", "false", "true"),
        ),
    ],
)
def test_a_setting_that_no_model_has_is_an_error(
    tmp_path: Path, kind: str, settings: dict[str, Any], says: tuple[str, str, str]
) -> None:
    checkpoint(tmp_path, kind)
    config = tmp_path / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | settings))
    with pytest.raises(ml.InputError) as raised:
        create_package(tmp_path, tmp_path / "made")
    field, expected, got = says
    assert str(raised.value) == (
        f"mithril.InputError[E0866]: config.json: {field}: the models of this package do not have "
        f"this setting\n  expected : {expected}\n  got      : {got}"
    )
    assert not (tmp_path / "made").exists()


def test_a_rotary_embedding_of_another_type_is_refused_wherever_a_configuration_is_read(
    tmp_path: Path,
) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"rope_scaling": {"rope_type": "dynamic"}}))
    with pytest.raises(ml.InputError) as raised:
        pretrained.read_config(llama.Config, tmp_path)
    assert str(raised.value).startswith(
        "mithril.InputError[E0866]: config.json: rope_scaling: rope_type: the models of this "
        "package do not have this setting"
    )


def test_an_unknown_activation_is_an_error(tmp_path: Path) -> None:
    checkpoint(tmp_path, "llama")
    config = tmp_path / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"hidden_act": "silo"}))
    with pytest.raises(ml.NameError, match="there is no activation 'silo'"):
        create_package(tmp_path, tmp_path / "made")


def test_the_modules_of_the_package_are_those_of_the_examples() -> None:
    from mithril.architectures import bert as packaged  # noqa: PLC0415

    assert Path(packaged.__file__).resolve() == Path(bert.__file__).resolve()
