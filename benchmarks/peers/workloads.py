"""The table of the workloads, with the work of each call."""

from dataclasses import dataclass
from typing import Literal

LEARNING_RATES = {"sgd": 1e-3, "adam": 1e-4}


@dataclass(frozen=True)
class Workload:
    title: str
    # The work of products and convolutions; a multiplication and an addition count as two.
    megaflops: float
    # The least memory traffic of a call: weights, inputs and results, and the optimizer's state,
    # each once where it is read and once where it is written.
    megabytes: float
    bound: float  # our time divided by the best peer's, at most
    optimizer: Literal["sgd", "adam"] | None = None  # where a step of training is measured
    has_attention: bool = False
    is_architecture: bool = False  # of examples/models, in benchmarks/peers/architectures.py

    @property
    def has_products(self) -> bool:
        return self.megaflops > 0


def architecture(
    title: str, megaflops: float, megabytes: float, bound: float = 1.0, has_attention: bool = True
) -> Workload:
    return Workload(
        title,
        megaflops,
        megabytes,
        bound,
        has_attention=has_attention,
        is_architecture=True,
    )


WORKLOADS = {
    "deepmlp_b1": Workload("21 x (Linear 64, Relu)", 0.172, 0.35, 0.35),
    "mlp_b1": Workload("MLP 784-512-256-10", 1.0701, 2.146, 0.75),
    "mlp_b64": Workload("the same, batch 64", 68.485, 2.347, 0.95),
    "gelu_chain_1m": Workload("gelu(x*a+b)*c+r, 2^20 elements", 0, 12.583, 0.65),
    "gelu_chain_16k": Workload("gelu(x*a+b)*c+r, 2^14 elements", 0, 0.197, 0.25),
    "softmax_1k": Workload("softmax 1024 x 1024", 0, 8.389, 0.75),
    "layernorm_1k": Workload("layer norm 1024 x 1024", 0, 8.397, 0.5),
    "bertmini_s128": Workload("BERT-mini, 128 tokens", 872.4, 13.03, 0.95, has_attention=True),
    "bertbase_s128": Workload("BERT-base, 128 tokens", 22347, 341.4, 0.95, has_attention=True),
    "gpt2_s64": Workload("GPT-2 small, 64 tokens", 15963, 507.9, 0.9, has_attention=True),
    "gpt2_decode": Workload("GPT-2 small, one token", 247.1, 494.8, 1.05, has_attention=True),
    "resnet18_b1": Workload("ResNet-18", 3628, 47.4, 0.75),
    "resnet50_b1": Workload("ResNet-50", 8178, 103.0, 0.92),
    "resnet50_b8": Workload("ResNet-50, batch 8", 65427, 107.3, 0.92),
    "train_mlp_b64": Workload("train MLP, batch 64, SGD", 154.1, 4.488, 0.7, "sgd"),
    "train_mlp_small_b32": Workload("train 64-64-64-10, batch 32, SGD", 1.434, 0.080, 0.3, "sgd"),
    "train_bertmini": Workload(
        "train BERT-mini, Adam", 2617, 264.3, 0.7, "adam", has_attention=True
    ),
    "mobilenet_v2": architecture("MobileNetV2", 601.6, 14.8, has_attention=False),
    "efficientnet_b0": architecture("EfficientNet-B0", 771.6, 21.9, has_attention=False),
    "vit_b16": architecture("ViT-B/16", 35128, 346.9),
    "swin_t": architecture("Swin-T", 8981, 114.0),
    "segformer_b0": architecture("SegFormer-B0, 512 x 512", 16776, 28.0),
    "clip_text": architecture("CLIP text, 77 tokens", 5959, 151.6),
    "whisper_tiny_encoder": architecture("Whisper-tiny encoder", 36938, 36.1),
    "t5_small_encoder": architecture("T5-small encoder, 128 tokens", 5033, 76.1),
    "minilm_s16": architecture("MiniLM, 16 tokens", 342.4, 44.0, 0.9),
    "minilm_s16_b16": architecture("the same, batch 16", 5478, 44.8, 0.9),
    "minilm_s128": architecture("MiniLM, 128 tokens", 2869, 44.4, 0.9),
    "minilm_s128_b16": architecture("the same, batch 16", 45907, 50.3, 0.9),
    "llama_160m_s256": architecture("Llama 160M, 256 tokens", 72981, 584.9),
    "llama_160m_s1": architecture("Llama 160M, one token", 275.7, 551.5),
}
