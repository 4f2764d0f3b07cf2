"""Every primitive that PyTorch has, too: the same values and gradients as torch's own function."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from catalog import CATALOG
from catalog_notes import ABSENT

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
functional = torch.nn.functional

draw = np.random.default_rng(5)
X = draw.standard_normal((2, 3, 4))
Y = draw.standard_normal((3, 4))
POSITIVE = draw.uniform(0.2, 0.8, (3, 4))
SQUARE = draw.standard_normal((3, 3))
ROOTED = SQUARE @ SQUARE.T + np.eye(3)
ROOT = np.linalg.cholesky(ROOTED)
COLUMN = draw.standard_normal((3, 1))
LINE = draw.standard_normal((2, 3, 9))
IMAGE = draw.standard_normal((2, 4, 6, 7))
INTS = np.arange(6).reshape(2, 3) * 5 % 6
FLAGS = np.array([[True, False, True, True], [False, False, True, False]])
SIGNS = np.where(draw.standard_normal((3, 4)) > 0, 1.0, -1.0)
WITH_NAN = np.array([[np.nan, 1.0], [np.inf, -np.inf]])

Case = tuple[dict[str, Any], dict[str, np.ndarray], Callable[..., Any]]


def one(function: Callable[..., Any], x: np.ndarray = X, **arguments: Any) -> Case:
    return arguments, {"input": x}, function


def two(function: Callable[..., Any], x: np.ndarray = X, y: np.ndarray = Y) -> Case:
    return {}, {"left": x, "right": y}, function


def loss(function: Callable[..., Any], x: np.ndarray, target: np.ndarray, **arguments: Any) -> Case:
    return arguments, {"input": x, "target": target}, function


def reduced(function: Callable[..., Any]) -> list[Case]:
    """Returns reductions along one axis, which drop its size or keep it."""
    return [
        one(lambda x: function(x, 1), axis=1),
        one(lambda x: function(x, -1, True), axis=-1, keepdim=True),
    ]


def extreme(function: Callable[..., Any]) -> list[Case]:
    return [
        one(lambda x: function(x, 1), axis=1),
        one(lambda x: function(x, (0, 2), True), axis=(0, 2), keepdim=True),
    ]


WINDOW: dict[str, Any] = {"stride": 2, "padding": 1, "dilation": 1}
CASES: dict[str, list[Case]] = {
    "SquaredError": [loss(lambda x, t: (x - t) ** 2, Y, POSITIVE)],
    "AbsoluteError": [loss(lambda x, t: functional.l1_loss(x, t, reduction="none"), Y, POSITIVE)],
    "HingeLoss": [loss(lambda x, t: torch.relu(1 - x * t), Y, SIGNS)],
    "QuadHingeLoss": [loss(lambda x, t: torch.relu(1 - x * t) ** 2, Y, SIGNS)],
    "QuantileLoss": [
        loss(lambda x, t: torch.maximum(0.2 * (t - x), -0.8 * (t - x)), Y, POSITIVE, quantile=0.2)
    ],
    "CrossEntropy": [
        loss(lambda x, t: functional.cross_entropy(x, t, reduction="none"), Y, np.array([3, 0, 1])),
        loss(
            lambda x, t: functional.cross_entropy(x, t, reduction="none"),
            Y,
            POSITIVE,
            categorical=False,
        ),
        loss(
            lambda x, t: functional.nll_loss(torch.log(x), t, reduction="none"),
            POSITIVE,
            np.array([3, 0, 1]),
            input_type="probs",
        ),
        loss(
            lambda x, t: functional.nll_loss(x, t, reduction="none"),
            Y,
            np.array([3, 0, 1]),
            input_type="log_probs",
        ),
        loss(
            lambda x, t: functional.cross_entropy(
                x, t, torch.tensor([1.0, 2, 3, 4], dtype=torch.float64), reduction="none"
            ),
            Y,
            np.array([3, 0, 1]),
            weights=[1.0, 2.0, 3.0, 4.0],
        ),
    ],
    "KLDivergence": [
        loss(
            lambda x, t: functional.kl_div(torch.log(x), t, reduction="none"),
            POSITIVE,
            POSITIVE[::-1].copy(),
        )
    ],
    "BinaryCrossEntropy": [
        loss(
            lambda x, t: functional.binary_cross_entropy_with_logits(
                x, t, pos_weight=torch.tensor(2.0, dtype=torch.float64), reduction="none"
            ),
            Y,
            POSITIVE,
            pos_weight=2.0,
        ),
        loss(
            lambda x, t: functional.binary_cross_entropy(x, t, reduction="none"),
            POSITIVE,
            POSITIVE[::-1].copy(),
            input_type="probs",
        ),
    ],
    "Log": [one(torch.log, POSITIVE)],
    "StableReciprocal": [one(torch.reciprocal, POSITIVE)],
    "Sign": [one(torch.sign)],
    "Square": [one(torch.square)],
    "Relu": [one(torch.relu)],
    "Gelu": [
        one(functional.gelu),
        one(lambda x: functional.gelu(x, approximate="tanh"), approximate=True),
    ],
    "Sigmoid": [one(torch.sigmoid)],
    "Softmax": [one(lambda x: torch.softmax(x, -1)), one(lambda x: torch.softmax(x, 0), axis=0)],
    "Softplus": [one(lambda x: functional.softplus(x, threshold=1e9))],
    "Tanh": [one(torch.tanh)],
    "LeakyRelu": [one(lambda x: functional.leaky_relu(x, 0.2), slope=0.2)],
    "StopGradient": [one(lambda x: x.detach() + 0 * x)],
    "CartesianDifference": [
        two(lambda a, b: a[:, None] - b[None], Y, draw.standard_normal((2, 4)))
    ],
    "Concat": [
        ({"axis": 1}, {"a": Y, "b": POSITIVE}, lambda a, b: torch.cat([a, b], 1)),
        ({"axis": None}, {"a": Y, "b": X}, lambda a, b: torch.cat([a.ravel(), b.ravel()])),
    ],
    "PermuteTensor": [
        ({}, {"input": Y, "indices": np.array([2, 0, 1])}, lambda x, i: x.index_select(0, i))
    ],
    "PrimitiveConvolution1D": [
        (
            WINDOW,
            {"input": LINE, "weight": draw.standard_normal((2, 3, 3)), "bias": np.ones(2)},
            lambda x, w, b: functional.conv1d(x, w, b, **WINDOW),
        )
    ],
    "PrimitiveConvolution2D": [
        (
            {**WINDOW, "groups": 2},
            {"input": IMAGE, "weight": draw.standard_normal((6, 2, 3, 2)), "bias": np.ones(6)},
            lambda x, w, b: functional.conv2d(x, w, b, **WINDOW, groups=2),
        )
    ],
    "Flatten": [one(lambda x: torch.flatten(x, 1), start_dim=1), one(torch.flatten)],
    "PrimitiveMaxPool1D": [
        one(lambda x: functional.max_pool1d(x, 3, **WINDOW), LINE, kernel_size=3, **WINDOW)
    ],
    "PrimitiveMaxPool2D": [
        one(lambda x: functional.max_pool2d(x, 3, **WINDOW), IMAGE, kernel_size=3, **WINDOW)
    ],
    "PrimitiveAvgPool2D": [
        one(lambda x: functional.avg_pool2d(x, 3, 2, 1), IMAGE, kernel_size=3, **WINDOW)
    ],
    "DistanceMatrix": [
        (
            {},
            {"left": Y, "right": X[0], "norm": np.array(3.0)},
            lambda a, b, n: ((a[:, None] - b[None]).abs() ** n).sum(-1),
        )
    ],
    "EyeComplement": [({"N": 2, "M": 3}, {}, lambda: 1 - torch.eye(2, 3, dtype=torch.float64))],
    "Eye": [({"N": 2, "M": 3}, {}, lambda: torch.eye(2, 3, dtype=torch.float64))],
    "Cholesky": [one(torch.linalg.cholesky, ROOTED)],
    "GPRAlpha": [
        (
            {},
            {"label_mu_diff": COLUMN, "L": ROOT, "K_term": ROOTED},
            lambda d, root, k: torch.cholesky_solve(d, root.tril()) + 0 * k.sum(),
        )
    ],
    "TransposedDiagonal": [one(lambda x: torch.diagonal(x)[:, None], SQUARE)],
    "Arange": [
        (
            {"start": 1, "stop": 8, "step": 2},
            {},
            lambda: torch.arange(1, 8, 2),
        )
    ],
    "BroadcastTo": [one(lambda x: torch.broadcast_to(x, (5, 2, 3, 4)), shape=(5, 2, 3, 4))],
    "Eigvalsh": [({}, {"K_term": ROOTED}, lambda k: torch.linalg.eigvalsh(k)[:, None])],
    "Squeeze": [one(torch.squeeze, COLUMN)],
    "Embedding": [
        ({}, {"input": INTS, "weight": draw.standard_normal((6, 2))}, functional.embedding)
    ],
    "ScaledDotProduct": [
        (
            {"is_causal": causal, "scale": scale},
            {"query": X, "key": X[::-1].copy(), "value": X + 1},
            lambda q, k, v, c=causal, s=scale: functional.scaled_dot_product_attention(
                q, k, v, is_causal=c, scale=s
            ),
        )
        for causal, scale in ((True, None), (False, 0.3))
    ]
    + [
        (
            {"is_causal": False, "use_attn_mask": True},
            {"query": X, "key": X[::-1].copy(), "value": X + 1, "attn_mask": SQUARE},
            functional.scaled_dot_product_attention,
        )
    ],
    "SwapAxes": [one(lambda x: torch.swapaxes(x, 0, -1), axis1=0, axis2=-1)],
    "Where": [({}, {"cond": FLAGS[:, None], "input1": X, "input2": Y}, torch.where)],
    "IsNan": [one(torch.isnan, WITH_NAN)],
    "Unique": [one(torch.unique, INTS % 4, size=4), one(torch.unique, FLAGS, size=2)],
    "Trapezoid": [({}, {"x": np.cumsum(POSITIVE, 1), "y": Y}, lambda x, y: torch.trapezoid(y, x))],
    "NanToNum": [
        one(
            lambda x: torch.nan_to_num(x, 2.0, 3.0, -3.0),
            WITH_NAN,
            nan=2.0,
            posinf=3.0,
            neginf=-3.0,
        )
    ],
    "Pad": [one(lambda x: functional.pad(x, (1, 2, 0, 3)), Y, pad_width=((0, 3), (1, 2)))],
    "ZerosLike": [one(torch.zeros_like)],
    "Ones": [({"shape": (2, 3)}, {}, lambda: torch.ones(2, 3, dtype=torch.float64))],
    "Buffer": [one(lambda x: x)],
    "Power": [({}, {"base": POSITIVE, "exponent": Y}, torch.pow)],
    "Add": [two(torch.add)],
    "Subtract": [two(torch.subtract)],
    "Multiply": [two(torch.multiply)],
    "Minimum": [two(torch.minimum)],
    "Maximum": [two(torch.maximum)],
    "Divide": [({}, {"numerator": X, "denominator": POSITIVE}, torch.divide)],
    "FloorDivide": [
        (
            {},
            {"numerator": INTS, "denominator": INTS + 2},
            lambda a, b: torch.div(a, b, rounding_mode="floor"),
        )
    ],
    "MatrixMultiply": [two(torch.matmul, X, Y.T.copy())],
    "Reshape": [one(lambda x: x.reshape(4, 6), shape=(4, -1))],
    "Cast": [one(lambda x: x.long(), dtype=ml.int64)],
    "Mean": reduced(torch.mean),
    "Sum": reduced(torch.sum),
    "Max": extreme(torch.amax),
    "ArgMax": reduced(torch.argmax),
    "Min": extreme(torch.amin),
    "ArgMin": reduced(torch.argmin),
    "Prod": reduced(torch.prod),
    "Variance": [
        one(lambda x: torch.var(x, 1, correction=0), axis=1),
        one(
            lambda x: torch.var(x, -1, correction=1, keepdim=True),
            axis=-1,
            correction=1.0,
            keepdim=True,
        ),
    ],
    "Absolute": [one(torch.abs)],
    "Negate": [one(torch.negative)],
    "Exponential": [one(torch.exp)],
    "Sqrt": [one(torch.sqrt, POSITIVE)],
    "Greater": [two(torch.gt)],
    "Less": [two(torch.lt)],
    "Equal": [two(torch.eq, INTS, INTS[:1])],
    "NotEqual": [two(torch.ne, INTS, INTS[:1])],
    "LessEqual": [two(torch.le)],
    "GreaterEqual": [two(torch.ge)],
    "LogicalNot": [one(torch.logical_not, FLAGS)],
    "LogicalAnd": [two(torch.logical_and, FLAGS, FLAGS[::-1].copy())],
    "LogicalOr": [two(torch.logical_or, FLAGS, FLAGS[::-1].copy())],
    "LogicalXOr": [two(torch.logical_xor, FLAGS, FLAGS[::-1].copy())],
    "ShiftLeft": [({}, {"input": INTS, "shift": INTS}, torch.bitwise_left_shift)],
    "ShiftRight": [({}, {"input": INTS * 9, "shift": INTS % 3}, torch.bitwise_right_shift)],
    "Transpose": [
        one(lambda x: x.permute(2, 1, 0)),
        one(lambda x: x.permute(1, 2, 0), axes=(1, 2, 0)),
    ],
    "Indexer": [one(lambda x: x[:, 1, 1:3], index=(slice(None), 1, slice(1, 3)))],
    "Sine": [one(torch.sin)],
    "Cosine": [one(torch.cos)],
    "AtLeast1D": [one(torch.atleast_1d, np.array(2.5))],
    "Floor": [one(torch.floor)],
    "Clamp": [one(lambda x: torch.clamp(x, -0.5, 0.5), min_val=-0.5, max_val=0.5)],
}

VALUES = "of values and not of tensors"
# Catalogued primitives that torch has no function for, and why nothing is compared.
LACKING = {
    "AUCCore": "its area is compared with a count of pairs",
    "Dtype": VALUES,
    "GPRVOuter": "made of what is compared here",
    "Item": VALUES,
    "Length": VALUES,
    "NormModifier": "a wave that no other library has",
    "PolynomialFeatures": "torch has no such function",
    "PositionalEncoding": "torch has no such function",
    "PrimitiveRandInt": "other numbers",
    "PrimitiveRandn": "other numbers",
    "Shape": VALUES,
    "Size": VALUES,
    "Slice": VALUES,
    "ToList": VALUES,
    "ToTensor": VALUES,
    "ToTuple": VALUES,
    "TsnePJoint": "torch has no such function",
}


def test_every_primitive_is_compared_or_cannot_be() -> None:
    names = {described["name"] for described in CATALOG["primitives"]} - set(ABSENT)
    assert names == set(CASES) | set(LACKING)
    assert not set(CASES) & set(LACKING)


def evaluated(name: str, case: Case) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Returns the output, the gradients, and the incoming gradient of the output."""
    arguments, inputs, _ = case
    part = getattr(ml, name)(**arguments)
    model = ml.Model()
    ports: dict[str, Any] = {key: key for key in inputs}
    model |= part(input=list(inputs)) if name == "Concat" else part(**ports)
    model.expose_keys(output=part.cout)
    model.set_shapes({key: value.shape for key, value in inputs.items()})
    kinds = {"i": ml.Tensor[int], "b": ml.Tensor[bool], "f": ml.Tensor[float]}
    model.set_types({key: kinds[value.dtype.kind] for key, value in inputs.items()})
    floats = [key for key, value in inputs.items() if value.dtype == np.float64]
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype=ml.float64),
        trainable_keys=floats,
        data_keys=set(inputs) - set(floats),
    )
    params = {key: inputs[key] for key in floats}
    data = {key: inputs[key] for key in set(inputs) - set(floats)}
    output = np.asarray(compiled.evaluate(params, data)["output"])
    seed = np.random.default_rng(3).standard_normal(output.shape)
    if output.dtype != np.float64 or not floats:
        return output, {}, seed
    _, gradients = compiled.evaluate(params, data, output_gradients={"output": seed})
    return output, {key: np.asarray(value) for key, value in gradients.items()}, seed


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(name, case, id=f"{name}-{index}")
        for name, cases in CASES.items()
        for index, case in enumerate(cases)
    ],
)
def test_a_primitive_is_that_of_torch(name: str, case: Case) -> None:
    output, gradients, seed = evaluated(name, case)
    tensors = {key: torch.tensor(value) for key, value in case[1].items()}
    for tensor in tensors.values():
        tensor.requires_grad_(tensor.is_floating_point())
    wanted = case[2](*tensors.values())
    assert output.shape == tuple(wanted.shape)
    np.testing.assert_allclose(output, wanted.detach().numpy(), rtol=1e-10, atol=1e-10)
    if wanted.requires_grad and gradients:
        wanted.backward(torch.tensor(seed))
        for key, value in gradients.items():
            expected = tensors[key].grad
            expected = np.zeros_like(value) if expected is None else expected.numpy()
            np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-10, err_msg=key)


@pytest.mark.parametrize("reference", [False, True])
def test_ints_of_32_bits_are_sorted_and_pooled(reference: bool) -> None:
    model = ml.Model()
    model |= ml.Cast(ml.int32)(input=ml.IOKey("x", type=ml.Tensor[int]), output="c")
    model |= ml.TopK(2)(input="c", values="v", indices="i")
    model |= ml.MaxPool2D(2)(input="c", output="p")
    compiled = ml.compile(
        model, ml.CpuBackend(reference=reference), shapes={"x": [1, 2, 4]}, data_keys=["x"]
    )
    out = compiled.evaluate({}, {"x": np.array([[[3, 1, 4, 2], [0, 7, 1, 1]]])})
    assert np.asarray(out["v"]).tolist() == [[[4, 3], [7, 1]]]
    assert np.asarray(out["i"]).tolist() == [[[2, 0], [1, 2]]]
    assert np.asarray(out["p"]).tolist() == [[[7, 4]]]
