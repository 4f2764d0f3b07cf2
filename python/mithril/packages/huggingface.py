"""Packages of Hugging Face checkpoints, which have config.json and safetensors."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Backend, CompiledModel, Model, compile
from ..backends.cpu import CpuBackend
from .file_kinds import contents_of
from .package import save_package

__all__ = ["ARCHITECTURES", "Architecture", "create_package"]


class Architecture(NamedTuple):
    """The functions that compose the models of one `model_type` of config.json."""

    module: str  # of mithril.architectures: it has Config, NAMES and the function
    function: str
    family: str
    ignore: tuple[str, ...] = ()  # patterns of weights that the model does not read


ARCHITECTURES = {
    "bart": Architecture("bart", "bart", "EncoderDecoder"),
    "bert": Architecture("bert", "bert", "EncoderOnly"),
    "clip": Architecture("clip", "clip", "Multimodal"),
    "distilbert": Architecture("distilbert", "distilbert", "EncoderOnly"),
    "efficientnet": Architecture("efficientnet", "efficientnet", "Vision"),
    "gemma": Architecture("gemma", "gemma", "DecoderOnly"),
    "gpt2": Architecture("gpt2", "gpt2", "DecoderOnly"),
    "llama": Architecture("llama", "llama", "DecoderOnly"),
    "mamba": Architecture("mamba", "mamba", "DecoderOnly"),
    "mistral": Architecture("mistral", "mistral", "DecoderOnly"),
    "mobilenet_v2": Architecture("mobilenet_v2", "mobilenet_v2", "Vision"),
    "qwen2": Architecture("qwen2", "qwen2", "DecoderOnly"),
    "resnet": Architecture("resnet", "resnet", "Vision"),
    "roberta": Architecture("roberta", "roberta", "EncoderOnly"),
    "segformer": Architecture("segformer", "segformer", "Vision"),
    "swin": Architecture("swin", "swin", "Vision"),
    "t5": Architecture("t5", "t5", "EncoderDecoder"),
    "vit": Architecture("vit", "vit", "Vision"),
    "whisper": Architecture("whisper", "whisper", "Multimodal"),
}
# A BERT of sentence-transformers, whose modules.json lists the mean over tokens.
SENTENCE_ENCODER = Architecture("bert", "sentence_encoder", "EncoderOnly", ("pooler.dense.*",))

# Fields of config.json: the length of the texts for which a model was trained.
LENGTHS = ("max_position_embeddings", "n_positions")

# Files beside the weights that a user of the model needs.
ASSETS = re.compile(
    r"config\.json|generation_config\.json|preprocessor_config\.json|tokenizer.*\.(json|model)"
    r"|chat_template\.jinja"
    r"|special_tokens_map\.json|added_tokens\.json|vocab\.(txt|json)|merges\.txt|.*\.spm|LICEN[CS]E.*"
)


def create_package(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    name: str = "",
    revision: str = "",
    licence: str = "",
    origin: str = "",
    max_shard_bytes: int = 0,
    library: Mapping[str, int] | None = None,
) -> None:
    """Creates a package from a folder with config.json and model.safetensors, or its index.

    Args:
        source: path of the folder.
        target: path of the package.
        name: name of the package.
        revision: revision of the package.
        licence: licence. Without one it is that of the README.md in the folder.
        origin: where the folder comes from.
        max_shard_bytes: as in `save_package`.
        library: dict of sizes, such as {"N": 1, "L": 128}, for which a generated library is added.

    Raises:
        InputError: If the folder is not a checkpoint.
        NameError: If there is no architecture for its model_type.
    """
    folder = Path(source)
    found = composed(folder, CpuBackend())
    backends: Any = ()
    if library is not None:
        backends = {
            "cpu": {"library": _example(found.compiled, library)},
            "torch": None,
            "jax": None,
        }
    save_package(
        target,
        found.model,
        found.params,
        state=found.state,
        backends=backends,
        assets=[path for path in sorted(folder.iterdir()) if ASSETS.fullmatch(path.name)],
        name=name,
        revision=revision,
        model_type=found.fields["model_type"],
        family=found.family,
        licence=licence or _licence(folder),
        source=origin,
        sizes=_sizes(found.fields),
        max_shard_bytes=max_shard_bytes,
    )


def _example(compiled: CompiledModel, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Returns inputs whose named sizes are these."""

    def size(dim: int | str | None) -> int:
        if isinstance(dim, int):
            return dim
        name = str(dim)
        if name not in sizes:
            _core.unknown_name("E0605", "size among those of the library", name, list(sizes))
        return sizes[name]

    return {
        key: np.zeros([size(dim) for dim in compiled.shapes[key]], np.int64)
        for key in compiled.data_keys
    }


