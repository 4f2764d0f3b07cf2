"""`ml.to_onnx(gradients=True)`: files that compute the gradients of parameters."""

import numpy as np
import pytest

import mithril as ml

RNG = np.random.default_rng(0)


def layers() -> ml.Model:
    net = ml.Model()
    net |= ml.Conv2d(filters=3, kernel_size=3, padding=1)(input="image")
    net += ml.Relu()
    net += ml.MaxPool2D(2)
    net += ml.Conv2d(filters=4, kernel_size=2, stride=2)
    net += ml.AvgPool2D(2)
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(5)(output="logits")
    return net


def training() -> ml.TrainModel:
    train = ml.TrainModel(layers())
    train.add_loss(ml.CrossEntropy(), input="logits", target="label", reduce_steps=[ml.Mean()])
    return train


def read(path, data):
    """The model of a file, for the sizes of the data, and the parameters in it."""
    model, params, _ = ml.from_onnx(path, shapes={key: value.shape for key, value in data.items()})
    return ml.compile(model, ml.CpuBackend()), params


@pytest.mark.parametrize("opset", [16, 20])
def test_gradients_of_a_loss_are_outputs(tmp_path, opset):
    shapes = {"image": ["N", 2, 8, 8], "label": ["N"]}
    compiled = ml.compile(training(), ml.CpuBackend(), shapes=shapes)
    params = compiled.randomize_params(3)
    data = {
        "image": RNG.normal(size=(6, 2, 8, 8)).astype(np.float32),
        "label": RNG.integers(0, 5, 6),
    }
    path = tmp_path / "train.onnx"
    ml.to_onnx(compiled, path, params, gradients=True, opset=opset, data=data)
    outputs, gradients = compiled.evaluate(params, data, output_gradients=True)
    again, read_params = read(path, data)
    got = again.evaluate(read_params, data)
    np.testing.assert_allclose(got["final_cost"], outputs["final_cost"], rtol=1e-5)
    assert set(params) <= set(read_params)
    for key, gradient in gradients.items():
        np.testing.assert_allclose(got[f"{key}.grad"], gradient, rtol=1e-4, atol=1e-6)


def test_incoming_gradients_of_other_models_are_inputs(tmp_path):
    compiled = ml.compile(layers(), ml.CpuBackend(), shapes={"image": ["N", 2, 8, 8]})
    params = compiled.randomize_params(3)
    image = RNG.normal(size=(3, 2, 8, 8)).astype(np.float32)
    incoming = RNG.normal(size=(3, 5)).astype(np.float32)
    path = tmp_path / "net.onnx"
    data = {"image": image, "logits.grad": incoming}
    ml.to_onnx(compiled, path, params, gradients=True, data=data)
    seeds = {"logits": incoming}
    _, expected = compiled.evaluate(params, {"image": image}, output_gradients=seeds)
    again, read_params = read(path, data)
    got = again.evaluate(read_params, data)
    for key, gradient in expected.items():
        np.testing.assert_allclose(got[f"{key}.grad"], gradient, rtol=1e-4, atol=1e-6)


def test_frozen_parameters_have_no_gradient(tmp_path):
    shapes = {"image": ["N", 2, 8, 8], "label": ["N"]}
    compiled = ml.compile(training(), ml.CpuBackend(), shapes=shapes, frozen=["conv2d_1.*"])
    params = compiled.randomize_params(3)
    path = tmp_path / "train.onnx"
    ml.to_onnx(compiled, path, params, gradients=True)
    model, _, _ = ml.from_onnx(path, shapes={"image": [1, 2, 8, 8], "label": [1]})
    given = {key for key in model.output_keys if key.endswith(".grad")}
    frozen = {key for key in params if key.startswith("conv2d_1.")}
    assert given == {f"{key}.grad" for key in set(params) - frozen}
    assert frozen


def test_a_model_for_inference_has_no_gradients(tmp_path):
    shapes = {"image": [1, 2, 8, 8]}
    compiled = ml.compile(layers(), ml.CpuBackend(), shapes=shapes, inference=True)
    params = compiled.randomize_params(3)
    with pytest.raises(ml.GradientError) as info:
        ml.to_onnx(compiled, tmp_path / "net.onnx", params, gradients=True)
    assert str(info.value) == (
        "mithril.GradientError[E0505]: the model was compiled for inference: it has no gradients"
    )
    assert list(tmp_path.iterdir()) == []


def test_examples_need_the_incoming_gradients(tmp_path):
    compiled = ml.compile(layers(), ml.CpuBackend(), shapes={"image": ["N", 2, 8, 8]})
    image = np.zeros((1, 2, 8, 8), np.float32)
    with pytest.raises(ml.InputError) as info:
        ml.to_onnx(
            compiled,
            tmp_path / "net.onnx",
            compiled.randomize_params(3),
            gradients=True,
            data={"image": image},
        )
    assert str(info.value) == (
        "mithril.InputError[E1325]: to_onnx: data has other keys than the model has inputs\n"
        "  missing : logits.grad"
    )
