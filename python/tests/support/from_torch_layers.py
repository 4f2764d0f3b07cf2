"""A case of each layer of torch.nn, and of its options, for `ml.from_torch`."""

from typing import Any

import torch
from from_torch_cases import Case, normal
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

ROW, PLANE, SPACE = normal(2, 4, 9), normal(2, 4, 7, 6), normal(2, 4, 5, 6, 4)
TABLE, OTHER, THIRD = normal(3, 5), normal(3, 7)[:, :5] * 2, normal(3, 9)[:, 4:] + 1
SEQUENCE, MEMORY = normal(5, 2, 8), normal(3, 2, 8)
CLASSES, CHANCES = torch.tensor([1, 0, 4]), TABLE.sigmoid()
SIGNS, ONE_SIGN = TABLE.sign(), torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
WORDS = torch.tensor([[0, 4, 2], [4, 1, 3]])
LABELS = torch.tensor([[3, 0, -1, 1, 2], [1, -1, 0, 0, 0], [0, 1, 2, 3, 4]])
ROWS_OF_CLASSES = torch.tensor([[1, 0, 2, 3, 1, 0, 2, 3, 1], [0, 0, 3, 1, 2, 2, 1, 0, 3]])


def case(kind: Any, /, *inputs: Any, train: bool = False, **options: Any) -> Case:
    positional = options.pop("given", ())
    return Case(lambda: kind(*positional, **options), inputs, train)


def by_rank(kinds: list[Any], *given: Any, **options: Any) -> dict[str, Case]:
    """Returns a case for each of the kinds, which have 1, 2 and 3 axes."""
    data = (ROW, PLANE, SPACE)[-len(kinds) :]
    return {
        kind.__name__: case(kind, x, given=given, **options)
        for kind, x in zip(kinds, data, strict=True)
    }


def padded(name: str, given: Any) -> dict[str, Case]:
    kinds = [getattr(nn, f"{name}Pad{rank}d") for rank in (1, 2, 3)]
    extra = (1.5,) if name == "Constant" else ()
    return {
        kind.__name__: case(kind, x, given=(widths, *extra))
        for kind, x, widths in zip(kinds, (ROW, PLANE, SPACE), given, strict=True)
    }


ELEMENTWISE = {
    kind.__name__: case(kind, TABLE)
    for kind in (
        *(nn.CELU, nn.ELU, nn.GELU, nn.Hardshrink, nn.Hardtanh, nn.Identity, nn.LeakyReLU),
        *(nn.LogSigmoid, nn.Mish, nn.PReLU, nn.ReLU, nn.ReLU6, nn.SELU, nn.SiLU, nn.Sigmoid),
        *(nn.Softplus, nn.Softshrink, nn.Softsign, nn.Tanh, nn.Tanhshrink, nn.RReLU),
        *(nn.Dropout, nn.Dropout1d, nn.AlphaDropout, nn.FeatureAlphaDropout),
    )
}
ELEMENTWISE |= {
    # Torch computes their slopes with a sixth in float32.
    "Hardsigmoid": Case(nn.Hardsigmoid, (TABLE,), tolerance=1e-7),
    "Hardswish": Case(nn.Hardswish, (TABLE,), tolerance=1e-7),
    "Dropout2d": case(nn.Dropout2d, PLANE),
    "Dropout3d": case(nn.Dropout3d, SPACE),
    "GLU": case(nn.GLU, PLANE, dim=1),
    "Threshold": case(nn.Threshold, TABLE, given=(0.1, 20.0)),
    "Softmax": case(nn.Softmax, TABLE, dim=1),
    "Softmax2d": case(nn.Softmax2d, PLANE),
    "Softmin": case(nn.Softmin, TABLE, dim=0),
    "LogSoftmax": case(nn.LogSoftmax, TABLE, dim=1),
    "GELU, tanh": case(nn.GELU, TABLE, approximate="tanh"),
    "PReLU of channels": case(nn.PReLU, PLANE, num_parameters=4),
    "Softplus, steep": case(nn.Softplus, TABLE * 10, beta=2.0, threshold=5.0),
}

