"""Frozen parameters: the option `frozen` of compile, and parameters that the model freezes."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mithril as ml

Arrays = dict[str, Any]
BACKENDS: dict[str, Any] = {
    "cpu": ml.CpuBackend,
    "torch": ml.TorchBackend,
    "autograd": lambda **options: ml.TorchBackend(requires_grad=True, **options),
}
FROZEN = ["encoder.weight", "encoder.bias"]
TRAINED = ["head.weight", "head.bias"]
needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="jax is not installed"
)


def network() -> ml.Model:
    """Two layers with the losses of the samples and their mean."""
    model = ml.Model()
    model |= ml.Linear(5, name="encoder")(input="x", output="hidden")
    model |= ml.Tanh()(input="hidden", output="active")
    model |= ml.Linear(3, name="head")(input="active", output="scores")
    model |= ml.SquaredError()(input="scores", target="y", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    model.expose_keys("losses", "loss")
    return model


def compiled_network(backend: Any = None, **options: Any) -> ml.CompiledModel:
    options = {"frozen": ["encoder.*"], "data_keys": ["x", "y"], **options}
    shapes = {"x": ["N", 4], "y": ["N", 3]}
    return ml.compile(
        network(), backend or ml.CpuBackend(dtype=ml.float64), shapes=shapes, **options
    )


def batch(rows: int = 6, seed: int = 0) -> Arrays:
    numbers = np.random.default_rng(seed)
    return {"x": numbers.standard_normal((rows, 4)), "y": numbers.standard_normal((rows, 3))}


def bits(params: Arrays) -> dict[str, bytes]:
    return {key: host(value).tobytes() for key, value in params.items()}


def host(value: Any) -> Any:
    return np.array(np.asarray(value.detach() if hasattr(value, "detach") else value))


class Peer(torch.nn.Module):
    """The network in torch, with the same frozen layer."""

    def __init__(self, params: Arrays) -> None:
        super().__init__()
        self.encoder, self.head = torch.nn.Linear(4, 5), torch.nn.Linear(5, 3)
        self.double()
        self.load_state_dict({key: torch.tensor(host(value)) for key, value in params.items()})
        self.encoder.requires_grad_(False)

    def losses(self, data: Arrays) -> torch.Tensor:
        x, y = torch.tensor(data["x"]), torch.tensor(data["y"])
        return (self.head(torch.tanh(self.encoder(x))) - y).square()

    def gradients(self) -> Arrays:
        return {key: p.grad for key, p in self.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("kind", BACKENDS)
def test_gradients_are_those_of_torch_without_the_frozen_layer(kind: str) -> None:
    compiled = compiled_network(BACKENDS[kind](dtype=ml.float64))
    assert compiled.frozen_keys == FROZEN
    assert compiled.parameter_keys == [*FROZEN, *TRAINED]
    params = compiled.get_parameters()
    assert list(params) == [*FROZEN, *TRAINED]
    backend, data = compiled.backend, batch()
    given = {key: backend.array(value) for key, value in data.items()}
    _, gradients = compiled.evaluate(params, given, output_gradients={"loss": 1.0})
    peer = Peer(params)
    peer.losses(data).mean().backward()
    expected = peer.gradients()
    assert list(gradients) == list(expected) == TRAINED
    for key, value in expected.items():
        np.testing.assert_allclose(host(gradients[key]), host(value), rtol=1e-12)


def test_norms_of_samples_are_those_of_torch_without_the_frozen_layer() -> None:
    compiled = compiled_network()
    params, data = compiled.get_parameters(), batch()
    norms = ml.PerSample(compiled, losses="losses").norms(params, data)
    peer = Peer(params)
    expected = []
    for losses in peer.losses(data):
        peer.zero_grad()
        losses.sum().backward(retain_graph=True)
        squares = [value.square().sum() for value in peer.gradients().values()]
        expected.append(float(sum(squares)) ** 0.5)
    assert list(norms.by_key) == TRAINED
    np.testing.assert_allclose(norms.total, expected, rtol=1e-12)


@pytest.mark.parametrize("make", [ml.SGD, ml.Adam, ml.AdamW, ml.RMSprop], ids=lambda m: m.__name__)
@pytest.mark.parametrize("kind", BACKENDS)
def test_no_optimizer_moves_frozen_parameters(kind: str, make: Any) -> None:
    compiled = compiled_network(BACKENDS[kind](dtype=ml.float32), outputs=["loss"])
    params = compiled.get_parameters()
    before = bits(params)
    optimizer = make(0.1, weight_decay=0.5)
    step = ml.TrainingStep(compiled, optimizer, average=ml.EMA(0.5))
    data = {key: compiled.backend.array(value) for key, value in batch().items()}
    for _ in range(3):
        step(params, data)
    optimizer = make(0.1, weight_decay=0.5)
    plain = {key: host(value) for key, value in params.items()}
    gradients = compiled.evaluate(params, data, output_gradients=True)[1]
    optimizer.step(plain, {key: host(value) for key, value in gradients.items()})
    for got in (bits(params), bits(plain), bits(step.averages(params))):
        assert [key for key in before if got[key] == before[key]] == FROZEN


def test_fit_leaves_frozen_parameters_as_they_are() -> None:
    compiled = compiled_network(outputs=["loss"])
    params = compiled.get_parameters()
    before = bits(params)
    step = ml.TrainingStep(compiled, ml.AdamW(0.1, weight_decay=0.5))
    ml.fit(step, batch(), epochs=2, batch_size=2, params=params, loss="loss", progress=False)
    after = bits(params)
    assert [key for key in before if after[key] == before[key]] == FROZEN


@pytest.mark.parametrize("same_pass", [False, True])
@pytest.mark.parametrize("library", ["mithril", "torch"])
def test_the_engine_leaves_frozen_parameters_as_they_are(library: str, same_pass: bool) -> None:
    backend = (
        ml.CpuBackend(dtype=ml.float64)
        if library == "mithril"
        else ml.TorchBackend(dtype=ml.float64)
    )
    compiled = compiled_network(backend)
    params = compiled.get_parameters()
    before = bits(params)
    engine = ml.GradDotProdEngine(
        compiled, losses="losses", validation_batch_size=6, same_pass=same_pass
    )
    if library == "mithril":
        optimizer: Any = ml.AdamW(0.1, weight_decay=0.5)
    else:
        params = {key: torch.nn.Parameter(value) for key, value in params.items()}
        optimizer = torch.optim.AdamW(params.values(), 0.1, weight_decay=0.5)
    engine.attach(optimizer, params)
    data, validation = batch(), batch(6, 1)
    arrays = {key: backend.array(value) for key, value in data.items()}
    engine.attach_and_store_valset({k: backend.array(v) for k, v in validation.items()})
    engine.attach_train_batch(arrays, 0, 0)
    gradients = engine.prepare_gradients()
    assert list(gradients) == TRAINED
    dots = engine.aggregate_and_log()
    expected = Peer(params)
    of_validation = gradient_of(expected, expected.losses(validation).sum())
    of_samples = [gradient_of(expected, losses.sum()) for losses in expected.losses(data)]
    sums = [sum(float((g * of_validation[k]).sum()) for k, g in s.items()) for s in of_samples]
    np.testing.assert_allclose(dots, sums, rtol=1e-9)
    if library == "mithril":
        optimizer.step(params, gradients)
    else:
        optimizer.step()
    engine.clear_gradients()
    after = bits(params)
    assert [key for key in before if after[key] == before[key]] == FROZEN


def gradient_of(peer: Peer, loss: torch.Tensor) -> Arrays:
    peer.zero_grad()
    loss.backward(retain_graph=True)
    return {key: value.clone() for key, value in peer.gradients().items()}


@needs_jax
def test_the_engine_of_jax_has_no_gradients_of_frozen_parameters() -> None:
    compiled = compiled_network()
    params, data, validation = compiled.get_parameters(), batch(), batch(6, 1)
    engine = ml.GradDotProdEngineJAX(compiled, losses="losses", validation_batch_size=6)
    gradient, dots, _ = engine.compute_step(
        params, data["x"], data["y"], validation["x"], validation["y"]
    )
    assert sorted(gradient) == sorted(TRAINED)
    expected = ml.PerSample(compiled, losses="losses").dots(params, data, validation).total
    np.testing.assert_allclose(dots, expected, rtol=1e-9)


def test_torch_differentiates_no_frozen_parameter() -> None:
    compiled = compiled_network(ml.TorchBackend(dtype=ml.float64, requires_grad=True))
    params = compiled.get_parameters()
    assert [key for key, value in params.items() if value.requires_grad] == TRAINED
    data = {key: torch.tensor(value) for key, value in batch().items()}
    wanted = {key: value.detach().requires_grad_() for key, value in params.items()}
    compiled.evaluate(wanted, data)["loss"].backward()
    assert [key for key, value in wanted.items() if value.grad is not None] == TRAINED


def test_a_module_of_torch_requires_no_gradients_of_frozen_parameters() -> None:
    compiled = compiled_network(ml.TorchBackend(dtype=ml.float64), outputs=["loss"])
    given = {key: torch.nn.Parameter(value) for key, value in compiled.get_parameters().items()}
    before = bits(given)
    module = ml.as_torch_module(compiled, given)
    trained = [key for key, value in module.named_parameters() if value.requires_grad]
    assert trained == TRAINED
    optimizer = torch.optim.AdamW(module.parameters(), 0.1, weight_decay=0.5)
    module(**{key: torch.tensor(value) for key, value in batch().items()}).backward()
    optimizer.step()
    after = bits(dict(module.named_parameters()))
    assert [key for key in before if after[key] == before[key]] == FROZEN


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_pickled_or_copied_model_keeps_frozen_parameters(way: Any) -> None:
    assert way(compiled_network()).frozen_keys == FROZEN


def test_a_package_keeps_the_parameters_that_the_model_froze(tmp_path: Path) -> None:
    model = network()
    model.set_differentiability({key: False for key in FROZEN})
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x", "y"], shapes={"x": ["N", 4]})
    assert compiled.frozen_keys == FROZEN
    params = compiled.get_parameters()
    ml.save_package(tmp_path / "net", model, params, data_keys=["x", "y"], outputs=["loss"])
    package = ml.load_package(tmp_path / "net")
    assert package.compile(ml.CpuBackend(), bind=False).frozen_keys == FROZEN
    again = ml.compile(package.model, ml.CpuBackend(), data_keys=["x", "y"], outputs=["loss"])
    assert again.frozen_keys == FROZEN
    gradients = again.evaluate(package.params, batch(), output_gradients=True)[1]
    assert list(gradients) == TRAINED
    read = ml.Model.from_json(model.to_json())
    assert ml.compile(read, ml.CpuBackend(), data_keys=["x", "y"]).frozen_keys == FROZEN


@needs_jax
@pytest.mark.slow
def test_jax_has_zero_gradients_of_frozen_parameters(tmp_path: Path) -> None:
    import jax  # noqa: PLC0415 - it may be missing

    compiled = compiled_network(ml.CpuBackend("float32"), outputs=["loss"])
    ml.to_jax(compiled, tmp_path / "net.py")
    model = runpy.run_path(str(tmp_path / "net.py"))["model"]
    params, data = compiled.get_parameters(), batch()
    expected = compiled.evaluate(params, data, output_gradients=True)[1]
    found = jax.grad(lambda p: model(p, data)["loss"])({k: host(v) for k, v in params.items()})
    for key in FROZEN:
        assert not np.any(np.asarray(found[key]))
    for key in TRAINED:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-4)


def test_modules_of_javascript_list_no_gradient_of_frozen_parameters(tmp_path: Path) -> None:
    compiled = compiled_network(ml.CpuBackend(), outputs=["loss"])
    ml.to_javascript(compiled, tmp_path / "net.mjs", data=batch())
    listed = (tmp_path / "net.mjs").read_text().split("  gradients: [", 1)[1].split("  ],", 1)[0]
    assert [line.split('"')[1] for line in listed.strip().splitlines()] == TRAINED
    types = (tmp_path / "net.d.mts").read_text()
    assert [types.count(json.dumps(key)) for key in (*FROZEN, *TRAINED)] == [1, 1, 2, 2]


def test_patterns_are_a_text_or_several_and_are_checked() -> None:
    assert compiled_network(frozen="encoder.*").frozen_keys == FROZEN
    assert compiled_network(frozen=None).frozen_keys == []
    assert compiled_network(frozen=(key for key in FROZEN)).frozen_keys == FROZEN
    with pytest.raises(ml.NameError, match=r"no parameter matches the pattern 'encodr\.\*'\n"):
        compiled_network(frozen=["encodr.*"])
    with pytest.raises(ml.ValueError, match=r"'head\.bias' is in trainable_keys and in frozen"):
        compiled_network(trainable_keys=["head.bias"], frozen=["head.bias"])
    with pytest.raises(ml.ValueError, match="'x' is in data_keys and in frozen"):
        compiled_network(frozen=["x"])
    with pytest.raises(ml.TypeError, match="argument 'frozen' has the wrong kind"):
        compiled_network(frozen=3)


def test_ways_of_other_libraries_to_freeze_point_to_frozen() -> None:
    hint = r"compile\(\.\.\., frozen="
    with pytest.raises(ml.NameError, match=hint):
        ml.Linear(3, requires_grad=False)
    with pytest.raises(ml.AttributeError, match=hint):
        getattr(network(), "requires_grad_")  # noqa: B009 - the attribute does not exist
    with pytest.raises(ml.AttributeError, match="use frozen= of compile"):
        getattr(ml.Tensor([1.0]), "requires_grad")  # noqa: B009 - the attribute does not exist


def test_a_summary_says_which_parameters_are_frozen() -> None:
    lines = compiled_network().summary().splitlines()
    assert [line.split()[0] for line in lines if " frozen parameter " in line] == FROZEN
