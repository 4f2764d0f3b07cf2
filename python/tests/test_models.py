"""The models of the library on both backends: the same values, and the same gradients."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import mithril as ml


def backend_named(name: str) -> Any:
    """The backend on torch is skipped, visibly, where torch is missing."""
    if name == "TorchBackend":
        pytest.importorskip("torch", reason="torch is not installed")
    return getattr(ml, name)


Shapes = dict[str, tuple[int, ...]]
CELL: Shapes = {"input": (2, 1, 3), "prev_hidden": (4, 1, 5)}
OUT: Shapes = {"output": (2, 1, 2)}
MODELS: dict[str, tuple[Callable[[], ml.Model], Shapes]] = {
    "ElementWiseAffine": (ml.ElementWiseAffine, {k: (2, 3) for k in ("input", "weight", "bias")}),
    "SiLU": (ml.SiLU, {"input": (2, 3)}),
    "GroupNorm": (lambda: ml.GroupNorm(2), {"input": (2, 4, 3, 3)}),
    "RMSNorm": (ml.RMSNorm, {"input": (2, 4)}),
    "Split": (lambda: ml.Split(2, axis=-1), {"input": (2, 4)}),
    "RNNCell": (ml.RNNCell, CELL | OUT),
    "LSTMCell": (ml.LSTMCell, CELL | OUT | {"prev_cell": (4, 1, 5)}),
    "GRUCell": (ml.GRUCell, CELL | OUT | {"w_ih": (15, 3)}),
    "ManyToOne": (
        lambda: ml.ManyToOne(ml.LSTMCell(), 2),
        {
            "input0": (3, 1, 2),
            "input1": (2, 1, 2),
            "initial_hidden": (3, 1, 4),
            "initial_cell": (3, 1, 4),
            "output0": (3, 1, 5),
        },
    ),
    "ConvTranspose2d": (
        lambda: ml.ConvTranspose2d(4, 3, stride=2, padding=1, output_padding=1),
        {"input": (2, 3, 4, 5)},
    ),
    "Upsample": (lambda: ml.Upsample(2), {"input": (1, 2, 3, 4)}),
    "bilinear": (lambda: ml.Upsample((2, 3), "bilinear"), {"input": (1, 2, 3, 4)}),
    "AdaptiveAvgPool2D": (lambda: ml.AdaptiveAvgPool2D((2, 3)), {"input": (2, 2, 5, 7)}),
    "MultiHeadAttention": (
        lambda: ml.MultiHeadAttention(2, is_causal=True),
        {"query": (2, 3, 4), "key": (2, 3, 4), "value": (2, 3, 4)},
    ),
    "TransformerBlock": (lambda: ml.TransformerBlock(2, 4), {"input": (2, 3, 4)}),
}


def evaluated(model: ml.Model, backend: Any, shapes: Shapes) -> dict[str, np.ndarray]:
    """Outputs and gradients for the same numbers on any backend."""
    compiled = ml.compile(model, backend(dtype=ml.float64), shapes=shapes)
    draw = np.random.default_rng(7)
    params = {
        key: np.asarray(value) for key, value in sorted(compiled.get_parameters(seed=3).items())
    }
    data = {
        key: draw.standard_normal(shape)
        for key, shape in shapes.items()
        if key in compiled.input_keys and key not in params
    }
    outputs = compiled.evaluate(params, data)
    seeds = {key: draw.standard_normal(np.shape(outputs[key])) for key in sorted(outputs)}
    _, gradients = compiled.evaluate(params, data, output_gradients=seeds)
    everything = outputs | {f"gradient of {key}": value for key, value in gradients.items()}
    return {key: np.asarray(value) for key, value in everything.items()}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_the_same_on_torch(name: str) -> None:
    make, shapes = MODELS[name]
    here = evaluated(make(), ml.CpuBackend, shapes)
    there = evaluated(make(), backend_named("TorchBackend"), shapes)
    assert here.keys() == there.keys()
    for key, value in here.items():
        np.testing.assert_allclose(there[key], value, rtol=1e-10, atol=1e-12, err_msg=key)


def scores(pred: np.ndarray, label: np.ndarray, kind: str) -> list[float]:
    """By class, in plain arithmetic: right ones over what `kind` compares them with."""
    result = []
    for each in range(3):
        right = int(np.sum((pred == each) & (label == each)))
        wrong, missed = int(np.sum(pred == each)) - right, int(np.sum(label == each)) - right
        others = {"Precision": wrong, "Recall": missed, "F1": (wrong + missed) / 2}[kind]
        result.append(right / (right + others) if right else 0.0)
    return result


@pytest.mark.parametrize("kind", ["Precision", "Recall", "F1"])
@pytest.mark.parametrize("backend", ["CpuBackend", "TorchBackend"])
def test_averages_of_metrics(kind: str, backend: str) -> None:
    pred, label = np.array([1, 2, 0, 2, 1, 2, 2, 1]), np.array([0, 1, 0, 2, 0, 1, 0, 2])
    by_class = scores(pred, label, kind)
    weights = [np.mean(label == each) for each in range(3)]
    wanted = {
        "micro": np.mean(pred == label),
        "macro": np.mean(by_class),
        "weighted": np.dot(by_class, weights),
    }
    for average, value in wanted.items():
        metric = getattr(ml, kind)(average, 3, is_pred_one_hot=False, is_label_one_hot=False)
        compiled = ml.compile(metric, backend_named(backend)(dtype=ml.float64))
        output = compiled.evaluate({}, {"pred": pred, "label": label})["output"]
        assert float(output) == pytest.approx(value, abs=1e-14)


def test_activations_and_kernels_may_be_models() -> None:
    net = ml.MLP(activations=[ml.Relu(), ml.LeakyRelu(slope=0.5)], dimensions=[3, 1])
    assert set(net.input_keys) == {"input", "weight0", "bias0", "weight1", "bias1"}
    assert ml.Layer(ml.Relu(), 2) == ml.Layer("Relu", 2)
    assert ml.KernelizedSVM(ml.RBFKernel()) == ml.KernelizedSVM("RBFKernel")
    named = ml.MLP(["Relu"], [2], input_name_templates={"weight": "w", "bias": "b"})
    assert set(named.input_keys) == {"input", "w0", "b0"}
    own = ml.Model()
    own |= ml.Relu()(input="input", output="output")
    with pytest.raises(ml.TypeError, match="composed by its user"):
        ml.Layer(own)


def test_a_model_shows_itself_in_a_notebook() -> None:
    net = ml.Model()
    net |= ml.Linear(3, name="a<b&c")(input="x", output="h")
    net |= ml.Relu()(input="h", output="y")
    html = net._repr_html_()
    assert html.count("<rect") == 5  # x, two parts, h, y
    assert html.count("<line") == 4
    assert "a&lt;b&amp;c" in html and "a<b" not in html
    assert '<td style="text-align:left">Relu</td>' in html
    ElementTree.fromstring(html)
    train = ml.TrainModel(ml.Linear(1))
    train.add_loss(ml.SquaredError(), input="output", target="t")
    assert "final_cost" in train._repr_html_()


@pytest.mark.parametrize("backend", ["CpuBackend", "TorchBackend"])
def test_a_masked_softmax_shares_among_what_counts(backend: str) -> None:
    compiled = ml.compile(
        ml.MaskedSoftmax(), backend_named(backend)(dtype=ml.float64), trainable_keys=["input"]
    )
    mask = np.array([[True, False, True], [False, False, False]])
    outputs, gradients = compiled.evaluate(
        {"input": np.array([[0.0, 9.0, np.log(3.0)], [1.0, 2.0, 3.0]])},
        {"mask": mask},
        output_gradients={"output": np.array([[1.0, 5.0, 0.0], [1.0, 1.0, 1.0]])},
    )
    wanted = [[0.25, 0, 0.75], [0, 0, 0]]
    np.testing.assert_allclose(np.asarray(outputs["output"]), wanted, atol=1e-15)
    slopes = [[0.1875, 0, -0.1875], [0, 0, 0]]
    np.testing.assert_allclose(np.asarray(gradients["input"]), slopes, atol=1e-15)


def test_parts_of_a_split_are_equal() -> None:
    compiled = ml.compile(ml.Split(3, axis=1), ml.CpuBackend(), shapes={"input": [2, 6]})
    x = np.arange(12.0, dtype=np.float32).reshape(2, 6)
    outputs = compiled.evaluate({}, {"input": x})
    for key, part in zip(outputs, np.split(x, 3, axis=1), strict=True):
        np.testing.assert_array_equal(outputs[key], part)
    with pytest.raises(ml.Error):
        ml.compile(ml.Split(3, axis=1), ml.CpuBackend(), shapes={"input": [2, 7]})