SHAPES = {
    "Flatten": case(nn.Flatten, PLANE),
    "Unflatten": case(nn.Unflatten, PLANE, given=(1, (2, 2))),
    "ChannelShuffle": case(nn.ChannelShuffle, PLANE, groups=2),
    "PixelShuffle": case(nn.PixelShuffle, PLANE, given=(2,)),
    "PixelUnshuffle": case(nn.PixelUnshuffle, PLANE[..., :6, :], given=(2,)),
    "Fold": case(nn.Fold, normal(2, 3 * 4, 12), output_size=(5, 4), kernel_size=2),
    "Unfold": case(nn.Unfold, PLANE, kernel_size=(2, 3), padding=1, stride=2, dilation=(2, 1)),
    **padded("Zero", (2, (1, 2, 0, 1), (1, 0, 2, 1, 0, 1))),
    **padded("Constant", ((2, 1), (1, -1, 0, 1), (1, 0, 2, 1, 0, 1))),
    **padded("Reflection", (3, (1, 2, 3, 1), (1, 2, 2, 1, 3, 1))),
    **padded("Replication", (3, (1, 2, 3, 1), (1, 2, 2, 1, 3, 1))),
    **padded("Circular", (3, (1, 2, 3, 1), (1, 2, 2, 1, 3, 1))),
    "Upsample": case(nn.Upsample, PLANE, size=(11, 5)),
    "Upsample, linear": case(nn.Upsample, ROW, scale_factor=1.7, mode="linear"),
    "Upsample, bilinear": case(nn.Upsample, PLANE, size=(10, 4), mode="bilinear"),
    "Upsample, bicubic": case(nn.Upsample, PLANE, size=(10, 4), mode="bicubic"),
    "Upsample, trilinear": case(
        nn.Upsample, SPACE, scale_factor=2, mode="trilinear", align_corners=True
    ),
    "UpsamplingNearest2d": case(nn.UpsamplingNearest2d, PLANE, scale_factor=2),
    "UpsamplingBilinear2d": case(nn.UpsamplingBilinear2d, PLANE, size=(9, 9)),
}

CONVOLUTIONS = {
    **by_rank([nn.Conv1d, nn.Conv2d, nn.Conv3d], 4, 6, 3, 2, 1, 1, 2),
    **by_rank([nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d], 4, 6, 3, 2, 1, 1, 2),
    "Conv2d, same": case(nn.Conv2d, PLANE, given=(4, 2, (2, 3)), padding="same", dilation=2),
    "Conv3d, dilated": case(nn.Conv3d, SPACE, given=(4, 2, 2), dilation=(2, 1, 2), bias=False),
    **{
        f"Conv{x.dim() - 2}d, {mode}": case(
            getattr(nn, f"Conv{x.dim() - 2}d"), x, given=(4, 2, 3), padding=2, padding_mode=mode
        )
        for x, mode in ((ROW, "reflect"), (PLANE, "replicate"), (SPACE, "circular"))
    },
    "Conv2d without a batch": case(nn.Conv2d, PLANE[0], given=(4, 2, 3)),
    "Linear": case(nn.Linear, TABLE, given=(5, 2)),
    "Bilinear": case(nn.Bilinear, TABLE, THIRD[:, :4], given=(5, 4, 3)),
    "Embedding": case(nn.Embedding, WORDS, given=(5, 3)),
    "Embedding, padding": case(nn.Embedding, WORDS, given=(5, 3), padding_idx=4),
    "Embedding, max_norm": case(nn.Embedding, WORDS, given=(5, 3), max_norm=1.0),
    "EmbeddingBag": case(nn.EmbeddingBag, WORDS, given=(5, 3)),
    "EmbeddingBag, sum": case(
        nn.EmbeddingBag, WORDS.flatten(), torch.tensor([0, 1, 4]), given=(5, 3), mode="sum"
    ),
    "EmbeddingBag, max": case(nn.EmbeddingBag, WORDS, given=(5, 3), mode="max"),
    "EmbeddingBag, max with padding": case(
        nn.EmbeddingBag,
        WORDS.flatten(),
        torch.tensor([0, 1, 1, 4]),
        given=(5, 3),
        mode="max",
        padding_idx=2,
    ),
}

