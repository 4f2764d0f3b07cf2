"""The time of `ml.from_torch` beyond `torch.export`, for architectures of transformers at their
published sizes, without weights: all parameters of a module share one element. It is processor
time, to which other work on the machine adds little; both parts run on one thread.

Usage: python benchmarks/from_torch_conversion.py [MODEL...]
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import transformers as hf

import mithril as ml

BOUND = 2.0  # seconds beyond torch.export
VISION = {"pixel_values": (2, 3, 224, 224)}
TEXT = {"input_ids": (2, 16), "attention_mask": (2, 16)}
BOTH = {"input_ids": (2, 16), "decoder_input_ids": (2, 16)}


@dataclass
class Published:
    kind: Any  # the class in transformers
    config: Any
    inputs: dict[str, tuple[int, ...]]
    options: dict[str, Any] = field(default_factory=dict)


def resnet(depths: list[int], layer: str, sizes: list[int]) -> Published:
    options = {"depths": depths, "layer_type": layer, "hidden_sizes": sizes}
    return Published(hf.ResNetModel, hf.ResNetConfig, VISION, options)


def decoder(kind: Any, config: Any, **options: Any) -> Published:
    return Published(kind, config, TEXT, {"use_cache": False, **options})


NARROW, WIDE = [64, 128, 256, 512], [256, 512, 1024, 2048]
PUBLISHED = {
    "resnet18": resnet([2, 2, 2, 2], "basic", NARROW),
    "resnet34": resnet([3, 4, 6, 3], "basic", NARROW),
    "resnet50": resnet([3, 4, 6, 3], "bottleneck", WIDE),
    "mobilenet_v2": Published(hf.MobileNetV2Model, hf.MobileNetV2Config, VISION),
    "efficientnet_b0": Published(
        hf.EfficientNetModel,
        hf.EfficientNetConfig,
        VISION,
        {
            **{"width_coefficient": 1.0, "depth_coefficient": 1.0, "image_size": 224},
            "hidden_dim": 1280,
        },
    ),
    "vit_b16": Published(hf.ViTModel, hf.ViTConfig, VISION),
    "swin_t": Published(hf.SwinModel, hf.SwinConfig, VISION),
    "clip": Published(
        hf.CLIPModel,
        hf.CLIPConfig,
        {"input_ids": (2, 16), "attention_mask": (2, 16), **VISION},
    ),
    "bert_base": Published(hf.BertModel, hf.BertConfig, TEXT),
    "roberta_base": Published(
        hf.RobertaModel, hf.RobertaConfig, TEXT, {"max_position_embeddings": 514}
    ),
    "distilbert": Published(hf.DistilBertModel, hf.DistilBertConfig, TEXT),
    "gpt2": decoder(hf.GPT2LMHeadModel, hf.GPT2Config),
    "llama_7b": decoder(hf.LlamaForCausalLM, hf.LlamaConfig),
    "mistral_7b": decoder(hf.MistralForCausalLM, hf.MistralConfig),
    "qwen2_7b": decoder(hf.Qwen2ForCausalLM, hf.Qwen2Config),
    "gemma_7b": decoder(hf.GemmaForCausalLM, hf.GemmaConfig),
    "t5_small": Published(hf.T5Model, hf.T5Config, BOTH, {"use_cache": False}),
    "bart_large": Published(hf.BartModel, hf.BartConfig, BOTH, {"use_cache": False}),
    "whisper_tiny": Published(
        hf.WhisperModel,
        hf.WhisperConfig,
        {"input_features": (2, 80, 3000), "decoder_input_ids": (2, 16)},
        {"use_cache": False},
    ),
    "segformer_b0": Published(hf.SegformerModel, hf.SegformerConfig, VISION),
    "mamba_130m": Published(
        hf.MambaModel, hf.MambaConfig, {"input_ids": (2, 16)}, {"use_cache": False}
    ),
}


@contextmanager
def without_weights() -> Iterator[None]:
    """Makes modules allocate one element for each parameter, expanded to its shape. Buffers are
    unchanged."""
    register = torch.nn.Module.register_parameter

    def registered(module: Any, name: str, parameter: Any) -> None:
        if parameter is not None:
            empty = torch.zeros((), dtype=parameter.dtype).expand(parameter.shape)
            parameter = torch.nn.Parameter(empty)
        register(module, name, parameter)

    initialize = hf.PreTrainedModel.init_weights
    torch.nn.Module.register_parameter = registered  # type: ignore[method-assign]
    hf.PreTrainedModel.init_weights = lambda module: module.tie_weights()
    skipped = {name: getattr(torch.nn.init, name) for name in dir(torch.nn.init) if name[-1] == "_"}
    skipped = {name: value for name, value in skipped.items() if callable(value)}
    for name in skipped:
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)
    try:
        yield
    finally:
        torch.nn.Module.register_parameter = register  # type: ignore[method-assign]
        hf.PreTrainedModel.init_weights = initialize
        for name, value in skipped.items():
            setattr(torch.nn.init, name, value)


def example(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    if name == "attention_mask":
        return torch.ones(shape, dtype=torch.int64)
    return torch.zeros(shape, dtype=torch.int64) if name.endswith("ids") else torch.zeros(shape)


def seconds(case: Published) -> tuple[float, float]:
    """Returns the seconds of torch.export, and those of the rest of from_torch."""
    with without_weights():
        module = case.kind(case.config(**case.options)).eval()
    inputs = {name: example(name, shape) for name, shape in case.inputs.items()}
    exporting = 0.0
    export: Callable[..., Any] = torch.export.export

    def timed(*args: Any, **kwargs: Any) -> Any:
        nonlocal exporting
        begin = time.process_time()
        program = export(*args, **kwargs)
        exporting += time.process_time() - begin
        return program

    torch.export.export = timed  # type: ignore[assignment]
    try:
        begin = time.process_time()
        ml.from_torch(module, inputs)
        return exporting, time.process_time() - begin - exporting
    finally:
        torch.export.export = export


def main() -> int:
    warnings.simplefilter("ignore")
    hf.utils.logging.set_verbosity_error()
    slow = []
    print(f"{'model':16} {'torch.export':>12} {'beyond it':>10}")
    for name in sys.argv[1:] or PUBLISHED:
        exporting, rest = seconds(PUBLISHED[name])
        print(f"{name:16} {exporting:10.2f} s {rest:8.2f} s", flush=True)
        if rest > BOUND:
            slow.append(name)
    if slow:
        print(f"above {BOUND:g} s: {', '.join(slow)}")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
