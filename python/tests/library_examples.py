"""An example of every library model for each thing that its arguments can say.

The arguments, and what is evaluated: shapes of inputs of floats, or arrays.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mithril as ml

Input = tuple[int, ...] | np.ndarray


@dataclass(frozen=True)
class Example:
    arguments: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Input] = field(default_factory=dict)

    def make(self, name: str) -> ml.Model:
        made: ml.Model = getattr(ml, name)(**self.arguments)
        return made

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.arguments.items())


def each(inputs: dict[str, Input], *arguments: dict[str, Any]) -> list[Example]:
    """Examples of other arguments for the same inputs."""
    return [Example(each, inputs) for each in arguments or ({},)]


def ints(end: int, *shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape) * 7 % end


def points(*shape: int) -> np.ndarray:
    """Different numbers between 0 and 1."""
    return np.arange(int(np.prod(shape))).reshape(shape) * 0.37 % 1


def distances(count: int) -> np.ndarray:
    x = points(count, 2)
    return np.sqrt(np.square(x[:, None] - x[None]).sum(-1))


def positive(count: int) -> np.ndarray:
    """A positive definite matrix."""
    x = points(count, count)
    return x @ x.T + np.eye(count)


NORM: dict[str, Input] = {"norm": np.array(2.0)}
ROWS: Input = (4, 3)
LINE: Input = (2, 4, 9)
IMAGE: Input = (2, 4, 7, 8)
WINDOW1 = (
    {"stride": 2},
    {"padding": 1},
    {"padding": (0, 1)},
    {"padding": "same"},
    {"padding": "valid"},
    {"dilation": 2},
)
WINDOW2 = (
    {"stride": (2, 1)},
    {"padding": 1},
    {"padding": (0, 1)},
    {"padding": ((1, 0), (0, 1))},
    {"padding": "same"},
    {"padding": "valid"},
    {"dilation": (1, 2)},
)
KERNEL = {"kernel_size": 3}
CELL: dict[str, Input] = {"input": (2, 1, 3), "prev_hidden": (4, 1, 5), "output": (2, 1, 2)}
LSTM: dict[str, Input] = CELL | {"prev_cell": (4, 1, 5)}
OUT = {"RNNCell": "w_ho", "LSTMCell": "w_out", "GRUCell": "w_out"}


def sizes(cell: str, outputs: int, prefix: str = "") -> dict[str, Input]:
    """Of parameters that do not follow from those of the data."""
    found: dict[str, Input] = {prefix + OUT[cell]: (outputs, 4)}
    return found | ({prefix + "w_ih": (12, 2)} if cell == "GRUCell" else {})


FIRST: dict[str, Input] = {"initial_hidden": (3, 1, 4), "initial_cell": (3, 1, 4)}
CELL_TYPES = ("RNNCell", "LSTMCell", "GRUCell")
SEQUENCE: dict[str, Input] = {"input0": (3, 1, 2), "input1": (2, 1, 2), "initial_hidden": (3, 1, 4)}
ONE_HOT = {"is_pred_one_hot": False, "is_label_one_hot": False}
SCORES: dict[str, Input] = {"pred": points(6, 3), "label": np.eye(3)[ints(3, 6)]}
CLASSES: dict[str, Input] = {"pred": ints(3, 6), "label": ints(3, 6)[::-1]}
CHANCES: dict[str, Input] = {"pred": points(6), "label": ints(2, 6)}
BINARY = {"threshold": 0.5, "is_binary": True} | ONE_HOT


def averages() -> list[Example]:
    found = each(SCORES, {"n_classes": 3}, {"n_classes": 3, "average": "macro"})
    found += each(CLASSES, {"n_classes": 3, "average": "weighted"} | ONE_HOT)
    return found + each(CHANCES, BINARY | {"n_classes": 2})


def windows(shape: Input, arguments: dict[str, Any], more: tuple[dict[str, Any], ...]) -> Any:
    return each({"input": shape}, arguments, *(arguments | other for other in more))


LIBRARY: dict[str, list[Example]] = {
    "AUC": [
        *each({"pred": points(6, 3), "label": np.eye(3)[ints(3, 6)]}, {"n_classes": 3}),
        *each(
            {"pred": points(6), "label": ints(2, 6)}, {"n_classes": 1, "is_label_one_hot": False}
        ),
    ],
    "Accuracy": [*each(SCORES), *each(CLASSES, ONE_HOT), *each(CHANCES, BINARY)],
    "AdaptiveAvgPool2D": each({"input": IMAGE}, {"output_size": (2, 3)}, {"output_size": 2}),
    "AvgPool1D": windows(LINE, KERNEL, WINDOW1),
    "AvgPool2D": windows(IMAGE, KERNEL, WINDOW2),
    "BatchNorm1D": each(
        {"input": ROWS, "running_mean": (3,), "running_var": points(3) + 0.5},
        {},
        {"num_features": 3, "use_scale": False},
        {"use_bias": False, "eps": 0.1},
        {"inference": True},
        {"inference": False, "momentum": 0.3},
    ),
    "BatchNorm2D": each(
        {"input": IMAGE, "running_mean": (4,), "running_var": points(4) + 0.5},
        {},
        {"num_features": 4, "use_scale": False},
        {"use_bias": False, "eps": 0.1},
        {"inference": True},
        {"inference": False, "momentum": 0.3},
    ),
    "CartesianDifference": each({"left": ROWS, "right": (2, 3)}),
    "Conv1d": windows(
        LINE, {"filters": 2, "kernel_size": 3}, (*WINDOW1, {"use_bias": False, "kernel_size": (5,)})
    ),
    "Conv2d": windows(
        IMAGE,
        {"filters": 2, "kernel_size": (3, 1)},
        (*WINDOW2, {"use_bias": False}, {"groups": 2}),
    ),
    "ConvTranspose2d": windows(
        IMAGE,
        {"filters": 2, "kernel_size": 3},
        (
            {"stride": 2, "padding": 1, "output_padding": 1},
            {"dilation": 2, "groups": 2},
            {"use_bias": False},
        ),
    ),
    "Convolution1D": [
        *windows(LINE, {"out_channels": 2, "kernel_size": 3}, WINDOW1),
        *each({"input": LINE, "weight": (2, 4, 4)}, {}, {"use_bias": False, "padding": "same"}),
    ],
    "Convolution2D": [
        *windows(IMAGE, {"out_channels": 2, "kernel_size": 3}, (*WINDOW2, {"groups": 2})),
        *each({"input": IMAGE, "weight": (2, 4, 4, 3)}, {}, {"use_bias": False, "padding": "same"}),
    ],
    "DistanceEncoder": [
        *each({"input": distances(4), "coords": (4, 2)} | NORM, {"base_model": "MDSCore"}),
        *each(
            {"input": points(4, 3), "coords": (4, 2)} | NORM,
            {"base_model": "MDSCore", "input_type": "points"},
        ),
    ],
    "Dropout": each({"input": ROWS}, {}, {"p": 0.25, "seed": 3}, {"inference": True}),
    "ElementWiseAffine": each(dict.fromkeys(("input", "weight", "bias"), ROWS)),
    "Embedding": each({"input": ints(5, 2, 3)}, {"num_embeddings": 5, "dim": 2}),
    "EncoderDecoder": [
        Example(
            {
                "cell_type": cell,
                "max_input_sequence_length": 2,
                "max_target_sequence_length": 2,
                "teacher_forcing": forced,
            },
            SEQUENCE
            | {"decoder_input": (3, 1, 2), "indices": ints(3, 3), "output0": (3, 1, 2)}
            | {
                "target0": (3, 1, 2),
                "target1": (2, 1, 2),
                "initial_cell": (3, 1, 4),
                "decoder_initial_cell": (3, 1, 4),
            }
            | sizes(cell, 2)
            | sizes(cell, 2, "decoder_"),
        )
        for cell in CELL_TYPES
        for forced in (False, True)
    ],
    "EncoderDecoderInference": [
        Example(
            {
                "cell_type": cell,
                "max_input_sequence_length": 2,
                "max_target_sequence_length": 2,
            },
            SEQUENCE
            | {"decoder_input": (3, 1, 2), "output0": (3, 1, 2)}
            | {"initial_cell": (3, 1, 4), "decoder_initial_cell": (3, 1, 4)}
            | sizes(cell, 2)
            | sizes(cell, 2, "decoder_"),
        )
        for cell in CELL_TYPES
    ],
    "EncoderDistanceMatrix": each(
        {
            "input1": (4, 2),
            "input2": (3, 2),
        }
        | NORM,
        {},
        {"get_final_distance": False},
        {"robust": False},
    ),
    "F1": averages(),
    "GPRAlpha": each({"label_mu_diff": (3, 1), "L": positive(3), "K_term": positive(3)}),
    "GPRLoss": each(
        {"labels": (3, 1), "mu": (3, 1), "L": np.linalg.cholesky(positive(3))}
        | {"K_term": positive(3), "alpha": (3, 1)},
        {},
        {"robust": True},
    ),
    "GPRVOuter": each({"K": (3, 2), "K_term": positive(3), "L": positive(3)}),
    "GRUCell": each(CELL | {"w_ih": (15, 3)}),
    "GaussProcessRegressionCore": each(
        {"label": (3, 1), "mu": (3, 1), "s": np.array([0.5]), "k": positive(3)}
        | {"k_star": positive(3)}
    ),
    "GroupNorm": each(
        {"input": (2, 4, 3)},
        {"num_groups": 2},
        {"num_groups": 4, "use_scale": False},
        {"num_groups": 1, "use_bias": False, "eps": 0.1},
    ),
    "KernelizedSVM": [
        *each({"input1": (4, 3), "input2": (3, 3)}, {"kernel": "RBFKernel"}),
        *each(
            {"input1": points(4, 3), "input2": points(3, 3), "degree": np.array(2.0)}
            | {"poly_coef": np.array(1.0)},
            {"kernel": ml.PolynomialKernel(robust=False)},
        ),
    ],
    "L1": each({"input": ROWS}),
    "L2": each({"input": ROWS}),
    "LSTMCell": each(LSTM),
    "LSTMCellBody": each({"input": (2, 1, 3), "prev_hidden": (2, 1, 5), "prev_cell": (2, 1, 5)}),
    "Layer": each(
        {"input": ROWS},
        {"activation": "tanh", "dimension": 2},
        {"activation": ml.LeakyRelu(slope=0.2), "dimension": 2},
    ),
    "LayerNorm": each(
        {"input": (2, 3, 4)}, {}, {"use_scale": False}, {"use_bias": False, "eps": 0.1}
    ),
    "Linear": each({"input": ROWS}, {"dimension": 2}, {"dimension": 2, "use_bias": False}),
    "LinearSVM": each({"input": ROWS}),
    "LogisticRegression": each({"input": ROWS}),
    "MDS": [
        *each({"input": distances(4)} | NORM, {"prediction_dim": 2}),
        *each({"input": points(4, 3)} | NORM, {"prediction_dim": 2, "input_type": "points"}),
    ],
    "MDSCore": each(
        {"distances": distances(4), "pred_distances": distances(4).T * 1.5} | NORM,
        {},
        {"exact_distances": False},
        {"robust": False},
    ),
    "MLP": each(
        {"input": ROWS},
        {"activations": ["Relu", "Tanh"], "dimensions": [5, 2]},
        {
            "activations": [ml.Softmax(axis=0)],
            "dimensions": [2],
            "input_name_templates": {"weight": "w"},
        },
    ),
    "ManyToOne": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2}, SEQUENCE | FIRST | {"output0": (3, 1, 5)}
        )
        for cell in CELL_TYPES
    ],
    "MaskedSoftmax": each({"input": ROWS, "mask": ints(3, 4, 3) > 0}, {}, {"axis": 0}),
    "MaxPool1D": windows(LINE, KERNEL, WINDOW1),
    "MaxPool2D": windows(IMAGE, KERNEL, WINDOW2),
    "Metric": [*each(SCORES), *each(CLASSES, ONE_HOT), *each(CHANCES, BINARY)],
    "MultiHeadAttention": [
        *each(
            dict.fromkeys(("query", "key", "value"), (2, 3, 4)),
            {"num_heads": 2},
            {"num_heads": 2, "is_causal": True, "use_bias": False, "dimension": 4},
        ),
        *each(
            dict.fromkeys(("query", "key", "value"), (2, 3, 4)) | {"mask": np.tri(3, dtype=bool)},
            {"num_heads": 4, "use_mask": True},
        ),
    ],
    "NormModifier": each({"input": ROWS}),
    "OneToMany": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2, "teacher_forcing": forced},
            {"input": (3, 1, 2), "target0": (3, 1, 2), "target1": (2, 1, 2), "output0": (3, 1, 2)}
            | FIRST
            | sizes(cell, 2),
        )
        for cell in CELL_TYPES
        for forced in (False, True)
    ],
    "OneToManyInference": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2},
            {"input": (3, 1, 2), "output0": (3, 1, 2)} | FIRST | sizes(cell, 2),
        )
        for cell in CELL_TYPES
    ],
    "PolynomialKernel": each(
        {"input1": points(4, 2), "input2": points(3, 2)}
        | {"poly_coef": np.array(1.0), "degree": np.array(2.0)},
        {},
        {"robust": False},
    ),
    "PolynomialRegression": each(
        {"input": ROWS}, {"degree": 2, "dimension": 1}, {"degree": 3, "dimension": 2}
    ),
    "PReLU": each({"input": ROWS}, {}, {"init": 0.5}),
    "Precision": averages(),
    "QuadraticFormRegularizer": each({"input": (1, 3), "kernel": (3, 3)}),
    "RBFKernel": each(
        {"input1": (4, 2), "input2": (3, 2), "l_scale": np.array([0.5]), "sigma": np.array([2.0])}
    ),
    "RMSNorm": each({"input": ROWS}, {}, {"use_scale": False, "eps": 0.1}),
    "RNNCell": each(CELL),
    "RandInt": each(
        {},
        {"shape": (2, 3), "low": 1, "high": 9},
        {"shape": 2, "key": 4, "low": -3, "high": 9, "dtype": ml.int32},
    ),
    "Randn": each({}, {"shape": (2, 3)}, {"shape": 2, "key": 4, "dtype": ml.float32}),
    "Recall": averages(),
    "ScaledDotProduct": [
        *each(
            {"query": (2, 3, 4), "key": (2, 3, 4), "value": (2, 3, 5)},
            {},
            {"is_causal": False, "scale": 0.5},
            {"dropout_p": 0.0},
            {"dropout_p": 0.25, "seed": 3},
            {"dropout_p": 0.25, "inference": True},
        ),
        *each(
            {"query": (2, 3, 4), "key": (2, 5, 4), "value": (2, 5, 5), "attn_mask": points(3, 5)},
            {"is_causal": False, "use_attn_mask": True},
        ),
    ],
    "SiLU": each({"input": ROWS}),
    "Split": each({"input": (4, 6)}, {"split_size": 2, "axis": -1}, {"split_size": 4, "axis": 0}),
    "TSNE": [
        *each(
            {"input": distances(4), "tsnecore.p_joint": points(4, 4)} | NORM, {"prediction_dim": 2}
        ),
        *each(
            {"input": points(4, 3)} | NORM,
            {
                "prediction_dim": 2,
                "input_type": "points",
                "preplexity": 2.0,
                "calculate_p_joint": True,
            },
        ),
    ],
    "TSNECore": [
        *each(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5}
            | {"p_joint": points(4, 4)},
            {},
            {"exact_distances": False},
        ),
        *each(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5},
            {"calculate_p_joint": True, "perplexity": 2.0},
        ),
    ],
    "TransformerBlock": each(
        {"input": (2, 3, 4)},
        {"num_heads": 2, "dimension": 4},
        {"num_heads": 1, "dimension": 4, "hidden_dimension": 5, "activation": "Relu"},
        {"num_heads": 2, "dimension": 4, "is_causal": True, "norm_first": False, "eps": 0.1},
    ),
    "TransposedDiagonal": each({"input": (3, 3)}),
    "Upsample": each({"input": (1, 2, 3, 4)}, {}, {"scale_factor": (2, 3), "mode": "bilinear"}),
}