class ComposedCheckpoint(NamedTuple):
    """The model of a Hugging Face folder, with its parameters and state."""

    model: Model
    compiled: CompiledModel
    params: dict[str, Any]
    state: dict[str, Any]
    fields: dict[str, Any]  # of config.json
    family: str


def composed(folder: Path, backend: Backend, limit: int | None = None) -> ComposedCheckpoint:
    """Composes the model of a folder with config.json and model.safetensors, or its index.

    With a limit, a language model has a key-value cache of at most as many tokens, for one text.
    """
    fields = _config(folder)
    architecture = _architecture(folder, fields)
    example = import_module(f"mithril.architectures.{architecture.module}")
    model, shapes = composed_model(architecture, fields, limit)
    compiled = compile(model, backend, inference=True, shapes=shapes)
    weights = import_module("mithril.architectures.pretrained").read_weights(example, folder)
    ignore = list(architecture.ignore)
    if shapes:  # its state is a cache, which no checkpoint has
        params, state = (
            compiled.load_state_dict(weights, ignore=ignore),
            compiled.initial_state_dict,
        )
    else:
        params, state = compiled.load_state_dict(weights, ignore=ignore, return_state=True)
    return ComposedCheckpoint(model, compiled, params, state, fields, architecture.family)


def composed_model(
    architecture: Architecture, fields: Mapping[str, Any], limit: int | None = None
) -> tuple[Model, dict[str, Any]]:
    """Returns the model of the fields of a config.json, and the shapes to compile it for."""
    example = import_module(f"mithril.architectures.{architecture.module}")
    pretrained = import_module("mithril.architectures.pretrained")
    config = pretrained.config_from(example.Config, fields)
    compose = getattr(example, architecture.function)
    if limit is None or "limit" not in signature(compose).parameters:
        return compose(config), {}
    longest = [fields.get(key) for key in LENGTHS]
    rows = min([limit, *(size for size in longest if isinstance(size, int))])
    return compose(config, limit=rows), {"input_ids": [1, None]}


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        _core.raise_error(
            "InputError",
            "E0864",
            "the folder is not a checkpoint of Hugging Face",
            path=str(path),
            facts=[("why", str(error))],
            help="it needs config.json, and model.safetensors or its index",
        )
    if not isinstance(fields, dict) or not isinstance(fields.get("model_type"), str):
        _core.raise_error(
            "InputError",
            "E0864",
            "the folder is not a checkpoint of Hugging Face",
            path=str(path),
            facts=[("why", "the field model_type is missing")],
        )
    return fields


def _architecture(folder: Path, fields: dict[str, Any]) -> Architecture:
    kind = fields["model_type"]
    if kind not in ARCHITECTURES:
        _core.unknown_name("E0627", "architecture", kind, sorted(ARCHITECTURES))
    if kind == "bert":
        modes = _json_of(folder / "1_Pooling" / "config.json") or {}
        if modes.get("pooling_mode_mean_tokens") and _normalizes(folder):
            return SENTENCE_ENCODER
    return ARCHITECTURES[kind]


def _normalizes(folder: Path) -> bool:
    """Returns whether sentence-transformers normalizes the embeddings of this folder."""
    listed = _json_of(folder / "modules.json") or []
    return any(str(entry.get("type", "")).endswith("Normalize") for entry in listed)


def _json_of(path: Path) -> Any:
    """Returns the value of a JSON file; None if there is none. InputError E0830, E0864."""
    contents = contents_of(path)
    try:
        return None if contents is None else json.loads(contents)
    except ValueError as error:
        message = "this file of a checkpoint cannot be read as JSON"
        why = [("why", str(error))]
        _core.raise_error("InputError", "E0864", message, path=str(path), facts=why)


def _licence(folder: Path) -> str:
    """Returns the field `license` in the head of README.md."""
    text = (contents_of(folder / "README.md") or b"").decode(errors="replace")
    head = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    found = re.search(r"^license: *['\"]?([^'\"\n]+)", head[1], re.MULTILINE) if head else None
    return found[1].strip() if found else ""


def _sizes(fields: dict[str, Any]) -> dict[str, int]:
    """Returns the sizes of config.json that tools show: plain numbers."""
    wanted = re.compile(
        r"vocab_size|hidden_size|max_position_embeddings|n_(positions|embd|layer|head)|num_.*"
    )
    return {
        key: value
        for key, value in fields.items()
        if wanted.fullmatch(key) and isinstance(value, int) and not isinstance(value, bool)
    }
