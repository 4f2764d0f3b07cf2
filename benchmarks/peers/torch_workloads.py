"""PyTorch's module, inputs and steps of training for a workload: the same in every process."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from benchmarks.peers.networks import (
    BasicBlock,
    Bottleneck,
    GeluChain,
    Mlp,
    ResNet,
    Transformer,
    TransformerSize,
    functional,
)
from benchmarks.peers.workloads import LEARNING_RATES, WORKLOADS

BERT_MINI = TransformerSize(30522, 256, 4, 4, 128)
BERT_BASE = TransformerSize(30522, 768, 12, 12, 128)
GPT2 = TransformerSize(50257, 768, 12, 12, 128, is_gpt=True)
GPT2_SHORT = TransformerSize(50257, 768, 12, 12, 64, is_gpt=True)
MLP = (784, 512, 256, 10)
SMALL_MLP = (64, 64, 64, 10)
DEEP_MLP = (64,) * 22
STEPS_OF_THE_REFERENCE = 4


@dataclass
class Problem:
    module: nn.Module
    inputs: list[torch.Tensor]
    target: torch.Tensor | None = None  # where it trains


def normal(*sizes: int) -> Callable[[], list[torch.Tensor]]:
    return lambda: [torch.randn(*sizes)]


def tokens(size: TransformerSize, count: int) -> Callable[[], list[torch.Tensor]]:
    return lambda: [torch.randint(0, size.vocabulary, (1, count))]


def pair(size: int) -> Callable[[], list[torch.Tensor]]:
    return lambda: [torch.randn(size), torch.randn(size)]


class Softmax(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1)


Maker = tuple[Callable[[bool], nn.Module], Callable[[], list[torch.Tensor]]]
# Functions that make the module, with or without fused attention, and the inputs.
MAKERS: dict[str, Maker] = {
    "deepmlp_b1": (lambda _: Mlp(DEEP_MLP), normal(1, 64)),
    "mlp_b1": (lambda _: Mlp(MLP), normal(1, 784)),
    "mlp_b64": (lambda _: Mlp(MLP), normal(64, 784)),
    "gelu_chain_1m": (lambda _: GeluChain(), pair(1 << 20)),
    "gelu_chain_16k": (lambda _: GeluChain(), pair(1 << 14)),
    "softmax_1k": (lambda _: Softmax(), normal(1024, 1024)),
    "layernorm_1k": (lambda _: nn.LayerNorm(1024), normal(1024, 1024)),
    "bertmini_s128": (lambda fused: Transformer(BERT_MINI, fused), tokens(BERT_MINI, 128)),
    "bertbase_s128": (lambda fused: Transformer(BERT_BASE, fused), tokens(BERT_BASE, 128)),
    "gpt2_s64": (lambda fused: Transformer(GPT2, fused), tokens(GPT2, 64)),
    "gpt2_decode": (lambda fused: Transformer(GPT2_SHORT, fused), tokens(GPT2_SHORT, 1)),
    "resnet18_b1": (lambda _: ResNet(BasicBlock, (2, 2, 2, 2)), normal(1, 3, 224, 224)),
    "resnet50_b1": (lambda _: ResNet(Bottleneck, (3, 4, 6, 3)), normal(1, 3, 224, 224)),
    "resnet50_b8": (lambda _: ResNet(Bottleneck, (3, 4, 6, 3)), normal(8, 3, 224, 224)),
    "train_mlp_b64": (lambda _: Mlp(MLP), normal(64, 784)),
    "train_mlp_small_b32": (lambda _: Mlp(SMALL_MLP), normal(32, 64)),
    "train_bertmini": (lambda fused: Transformer(BERT_MINI, fused), tokens(BERT_MINI, 128)),
}


def maker(name: str) -> Maker:
    if not WORKLOADS[name].is_architecture:
        return MAKERS[name]
    from benchmarks.peers import torch_architectures  # noqa: PLC0415  (transformers is slow)

    return (
        lambda fused: torch_architectures.module(name, fused),
        lambda: torch_architectures.inputs(name),
    )


def targets(name: str, inputs: list[torch.Tensor]) -> torch.Tensor:
    if name == "train_bertmini":
        return torch.randn(1, 128, BERT_MINI.width)
    return torch.randint(0, 10, (inputs[0].shape[0],))


def disturb_norms(module: nn.Module) -> None:
    """Randomises the parameters of norms, whose initial ones and zeros would hide mistakes."""
    norms = [part for part in module.modules() if isinstance(part, nn.BatchNorm2d | nn.LayerNorm)]
    for norm in norms:
        nn.init.uniform_(norm.weight, 0.5, 1.5)
        nn.init.normal_(norm.bias, std=0.1)
        if isinstance(norm, nn.BatchNorm2d):
            norm.running_mean.normal_(std=0.1)
            norm.running_var.uniform_(0.5, 1.5)


def problem(name: str, fused_attention: bool = False) -> Problem:
    torch.manual_seed(0)
    make_module, make_inputs = maker(name)
    module = make_module(fused_attention)
    disturb_norms(module)
    inputs = make_inputs()
    if WORKLOADS[name].optimizer is None:
        return Problem(module.eval(), inputs)
    return Problem(module.train(), inputs, targets(name, inputs))


def training_step(
    name: str, trained: Problem, compile_with: Callable[..., object] | None = None
) -> Callable[[], torch.Tensor]:
    """A step that gives its loss; eager with a fused optimizer, or compiled."""
    target = trained.target
    assert target is not None
    criterion = functional.mse_loss if target.is_floating_point() else functional.cross_entropy
    kind = WORKLOADS[name].optimizer
    assert kind is not None
    optimizer = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[kind](
        trained.module.parameters(), lr=LEARNING_RATES[kind], fused=compile_with is None
    )

    def forward() -> torch.Tensor:
        return criterion(trained.module(*trained.inputs), target)

    update: Callable[..., object] = optimizer.step
    if compile_with is not None:
        forward, update = compile_with(forward), compile_with(update)  # type: ignore[assignment]

    def step() -> torch.Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = forward()
        loss.backward()
        update()
        return loss

    return step