NORMS = {
    **by_rank([nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d], 4, train=True),
    **by_rank([nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d], 4, affine=True),
    "InstanceNorm2d with statistics": case(
        nn.InstanceNorm2d, PLANE, given=(4,), track_running_stats=True
    ),
    "InstanceNorm2d in training": case(
        nn.InstanceNorm2d, PLANE, given=(4,), track_running_stats=True, train=True
    ),
    "BatchNorm2d in evaluation": case(nn.BatchNorm2d, PLANE, given=(4,)),
    "SyncBatchNorm": case(nn.SyncBatchNorm, PLANE, given=(4,)),
    "LayerNorm": case(nn.LayerNorm, PLANE, given=((7, 6),)),
    "GroupNorm": case(nn.GroupNorm, PLANE, given=(2, 4)),
    "RMSNorm": case(nn.RMSNorm, TABLE, given=(5,)),
    "LocalResponseNorm": case(nn.LocalResponseNorm, PLANE, given=(3,)),
    "CrossMapLRN2d": case(nn.CrossMapLRN2d, PLANE, given=(3,)),
}

POOLS = {
    **by_rank([nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d], 3, 2, 1, dilation=1, ceil_mode=True),
    **by_rank([nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d], 3, 2, 1, ceil_mode=True),
    **by_rank([nn.LPPool1d, nn.LPPool2d, nn.LPPool3d], 2, 2, ceil_mode=True),
    **by_rank([nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d], 3),
    **by_rank([nn.AdaptiveMaxPool1d, nn.AdaptiveMaxPool2d, nn.AdaptiveMaxPool3d], 3),
    "AvgPool2d, divisor": case(nn.AvgPool2d, PLANE, given=(3, 2, 1), divisor_override=4),
    "AvgPool2d without padding": case(
        nn.AvgPool2d, PLANE, given=(3, 2, 1, True), count_include_pad=False
    ),
    "AdaptiveAvgPool2d of one axis": case(nn.AdaptiveAvgPool2d, PLANE, given=((None, 4),)),
    "MaxPool2d, dilated": case(nn.MaxPool2d, PLANE, given=(2, 1, 1, 2)),
    "FractionalMaxPool2d": case(nn.FractionalMaxPool2d, PLANE, given=(2, (3, 3))),
    "FractionalMaxPool3d": case(nn.FractionalMaxPool3d, SPACE, given=(2, (2, 3, 2))),
}


class Unpooled(nn.Module):
    """Pools and unpools the input: the result has zeros beside the maxima."""

    def __init__(self, rank: int) -> None:
        super().__init__()
        self.pool = getattr(nn, f"MaxPool{rank}d")(2, return_indices=True)
        self.unpool = getattr(nn, f"MaxUnpool{rank}d")(2)

    def forward(self, x: Any) -> Any:
        values, places = self.pool(x)
        return self.unpool(values * 2, places, x.shape[2:])


UNPOOLED = {
    f"MaxUnpool{i + 1}d": case(Unpooled, x, rank=i + 1) for i, x in enumerate((ROW, PLANE, SPACE))
}


class Recurrent(nn.Module):
    """The outputs and the last states, flat."""

    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.layer = kind(8, 6, **options)

    def forward(self, x: Any) -> Any:
        outputs, states = self.layer(x)
        return (outputs, *(states if isinstance(states, tuple) else (states,)))


class Packed(nn.Module):
    """A recurrent layer that reads packed sequences."""

    def __init__(self, layer: nn.Module, **options: Any) -> None:
        super().__init__()
        self.layer, self._options = layer, options

    def forward(self, x: Any, lengths: Any) -> Any:
        is_first = self.layer.batch_first
        packed = pack_padded_sequence(x, lengths, is_first, enforce_sorted=False)
        output, state = self.layer(packed)
        output = pad_packed_sequence(output, is_first, **self._options)[0]
        return output, *(state if isinstance(state, tuple) else (state,))


