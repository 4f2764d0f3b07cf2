"""Our CPU backend on the models of examples/models."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pretrained import config_from, read_config, read_weights

import mithril as ml
from benchmarks.peers.architectures import ARCHITECTURES
from benchmarks.peers.variants import Loaded, Variant

VERSION = ml.__version__


def example(name: str) -> Any:
    """The module of examples/models with the architecture of a workload."""
    return importlib.import_module(ARCHITECTURES[name].example)


def text_inputs() -> tuple[Any, Any]:
    return (
        ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"]),
        ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"]),
    )


def bert(found: Any, config: Any) -> ml.Model:
    return ml.Model.create(last_hidden_state=found.hidden_states(*found.inputs(), config))


def clip(found: Any, config: Any) -> ml.Model:
    ids, mask = text_inputs()
    return ml.Model.create(pooler_output=found.text_features(ids, mask, config))


def whisper(found: Any, config: Any) -> ml.Model:
    shape = ["N", config.num_mel_bins, 2 * config.max_source_positions]
    features = ml.IOKey("input_features", shape=shape)
    return ml.Model.create(last_hidden_state=found.encoder(features, config))


def t5(found: Any, config: Any) -> ml.Model:
    ids, mask = text_inputs()
    x = ml.Embedding(config.vocab_size, dim=config.d_model, name="shared")(ids)
    return ml.Model.create(
        last_hidden_state=found.stack(x, mask, None, None, config, "encoder"),
    )


# Parts of an example; other architectures are the function with the name of the file.
PARTS = {"bert": bert, "clip": clip, "whisper": whisper, "t5": t5}


def config_class(name: str) -> Any:
    found = example(name)
    return found.TextConfig if ARCHITECTURES[name].example == "clip" else found.Config


def published_config(name: str) -> Any:
    """The configuration of a workload, without a checkpoint."""
    fields = dict(ARCHITECTURES[name].fields)
    if labels := fields.pop("num_labels", 0):
        fields["id2label"] = dict.fromkeys(range(int(str(labels))))
    return config_from(config_class(name), fields)


def compose(name: str, config: Any) -> ml.Model:
    found, file = example(name), ARCHITECTURES[name].example
    if file in PARTS:
        return PARTS[file](found, config)
    model: ml.Model = getattr(found, file)(config)
    return model


def compile_for(name: str, config: Any, backend: ml.CpuBackend) -> ml.CompiledModel:
    shapes = {key: list(given.shape) for key, given in ARCHITECTURES[name].inputs.items()}
    model = compose(name, config)
    return ml.compile(model, backend, inference=True, data_keys=list(shapes), shapes=shapes)


def load(name: str, variant: Variant, threads: int, folder: Path) -> Callable[[], Loaded]:
    arrays = np.load(folder / "inputs.npz")
    asked = ARCHITECTURES[name]
    inputs = {key: arrays[f"x{index}"] for index, key in enumerate(asked.inputs)}
    checkpoint = folder / "checkpoint"
    config = read_config(config_class(name), checkpoint)
    weights = read_weights(example(name), checkpoint)
    backend = ml.CpuBackend(
        threads=threads,
        use_amp=variant.has("bfloat16") and not variant.has("weights"),
        weight_dtype=ml.bfloat16 if variant.has("weights") else None,
    )

    def loaded() -> Loaded:
        compiled = compile_for(name, config, backend)
        state = compiled.initial_state_dict
        state |= {key: weights[key] for key in state if key in weights}
        params = {key: weights[key] for key in compiled.parameter_keys}
        bound = compiled.bind(compiled.load_state_dict(params), state)
        return Loaded(
            lambda: bound.evaluate({}, inputs),
            lambda outputs: np.asarray(outputs[asked.output]),
        )

    return loaded
