"""Options of losses and of embeddings, against torch."""

from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

BACKENDS = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
WEIGHTS = (0.5, 1.0, 2.0)
CASES: dict[str, dict[str, Any]] = {
    "ignored": {"ignore_index": -100},
    "smoothed": {"label_smoothing": 0.1},
    "weighted": {"weights": WEIGHTS},
    "all": {"ignore_index": 2, "label_smoothing": 0.25, "weights": WEIGHTS},
    "ignored and weighted": {"ignore_index": 1, "weights": WEIGHTS},
}


def of_torch(options: dict[str, Any], reduction: str) -> Any:
    given = {key: value for key, value in options.items() if key != "weights"}
    if "weights" in options:
        given["weight"] = torch.tensor(options["weights"], dtype=torch.float64)
    return torch.nn.CrossEntropyLoss(reduction=reduction, **given)


def labels(options: dict[str, Any], shape: tuple[int, ...]) -> Any:
    drawn = np.random.default_rng(1).integers(0, 3, shape)
    drawn.reshape(-1)[::4] = options.get("ignore_index", 0)
    return drawn


@pytest.mark.parametrize("kind", BACKENDS)
@pytest.mark.parametrize("shape", [(9,), (4, 5)])
@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_a_training_model_is_that_of_torch(
    name: str, shape: tuple[int, ...], kind: str
) -> None:
    options = CASES[name]
    model = ml.Model()
    model |= ml.Buffer()(input=ml.IOKey("logits", differentiable=True), output="output")
    train = ml.TrainModel(model)
    train.add_loss(ml.CrossEntropy(normalize=True, **options), input="output", target="t")
    compiled = ml.compile(train, BACKENDS[kind](dtype=ml.float64))
    logits = np.random.default_rng(0).normal(size=(shape[0], 3, *shape[1:]))
    target = labels(options, shape)
    outputs, gradients = compiled.evaluate({"logits": logits}, {"t": target}, output_gradients=True)
    x = torch.tensor(logits, requires_grad=True)
    expected = of_torch(options, "mean")(x, torch.tensor(target))
    expected.backward()
    np.testing.assert_allclose(float(outputs["final_cost"]), expected.item(), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(gradients["logits"]), x.grad.numpy(), atol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_the_loss_of_each_sample_is_that_of_torch(name: str) -> None:
    options = CASES[name]
    loss = ml.CrossEntropy(normalize=False, **options)
    compiled = ml.compile(loss, ml.CpuBackend(dtype=ml.float64), shapes={"input": [7, 3]})
    logits = np.random.default_rng(0).normal(size=(7, 3))
    target = labels(options, (7,))
    losses = compiled.evaluate({}, {"input": logits, "target": target})["output"]
    expected = of_torch(options, "none")(torch.tensor(logits), torch.tensor(target))
    np.testing.assert_allclose(losses, expected.numpy(), rtol=1e-12)


def test_smoothed_distributions_are_those_of_torch() -> None:
    loss = ml.CrossEntropy(categorical=False, label_smoothing=0.2, weights=WEIGHTS)
    compiled = ml.compile(
        loss,
        ml.CpuBackend(dtype=ml.float64),
        shapes={"input": [4, 3]},
        data_keys=["input", "target"],
    )
    generator = np.random.default_rng(0)
    logits, target = generator.normal(size=(4, 3)), generator.uniform(size=(4, 3))
    losses = compiled.evaluate({}, {"input": logits, "target": target})["output"]
    options = {"label_smoothing": 0.2, "weights": WEIGHTS}
    expected = of_torch(options, "none")(torch.tensor(logits), torch.tensor(target))
    np.testing.assert_allclose(losses, expected.numpy(), rtol=1e-12)


@pytest.mark.parametrize("index", [0, -1])
def test_a_row_of_padding_has_no_gradient(index: int) -> None:
    embedding = ml.Embedding(5, dim=3, padding_idx=index)
    compiled = ml.compile(
        embedding, ml.CpuBackend(dtype=ml.float64), shapes={"input": [2, 4]}, data_keys=["input"]
    )
    weight = np.random.default_rng(0).normal(size=(5, 3))
    data = {"input": np.array([[0, 1, 4, 4], [2, 0, 0, 3]])}
    incoming = np.random.default_rng(1).normal(size=(2, 4, 3))
    outputs, gradients = compiled.evaluate(
        {"weight": weight}, data, output_gradients={"output": incoming}
    )
    theirs = torch.nn.Embedding(5, 3, padding_idx=index, _weight=torch.tensor(weight))
    expected = theirs(torch.tensor(data["input"]))
    expected.backward(torch.tensor(incoming))
    np.testing.assert_array_equal(outputs["output"], expected.detach().numpy())
    np.testing.assert_allclose(gradients["weight"], theirs.weight.grad.numpy(), rtol=1e-15)


def test_a_row_of_padding_is_one_of_the_table() -> None:
    with pytest.raises(ml.ValueError, match="expected : from -5 to 4"):
        ml.Embedding(5, dim=3, padding_idx=5)
    with pytest.raises(ml.ValueError, match="at least 0 without num_embeddings"):
        ml.Embedding(dim=3, padding_idx=-1)
