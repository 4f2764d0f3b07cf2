"""Mamba: Gu and Dao, https://arxiv.org/abs/2312.00752."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of mamba-130m-hf."""

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


def before(x, steps, value):
    """x [N, L, ...] as it was so many steps before, `value` at the beginning."""
    padded = ml.Pad(pad_width=((0, 0), (steps, 0), *[(0, 0)] * (len(x.dims) - 2)), value=value)(x)
    return padded[:, : x.shape[1]]


def scan(decay, x, max_length):
    """h[t] = decay[t] * h[t - 1] + x[t] along axis 1, for at most `max_length` steps. Each round
    joins the results of neighbours, twice as far apart as before
    (https://doi.org/10.1145/7902.7903)."""
    for distance in (2**i for i in range((max_length - 1).bit_length())):
        x = decay * before(x, distance, 0.0) + x
        decay = decay * before(decay, distance, 1.0)
    return x


def convolution(x, config, name):
    """Of each channel of x [N, L, E] over the last `conv_kernel` steps."""
    size, taps = x.dims[2], config.conv_kernel
    weight = parameter(f"{name}.weight", size, 1, taps)
    y = sum(before(x, taps - 1 - i, 0.0) * weight[:, 0, i] for i in range(taps))
    return y + parameter(f"{name}.bias", size) if config.use_conv_bias else y


def selective_states(x, config, max_length, name):
    """Algorithm 2 of the paper for x [N, L, E]: the state [N, L, E, state_size] decays and takes
    its input by steps that depend on x."""
    size, states, rank = x.dims[2], config.state_size, config.time_step_rank
    projected = ml.Linear(rank + 2 * states, use_bias=False, name=f"{name}.x_proj")(x)
    step, into, out = ml.PrimitiveSplit(sizes=(rank, states, states), axis=-1)(projected)
    step = ml.Softplus()(ml.Linear(size, name=f"{name}.dt_proj")(step))
    rates = -parameter(f"{name}.A_log", size, states).exp()
    decay = (step[..., None] * rates).exp()
    state = scan(decay, (step * x)[..., None] * into[:, :, None], max_length)
    return (state * out[:, :, None]).sum(-1) + x * parameter(f"{name}.D", size)


def mixer(x, mask, config, max_length, name):
    size = config.expand * config.hidden_size
    x = ml.Where()(mask, x, 0.0)
    both = ml.Linear(2 * size, use_bias=config.use_bias, name=f"{name}.in_proj")(x)
    x, gate = ml.Split(2, axis=-1)(both)
    x = activation(config.hidden_act)(convolution(x, config, f"{name}.conv1d"))
    x = ml.Where()(mask, x, 0.0)
    y = selective_states(x, config, max_length, name) * activation(config.hidden_act)(gate)
    return ml.Linear(config.hidden_size, use_bias=config.use_bias, name=f"{name}.out_proj")(y)


def mamba(config, max_length=2048):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding), logits
    [N, L, vocab_size]. A text of more than `max_length` tokens is an error."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    within = ml.Gather()(ml.Tensor(np.ones(max_length, bool)), ml.Arange()(ids.shape[1]))
    allowed = (mask & within)[:, :, None]
    tokens = ml.Embedding(config.vocab_size, dim=config.hidden_size, name="embeddings")
    x = tokens(ids)
    for i in range(config.num_hidden_layers):
        y = norm(x, config, f"layers.{i}.norm")
        x = x + mixer(y, allowed, config, max_length, f"layers.{i}.mixer")
    x = norm(x, config, "norm_f")
    return ml.Model.create(logits=ml.Linear(use_bias=False)(input=x, weight=tokens.weight))
