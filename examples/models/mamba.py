"""Mamba: Gu and Dao, https://arxiv.org/abs/2312.00752."""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of mamba-130m-hf."""

    requires: ClassVar = {"tie_word_embeddings": True}

    vocab_size: int = 50280
    hidden_size: int = 768
    state_size: int = 16
    num_hidden_layers: int = 24
    layer_norm_epsilon: float = 1e-5
    expand: int = 2
    conv_kernel: int = 4
    use_bias: bool = False
    use_conv_bias: bool = True
    hidden_act: str = "silu"
    time_step_rank: int | str = "auto"

    def __post_init__(self):
        if self.time_step_rank == "auto":
            self.time_step_rank = ceil(self.hidden_size / 16)


# Hugging Face's names: ours.
NAMES = {
    r"^backbone\.": "",
    r"lm_head\.weight": None,  # embeddings.weight
}


def norm(x, config, name):
    return ml.RMSNorm(eps=config.layer_norm_epsilon, name=name)(x)


def parameter(name, *shape):
    return ml.IOKey(name, shape=list(shape), differentiable=True)


def convolution(x, config, name):
    """Convolves each channel of x [N, L, E] over the last `conv_kernel` steps."""
    size, taps = x.dims[2], config.conv_kernel
    weight = parameter(f"{name}.weight", size, 1, taps)
    padded = ml.Pad(pad_width=((0, 0), (taps - 1, 0), (0, 0)))(x)
    y = sum(padded[:, i : i + x.shape[1]] * weight[:, 0, i] for i in range(taps))
    return y + parameter(f"{name}.bias", size) if config.use_conv_bias else y


def selective_states(x, config, name):
    """Algorithm 2 of the paper for x [N, L, E]: the state [N, L, E, state_size] decays and takes
    its input by steps that depend on x."""
    size, states, rank = x.dims[2], config.state_size, config.time_step_rank
    projected = ml.Linear(rank + 2 * states, use_bias=False, name=f"{name}.x_proj")(x)
    step, into, out = ml.PrimitiveSplit(sizes=(rank, states, states), axis=-1)(projected)
    step = ml.Softplus()(ml.Linear(size, name=f"{name}.dt_proj")(step))
    rates = -parameter(f"{name}.A_log", size, states).exp()
    decay = (step[..., None] * rates).exp()
    state = ml.LinearScan(axis=1)((step * x)[..., None] * into[:, :, None], decay)
    return (state * out[:, :, None]).sum(-1) + x * parameter(f"{name}.D", size)


def mixer(x, mask, config, name):
    size = config.expand * config.hidden_size
    x = ml.Where()(mask, x, 0.0)
    both = ml.Linear(2 * size, use_bias=config.use_bias, name=f"{name}.in_proj")(x)
    x, gate = ml.Split(2, axis=-1)(both)
    x = activation(config.hidden_act)(convolution(x, config, f"{name}.conv1d"))
    x = ml.Where()(mask, x, 0.0)
    y = selective_states(x, config, name) * activation(config.hidden_act)(gate)
    return ml.Linear(config.hidden_size, use_bias=config.use_bias, name=f"{name}.out_proj")(y)


def mamba(config):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding), logits
    [N, L, vocab_size]."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    tokens = ml.Embedding(config.vocab_size, dim=config.hidden_size, name="embeddings")
    x = tokens(ids)
    for i in range(config.num_hidden_layers):
        y = norm(x, config, f"layers.{i}.norm")
        x = x + mixer(y, mask[:, :, None], config, f"layers.{i}.mixer")
    x = norm(x, config, "norm_f")
    return ml.Model.create(logits=ml.Linear(use_bias=False)(input=x, weight=tokens.weight))