LENGTHS = torch.tensor([3, 5])
RECURRENT = {
    "RNN, packed": Case(lambda: Packed(nn.RNN(8, 3)), (SEQUENCE, LENGTHS)),
    "LSTM, packed": Case(
        lambda: Packed(
            nn.LSTM(8, 4, 2, batch_first=True, bidirectional=True, proj_size=3), total_length=6
        ),
        (SEQUENCE.transpose(0, 1), LENGTHS),
    ),
    "GRU, packed": Case(
        lambda: Packed(nn.GRU(8, 4, bidirectional=True), padding_value=-1.5, total_length=5),
        (SEQUENCE, LENGTHS - 1),
    ),
    **{kind.__name__: case(Recurrent, SEQUENCE, kind=kind) for kind in (nn.RNN, nn.LSTM, nn.GRU)},
    **{
        f"{kind.__name__}, two layers both ways": case(
            Recurrent, SEQUENCE, kind=kind, num_layers=2, bidirectional=True, batch_first=True
        )
        for kind in (nn.RNN, nn.LSTM, nn.GRU)
    },
    "LSTM, projected": case(Recurrent, SEQUENCE, kind=nn.LSTM, proj_size=3, bias=False),
    "RNN, relu": case(Recurrent, SEQUENCE, kind=nn.RNN, nonlinearity="relu"),
    "RNNCell": case(nn.RNNCell, TABLE, given=(5, 4)),
    "LSTMCell": case(nn.LSTMCell, TABLE, given=(5, 4)),
    "GRUCell": case(nn.GRUCell, TABLE, THIRD[:, :4], given=(5, 4)),
    "MultiheadAttention": case(nn.MultiheadAttention, SEQUENCE, MEMORY, MEMORY, given=(8, 2)),
    "MultiheadAttention, more keys": case(
        nn.MultiheadAttention, *(SEQUENCE,) * 3, given=(8, 2), add_bias_kv=True, add_zero_attn=True
    ),
    "TransformerEncoderLayer": case(nn.TransformerEncoderLayer, SEQUENCE, given=(8, 2, 16)),
    "TransformerDecoderLayer": case(nn.TransformerDecoderLayer, SEQUENCE, MEMORY, given=(8, 2, 16)),
    "TransformerEncoder": Case(
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16), 2, enable_nested_tensor=False
        ),
        (SEQUENCE,),
    ),
    "TransformerDecoder": Case(
        lambda: nn.TransformerDecoder(
            nn.TransformerDecoderLayer(8, 2, 16, 0.0), 2, nn.LayerNorm(8)
        ),
        (SEQUENCE, MEMORY),
        train=True,
    ),
    "Transformer": case(nn.Transformer, SEQUENCE, MEMORY, given=(8, 2, 1, 1, 16, 0.0), train=True),
}

PAIRED = {
    "CosineSimilarity": case(nn.CosineSimilarity, TABLE, OTHER),
    "PairwiseDistance": case(nn.PairwiseDistance, TABLE, OTHER),
}


def distance(x: Any, y: Any) -> Any:
    return (x - y).abs().sum(-1)


