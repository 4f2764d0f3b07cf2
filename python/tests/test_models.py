"""Results of library models on both backends, and their reprs."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import mithril as ml


def backend_named(name: str) -> Any:
    """Returns the backend. Where torch is missing, tests of the torch backend are skipped
    visibly."""
    if name == "TorchBackend":
        pytest.importorskip("torch", reason="torch is not installed")
    return getattr(ml, name)


def scores(pred: np.ndarray, label: np.ndarray, kind: str) -> list[float]:
    """Returns for each class the right predictions divided by the count that `kind` selects."""
    result = []
    for index in range(3):
        right = int(np.sum((pred == index) & (label == index)))
        wrong, missed = int(np.sum(pred == index)) - right, int(np.sum(label == index)) - right
        others = {"Precision": wrong, "Recall": missed, "F1": (wrong + missed) / 2}[kind]
        result.append(right / (right + others) if right else 0.0)
    return result


@pytest.mark.parametrize("kind", ["Precision", "Recall", "F1"])
@pytest.mark.parametrize("backend", ["CpuBackend", "TorchBackend"])
def test_metrics_average_classes_as_their_formulas(kind: str, backend: str) -> None:
    pred, label = np.array([1, 2, 0, 2, 1, 2, 2, 1]), np.array([0, 1, 0, 2, 0, 1, 0, 2])
    by_class = scores(pred, label, kind)
    weights = [np.mean(label == index) for index in range(3)]
    wanted = {
        "micro": np.mean(pred == label),
        "macro": np.mean(by_class),
        "weighted": np.dot(by_class, weights),
    }
    for average, value in wanted.items():
        metric = getattr(ml, kind)(
            average, n_classes=3, is_pred_one_hot=False, is_label_one_hot=False
        )
        compiled = ml.compile(metric, backend_named(backend)(dtype=ml.float64))
        output = compiled.evaluate({}, {"pred": pred, "label": label})["output"]
        assert float(output) == pytest.approx(value, abs=1e-14)


def test_activations_and_kernels_may_be_models() -> None:
    net = ml.MLP(activations=[ml.Relu(), ml.LeakyRelu(slope=0.5)], dimensions=[3, 1])
    assert set(net.input_keys) == {"input", "weight0", "bias0", "weight1", "bias1"}
    assert ml.Layer(ml.Relu(), dimension=2) == ml.Layer("Relu", dimension=2)
    assert ml.KernelizedSVM(ml.RBFKernel()) == ml.KernelizedSVM("RBFKernel")
    named = ml.MLP(["Relu"], dimensions=[2], input_name_templates={"weight": "w", "bias": "b"})
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


def test_a_notebook_shows_a_compiled_model() -> None:
    net = ml.Model()
    net |= ml.Linear(3, name="a<b")(input="x", output="y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": [2, 2]})
    html = compiled._repr_html_()
    ElementTree.fromstring(html)
    assert "<svg" in html and "a&lt;b" in html and "CompiledModel for cpu" in html
    bound = compiled.bind(compiled.get_parameters())
    ElementTree.fromstring(bound._repr_html_())


@pytest.mark.parametrize("backend", ["CpuBackend", "TorchBackend"])
def test_a_masked_softmax_sums_to_1_over_unmasked_elements(backend: str) -> None:
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
