"""Outputs that are asked for: only training needs labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

X = {"x": np.ones((3, 4), np.float32)}
LABEL = {"label": np.array([0, 1, 1])}


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(3)(input="x")
    net += ml.BatchNorm1D()
    net += ml.Linear(2)(output="logits")
    net.set_shapes(x=["N", 4])
    return net


def with_loss(net: ml.Model) -> ml.Model:
    model = ml.Model()
    model |= net(x="x", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    return model


@pytest.fixture(params=["cpu", "torch", "jax"])
def backend(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        pytest.importorskip("torch")
        return ml.TorchBackend()
    if request.param == "jax":
        pytest.importorskip("jax")
        return ml.JaxBackend()
    return ml.CpuBackend()


def test_outputs_need_only_their_inputs(backend: Any) -> None:
    compiled = ml.compile(with_loss(network()), backend)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    x = {key: backend.array(value) for key, value in X.items()}
    label = {key: backend.array(value) for key, value in LABEL.items()}
    every, _ = compiled.evaluate(params, {**x, **label}, state=state)
    some, following = compiled.evaluate(params, x, state=state, outputs=["logits"])
    assert list(some) == ["logits"]
    assert set(following) == set(state)
    logits = np.asarray(every["logits"])
    assert np.allclose(np.asarray(some["logits"]), logits, atol=1e-6)
    inferred = compiled.infer(params, x, state)
    assert list(inferred) == ["logits"]
    assert list(compiled.infer(params, {**x, **label}, state, outputs="loss")) == ["loss"]
    deployed = compiled.bind(params, state)
    assert (deployed.data_keys, deployed.output_keys) == (["x"], ["logits"])
    answer = deployed.evaluate({}, {**x, **label})["logits"]
    assert np.allclose(np.asarray(answer), np.asarray(inferred["logits"]), atol=1e-6)
    assert compiled.in_inference(outputs=["losses"]).output_keys == ["losses"]
    assert compiled.bind(params, outputs=["logits", "loss"]).output_keys == ["logits", "loss"]


def test_gradients_of_some_outputs() -> None:
    compiled = ml.compile(with_loss(network()), ml.CpuBackend(), inference=False)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    gradient = {"logits": np.ones((3, 2), np.float32)}
    outputs, gradients, _ = compiled.evaluate(
        params, X, output_gradients=gradient, state=state, outputs=["logits"]
    )
    assert list(outputs) == ["logits"]
    assert gradients.keys() == params.keys()


def test_gradients_of_data_in_inference_mode(backend: Any) -> None:
    compiled = ml.compile(with_loss(network()), backend).in_inference()
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    ones = {"logits": backend.array(np.ones((3, 2), np.float32))}

    def gradients(keys: str | list[str] | None) -> dict[str, Any]:
        data = {"x": backend.array(x)}
        results = compiled.evaluate(
            params, data, output_gradients=ones, state=state, gradient_keys=keys
        )
        return {key: np.asarray(value) for key, value in results[1].items()}

    of_params = gradients(None)
    assert list(of_params) == list(params)
    (of_x,) = gradients("x").values()
    # x only enters the first layer, so that the slope of each row is that of the layer's output.
    first, bias = "model.linear.weight", "model.linear.bias"
    slope = np.asarray(params[first])
    made = gradients([bias, "x", first])
    assert list(made) == [first, bias, "x"]
    np.testing.assert_array_equal(made["x"], of_x)
    np.testing.assert_array_equal(made[first], of_params[first])
    second, scale = np.asarray(params["model.linear_1.weight"]), (1 + 1e-5) ** -0.5
    np.testing.assert_allclose(of_x, np.tile(second.sum(0) * scale @ slope, (3, 1)), rtol=1e-5)


def test_keys_of_gradients_are_checked() -> None:
    compiled = ml.compile(with_loss(network()), ml.CpuBackend(), inference=False)
    arguments = compiled.get_parameters(), {**X, **LABEL}
    state = compiled.initial_state_dict
    with pytest.raises(ml.InputError, match=r"\[E0817\]: there is no input 'xx'"):
        compiled.evaluate(
            *arguments, output_gradients={"loss": 1.0}, state=state, gradient_keys="xx"
        )
    with pytest.raises(ml.GradientError, match=r"\[E0502\]: label: "):
        compiled.evaluate(
            *arguments, output_gradients={"loss": 1.0}, state=state, gradient_keys=["label"]
        )
    with pytest.raises(ml.InputError, match=r"\[E0808\]: gradient_keys needs output_gradients"):
        compiled.evaluate(*arguments, state=state, gradient_keys=["x"])


def test_the_missing_input_names_the_outputs() -> None:
    compiled = ml.compile(with_loss(network()), ml.CpuBackend())
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    with pytest.raises(ml.InputError, match=r"needed for : losses, loss") as caught:
        compiled.evaluate(params, X, state=state)
    assert "outputs=['logits']" in str(caught.value)
    with pytest.raises(ml.InputError, match=r"E0807.*no output 'logit'"):
        compiled.infer(params, X, state, outputs="logit")


def test_compile_takes_outputs() -> None:
    model = with_loss(network())
    compiled = ml.compile(model, ml.CpuBackend(), outputs=["logits"], inference=True)
    assert compiled.data_keys == ["x"]
    assert ml.compile(model, ml.CpuBackend(), outputs=model.logits).output_keys == ["logits"]
    whole = ml.compile(model, ml.CpuBackend(), inference=True)
    assert whole.output_keys == ["logits"]
    params = ml.compile(model, ml.CpuBackend()).get_parameters()
    assert compiled.load_state_dict(params).keys() == params.keys()


def test_packages_and_engines_have_outputs(tmp_path: Path) -> None:
    model = with_loss(network())
    compiled = ml.compile(model, ml.CpuBackend())
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    ml.save_package(tmp_path / "net", model, params, state=state)
    package = ml.load_package(tmp_path / "net")
    assert [port.name for port in package.info.inputs] == ["x"]
    assert [port.name for port in package.info.outputs] == ["logits"]
    expected = compiled.infer(params, X, state)["logits"]
    assert np.allclose(package.compile().evaluate({}, X)["logits"], expected, atol=1e-6)
    ml.save_package(tmp_path / "net", model, params, state=state, outputs=["loss"])
    scored = ml.load_package(tmp_path / "net").compile()
    assert scored.data_keys == ["x", "label"]
    engine = ml.Engine()
    engine.register_model("net", compiled, params, state=state, max_batch_size=8)
    assert np.allclose(engine.infer("net", X)["logits"], expected, atol=1e-6)
    engine.register_model("net", compiled, params, state=state, outputs=["loss", "logits"])
    assert set(engine.infer("net", {**X, **LABEL})) == {"loss", "logits"}
    engine.register_model("net", package, max_batch_size=8)
    assert np.allclose(engine.infer("net", {**X, **LABEL})["logits"], expected, atol=1e-6)


def test_a_part_of_another_model_is_deployed(tmp_path: Path) -> None:
    net = network()
    outer = with_loss(net)
    compiled = ml.compile(outer, ml.CpuBackend())
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    part = ml.compile(net, ml.CpuBackend())
    inner = {key: params[f"model.{key}"] for key in part.parameter_keys}
    states = {key: state[f"model.{key}"] for key in part.initial_state_dict}
    expected = compiled.infer(params, X, state)["logits"]
    assert np.allclose(part.infer(inner, X, states)["logits"], expected, atol=1e-6)
    ml.save_package(tmp_path / "net.zip", net, inner, state=states)
    loaded = ml.load_package(tmp_path / "net.zip").compile()
    assert np.allclose(loaded.evaluate({}, X)["logits"], expected, atol=1e-6)
    assert ml.Model.from_json(net.to_json()) == network() == net
    ml.codegen(ml.compile(net, ml.CpuBackend(), inference=True), tmp_path / "net.cpp", data=X)


@pytest.mark.parametrize("level", ["none", "standard", "max"])
@pytest.mark.parametrize("jit", [False, True])
def test_writes_to_outputs_do_not_change_a_bound_model(level: Any, jit: bool) -> None:
    pytest.importorskip("torch")
    w = ml.IOKey("w", shape=[3, 4], differentiable=True)
    model = ml.Model.create(same=ml.Buffer()(w), turned=w.transpose(), y=ml.IOKey("x") @ w)
    compiled = ml.compile(
        model,
        ml.TorchBackend(),
        shapes={"x": [2, 3]},
        data_keys=["x"],
        jit=jit,
        optimization_level=level,
    )
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    x = {"x": np.ones((2, 3), np.float32)}
    expected = params["w"].detach().numpy().copy()
    for name in ("same", "turned"):
        bound.evaluate({}, x)[name][:] = 99
        outputs = bound.evaluate({}, x)
        np.testing.assert_array_equal(outputs["same"].numpy(), expected)
        np.testing.assert_array_equal(outputs["turned"].numpy(), expected.T)