class Adaptive(nn.Module):
    """The log-likelihoods of all classes, of which the loss picks one per row."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.AdaptiveLogSoftmaxWithLoss(5, 9, [3, 6], div_value=2.0)

    def forward(self, x: Any) -> Any:
        return self.layer.log_prob(x)


class Recognized(nn.Module):
    """The CTC loss of labels, of which each sample has a number of its own."""

    def __init__(self, labels: Any, **options: Any) -> None:
        super().__init__()
        self.loss, self._labels = nn.CTCLoss(**options), labels

    def forward(self, x: Any, steps: Any) -> Any:
        return self.loss(x.log_softmax(-1), self._labels, steps, torch.tensor([2, 1]))


PAIRS = torch.tensor([[3, 3], [1, 0]])
LOSSES = {
    "CTCLoss": Case(lambda: Recognized(PAIRS), (SEQUENCE, LENGTHS)),
    "CTCLoss, sum": Case(lambda: Recognized(PAIRS, reduction="sum", blank=7), (SEQUENCE, LENGTHS)),
    "CTCLoss, zero_infinity": Case(
        lambda: Recognized(PAIRS, reduction="none", zero_infinity=True), (SEQUENCE, LENGTHS - 1)
    ),
    "L1Loss": case(nn.L1Loss, TABLE, OTHER),
    "MSELoss": case(nn.MSELoss, TABLE, OTHER, reduction="sum"),
    "SmoothL1Loss": case(nn.SmoothL1Loss, TABLE, OTHER, beta=0.5),
    "HuberLoss": case(nn.HuberLoss, TABLE, OTHER, delta=0.5),
    "BCELoss": case(nn.BCELoss, CHANCES, CHANCES.flip(0)),
    "BCEWithLogitsLoss": case(nn.BCEWithLogitsLoss, TABLE, CHANCES, pos_weight=CHANCES[0]),
    "KLDivLoss": case(nn.KLDivLoss, TABLE, CHANCES, reduction="batchmean"),
    "NLLLoss": case(nn.NLLLoss, TABLE, CLASSES, weight=CHANCES[0], ignore_index=4),
    "NLLLoss of planes": case(nn.NLLLoss, ROW, ROWS_OF_CLASSES),
    "CrossEntropyLoss": case(nn.CrossEntropyLoss, TABLE, CLASSES, label_smoothing=0.1),
    "CrossEntropyLoss of chances": case(nn.CrossEntropyLoss, TABLE, CHANCES),
    "CrossEntropyLoss of planes": case(
        nn.CrossEntropyLoss, ROW, ROWS_OF_CLASSES, weight=CHANCES[0, :4], ignore_index=2
    ),
    "PoissonNLLLoss": case(nn.PoissonNLLLoss, TABLE, CHANCES, full=True),
    "GaussianNLLLoss": case(nn.GaussianNLLLoss, TABLE, OTHER, CHANCES, full=True),
    "SoftMarginLoss": case(nn.SoftMarginLoss, TABLE, SIGNS.long()),
    "HingeEmbeddingLoss": case(nn.HingeEmbeddingLoss, TABLE, SIGNS),
    "CosineEmbeddingLoss": case(nn.CosineEmbeddingLoss, TABLE, OTHER, ONE_SIGN, margin=0.1),
    "MarginRankingLoss": case(nn.MarginRankingLoss, TABLE[:, 0], OTHER[:, 1], ONE_SIGN, margin=0.5),
    "MultiLabelSoftMarginLoss": case(nn.MultiLabelSoftMarginLoss, TABLE, (SIGNS > 0).double()),
    "MultiLabelMarginLoss": case(nn.MultiLabelMarginLoss, TABLE, LABELS),
    "MultiMarginLoss": case(nn.MultiMarginLoss, TABLE, CLASSES, p=2, margin=0.5),
    "TripletMarginLoss": case(nn.TripletMarginLoss, TABLE, OTHER, THIRD, swap=True),
    "TripletMarginWithDistanceLoss": case(
        nn.TripletMarginWithDistanceLoss, TABLE, OTHER, THIRD, distance_function=distance
    ),
    "AdaptiveLogSoftmaxWithLoss": Case(Adaptive, (TABLE,)),
}

LAYERS: dict[str, Case] = {
    **ELEMENTWISE,
    **SHAPES,
    **CONVOLUTIONS,
    **NORMS,
    **POOLS,
    **UNPOOLED,
    **RECURRENT,
    **PAIRED,
    **LOSSES,
}

# Classes that are not layers, or become one when they are called first.
OTHERS = (
    *("Container", "Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList"),
    *("Sequential", "RNNBase", "RNNCellBase", "NLLLoss2d"),
)

# What the error says about a layer that cannot be converted.
REFUSED = {
    "CrossMapLRN2d": "torch.export : RuntimeError: Attempted to set the storage",
    "Embedding, max_norm": "aten.embedding_renorm: no op of Mithril computes it",
    "FractionalMaxPool2d": "aten.fractional_max_pool2d: no op of Mithril computes it",
    "FractionalMaxPool3d": "aten.fractional_max_pool3d: no op of Mithril computes it",
    "GaussianNLLLoss": "torch.export : GuardOnDataDependentSymNode",
}


def kinds() -> list[str]:
    """The layers of torch.nn."""
    names = nn.modules.__all__
    return [name for name in names if name not in OTHERS and not name.startswith("Lazy")]
