"""Edits of models that ml.from_torch made."""

import copy

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch")


def images() -> "torch.Tensor":
    return torch.linspace(-1, 1, 5 * 64).reshape(5, 1, 8, 8)


def classifier() -> "torch.nn.Module":
    torch.manual_seed(0)
    nn = torch.nn
    module = nn.Sequential()
    module.add_module("conv", nn.Conv2d(1, 4, 3, padding=1))
    module.add_module("norm", nn.BatchNorm2d(4))
    module.add_module("relu", nn.ReLU())
    module.add_module("pool", nn.MaxPool2d(4))
    module.add_module("flatten", nn.Flatten())
    module.add_module("fc", nn.Linear(16, 10))
    return module


def test_a_head_of_another_size_replaces_that_of_the_module() -> None:
    module = classifier()
    model, params = ml.from_torch(copy.deepcopy(module), images(), {"input": {0: "N"}})
    edited = model.edit().replace("fc", ml.Linear(3))
    edited |= ml.CrossEntropy()(input="output", target="label", output="losses")
    edited |= ml.Mean()(input="losses", output="loss")
    edited.expose_keys("loss")
    old = ml.compile(model, ml.CpuBackend())
    new = ml.compile(edited, ml.CpuBackend(), frozen=["conv.*", "norm.*"])
    assert new.shapes["fc.weight"] == [3, 16] and new.shapes["fc.bias"] == [3]
    params, report = ml.transfer(params, old, new)
    assert report.reshaped == ["fc.weight", "fc.bias"] and not report.added

    module.fc = torch.nn.Linear(16, 3)
    with torch.no_grad():
        for key in ("weight", "bias"):
            getattr(module.fc, key).copy_(torch.tensor(np.array(params[f"fc.{key}"])))
    label = torch.tensor([0, 1, 2, 0, 1])
    loss = torch.nn.functional.cross_entropy(module(images()), label)
    loss.backward()
    outputs, gradients, _ = new.evaluate(
        params,
        {"input": images(), "label": label},
        output_gradients={"loss": 1.0},
        state=new.initial_state_dict,
    )
    np.testing.assert_allclose(outputs["loss"], loss.detach().numpy(), rtol=1e-5)
    assert set(gradients) == {"fc.weight", "fc.bias"}
    for key in ("weight", "bias"):
        expected = getattr(module.fc, key).grad.numpy()
        np.testing.assert_allclose(gradients[f"fc.{key}"], expected, rtol=1e-4, atol=1e-6)


def test_a_head_of_other_parameters_replaces_that_of_the_module() -> None:
    model, _ = ml.from_torch(classifier().eval(), images())
    head = ml.Model()
    head |= ml.Linear(6, name="fc1")(input="input", output="h")
    head += ml.Tanh()
    head += ml.Linear(3, name="fc2")(output="output")
    edited = model.edit().replace("fc", head)
    compiled = ml.compile(edited, ml.CpuBackend())
    assert compiled.parameter_keys[-4:] == [
        "fc.fc1.weight",
        "fc.fc1.bias",
        "fc.fc2.weight",
        "fc.fc2.bias",
    ]
    assert compiled.shapes["fc.fc1.weight"] == [6, 16]
    without_bias = model.edit().replace("fc", ml.Linear(3, use_bias=False))
    assert "fc.bias" not in without_bias.input_keys


def test_a_head_of_another_size_is_not_frozen_by_the_old_one() -> None:
    module = classifier().eval().requires_grad_(False)
    with pytest.warns(UserWarning, match="stay frozen"):
        model, _ = ml.from_torch(module, images())
    compiled = ml.compile(model.edit().replace("fc", ml.Linear(3)), ml.CpuBackend())
    assert "fc.weight" not in compiled.frozen_keys and "conv.weight" in compiled.frozen_keys
    same = ml.compile(model.edit().replace("fc", ml.Linear(10)), ml.CpuBackend())
    assert "fc.weight" in same.frozen_keys


def test_the_size_of_a_key_that_has_a_name_stays() -> None:
    net = ml.Model()
    net |= ml.Linear(10, name="fc")(input="x", weight="w", output="y")
    net.set_shapes(w=[10, 4])
    with pytest.raises(ml.ShapeError, match="E0202"):
        net.edit().replace("fc", ml.Linear(3))
