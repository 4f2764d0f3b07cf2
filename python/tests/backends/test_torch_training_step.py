"""TrainingStep with tensors of torch, which are updated where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

if TYPE_CHECKING:
    from collections.abc import Callable

RULES: dict[str, Callable[[], ml.Optimizer]] = {
    "sgd": lambda: ml.SGD(0.1, momentum=0.9),
    "adam": lambda: ml.Adam(0.01),
}


def compiled_on(backend: ml.Backend, **options: Any) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(8)(input="x", output="hidden")
    model += ml.Tanh()
    model += ml.Linear(1)(output="y")
    model |= ml.Mean()(input="y", output="loss")
    model.expose_keys("loss", "hidden")
    return ml.compile(model, backend, shapes={"x": [None, 6]}, data_keys={"x"}, **options)


def batch(seed: int) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(seed)
    return {"x": torch.randn(20, 6, dtype=torch.float64, generator=generator)}


def close(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return all(
        torch.allclose(ours[key], torch.as_tensor(theirs[key]), rtol=1e-10) for key in theirs
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("options", [{}, {"accumulate": 2}, {"average": ml.EMA(0.9)}])
def test_steps_are_those_of_the_cpu_backend(rule: str, options: dict[str, Any]) -> None:
    here = compiled_on(ml.CpuBackend(dtype=ml.float64))
    there = compiled_on(ml.TorchBackend(dtype=torch.float64))
    theirs = here.randomize_params(seed=1)
    params = {key: torch.tensor(value) for key, value in theirs.items()}
    places = {key: value.data_ptr() for key, value in params.items()}
    made = [
        ml.TrainingStep(model, RULES[rule](), output_gradients={"loss": 1.0}, **options)
        for model in (there, here)
    ]
    for seed in range(6):
        got = made[0](params, batch(seed))
        expected = made[1](theirs, {key: value.numpy() for key, value in batch(seed).items()})
        assert close(got, expected)
        assert close(params, theirs)
    assert {key: value.data_ptr() for key, value in params.items()} == places
    states = [step.optimizer.state_dict() for step in made]
    assert states[0].keys() == states[1].keys()
    assert close({key: torch.as_tensor(value) for key, value in states[0].items()}, states[1])
    if "average" in options:
        assert close(made[0].averages(params), made[1].averages(theirs))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("mixed", [False, True])
def test_all_parameters_move_in_torchscript_and_beside_arrays_of_numpy(
    rule: str, jit_compile: bool, mixed: bool
) -> None:
    here = compiled_on(ml.CpuBackend(dtype=ml.float64))
    there = compiled_on(ml.TorchBackend(dtype=torch.float64, jit_compile=jit_compile))
    theirs = here.randomize_params(seed=1)
    params = {
        key: value.copy() if mixed and "bias" in key else torch.tensor(value)
        for key, value in theirs.items()
    }
    steps = [
        ml.TrainingStep(model, RULES[rule](), output_gradients={"loss": 1.0})
        for model in (there, here)
    ]
    for seed in range(3):
        got = steps[0](params, batch(seed))
        expected = steps[1](theirs, {key: value.numpy() for key, value in batch(seed).items()})
        assert close(got, expected)
        assert close({key: torch.as_tensor(value) for key, value in params.items()}, theirs)


def test_parameters_of_any_strides_are_updated_where_they_are() -> None:
    compiled = compiled_on(ml.TorchBackend(dtype=torch.float64))
    params = {key: torch.as_tensor(v) for key, v in compiled.randomize_params(seed=1).items()}
    turned = {
        key: value.t().clone(memory_format=torch.contiguous_format).t()
        if value.ndim == 2
        else value.clone()
        for key, value in params.items()
    }
    assert not turned["linear.weight"].is_contiguous()
    for given in (params, turned):
        step = ml.TrainingStep(compiled, ml.SGD(0.1), output_gradients={"loss": 1.0})
        for seed in range(3):
            step(given, batch(seed))
    assert close(turned, params)


def test_a_parameter_that_is_an_output_keeps_its_old_value_there() -> None:
    model = ml.Model()
    model |= ml.Multiply()(left="x", right="w", output="y")
    model |= ml.Mean()(input="y", output="loss")
    model |= ml.Buffer()(input="w", output="before")
    model.expose_keys("loss", "before")
    compiled = ml.compile(
        model, ml.TorchBackend(), shapes={"x": [3], "w": [3]}, data_keys={"x"}, trainable_keys={"w"}
    )
    params = {"w": torch.ones(3)}
    step = ml.TrainingStep(compiled, ml.SGD(3.0), output_gradients={"loss": 1.0})
    outputs = step(params, {"x": torch.ones(3)})
    assert outputs["before"].tolist() == [1.0, 1.0, 1.0]
    assert params["w"].tolist() == [0.0, 0.0, 0.0]


def test_leaves_of_autograd_are_updated_and_autograd_notices() -> None:
    compiled = compiled_on(ml.TorchBackend(dtype=torch.float64, requires_grad=True))
    params = compiled.get_parameters()
    weight = params["linear_1.weight"]
    loss = (weight * weight).sum()
    step = ml.TrainingStep(compiled, ml.SGD(0.1), output_gradients={"loss": 1.0})
    step(params, batch(0))
    assert params["linear_1.weight"] is weight and weight.requires_grad
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_an_optimizer_continues_with_arrays_after_tensors_of_torch() -> None:
    here = compiled_on(ml.CpuBackend(dtype=ml.float64))
    there = compiled_on(ml.TorchBackend(dtype=torch.float64))
    arrays = here.randomize_params(seed=1)
    theirs = {key: value.copy() for key, value in arrays.items()}
    optimizer, expected = ml.Adam(0.01), ml.Adam(0.01)
    params = {key: torch.tensor(value) for key, value in arrays.items()}
    x = batch(0)
    ml.TrainingStep(there, optimizer, output_gradients={"loss": 1.0})(params, x)
    arrays = {key: value.numpy() for key, value in params.items()}
    data = {"x": x["x"].numpy()}
    loss = {"loss": 1.0}
    ml.TrainingStep(here, optimizer, output_gradients=loss)(arrays, data)
    _, gradients = here.evaluate(arrays, data, output_gradients=loss)
    optimizer.step(arrays, gradients)
    step = ml.TrainingStep(here, expected, output_gradients=loss)
    for _ in range(3):
        step(theirs, data)
    assert close({key: torch.as_tensor(value) for key, value in arrays.items()}, theirs)


def test_tensors_that_share_elements_are_refused() -> None:
    compiled = compiled_on(ml.TorchBackend(dtype=torch.float64))
    params = {key: torch.as_tensor(v) for key, v in compiled.randomize_params(seed=1).items()}
    params["linear_1.bias"] = params["linear.bias"][:1]
    step = ml.TrainingStep(compiled, ml.SGD(0.1), output_gradients={"loss": 1.0})
    with pytest.raises(ml.InputError, match=r"\[E0812\]"):
        step(params, batch(0))
    params["linear_1.bias"] = torch.zeros(1, dtype=torch.float64).expand(1)
    step(params, batch(0))
