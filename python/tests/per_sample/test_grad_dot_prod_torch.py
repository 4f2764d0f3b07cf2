"""ml.GradDotProdEngine with optimizers of torch; skipped where torch, or its plugin, is missing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from grad_dot_prod_cases import BATCH, batches, compiled_case
from per_sample_models import CASES, Data

import mithril as ml


def torch_model() -> tuple[Any, ml.CompiledModel]:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    try:
        return torch, compiled_case("convolutions", ml.TorchBackend(dtype="float64"))
    except ml.BackendError as error:
        pytest.skip(str(error).splitlines()[0])


def as_tensors(torch: Any, data: Data) -> dict[str, Any]:
    return {key: torch.from_numpy(value) for key, value in data.items()}


@pytest.mark.parametrize("same_pass", [False, True])
@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
@pytest.mark.sampled(7)
def test_optimizers_of_torch_take_the_same_steps(optimizer: str, same_pass: bool) -> None:
    torch, compiled = torch_model()
    data = [as_tensors(torch, batch) for batch in batches("convolutions")]
    start = compiled.get_parameters(1)
    alone = ml.as_torch_module(compiled, {key: value.clone() for key, value in start.items()})
    ours = ml.as_torch_module(compiled, {key: value.clone() for key, value in start.items()})
    make = getattr(torch.optim, optimizer)
    first, second = make(alone.parameters(), lr=1e-2), make(ours.parameters(), lr=1e-2)
    engine = ml.GradDotProdEngine(
        compiled, losses="losses", validation_batch_size=4, same_pass=same_pass
    )
    engine.attach(second)
    validation = CASES["convolutions"].data(np.random.default_rng(2), 4)
    engine.attach_and_store_valset(as_tensors(torch, validation))
    for iteration, batch in enumerate(data):
        first.zero_grad()
        alone(**batch)["losses"].sum().div(BATCH).backward()
        first.step()
        engine.attach_train_batch(batch, iteration, torch.arange(BATCH))
        engine.prepare_gradients()
        engine.aggregate_and_log()
        second.step()
        engine.clear_gradients()
    assert all(parameter.grad is None for parameter in ours.parameters())
    for expected, value in zip(alone.parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(value, expected, rtol=1e-6, atol=1e-9)


def test_keys_are_the_names_of_torchs_optimizer_in_any_order() -> None:
    torch, compiled = torch_model()
    params = compiled.get_parameters()
    backwards = list(params.items())[::-1]
    engine = fresh_torch(compiled)
    engine.attach(torch.optim.SGD(backwards, lr=0.1))
    assert all(engine.params[key] is value for key, value in params.items())
    engine.detach()
    engine.attach(torch.optim.SGD([value for _, value in backwards], lr=0.1), params)
    assert all(engine.params[key] is value for key, value in params.items())
    engine.detach()
    engine.attach(torch.optim.SGD(params.values(), lr=0.1))
    assert all(engine.params[key] is value for key, value in params.items())


def fresh_torch(compiled: ml.CompiledModel) -> ml.GradDotProdEngine:
    return ml.GradDotProdEngine(compiled, losses="losses", validation_batch_size=4)


def test_parameters_without_names_in_an_ambiguous_order_are_refused() -> None:
    torch, compiled = torch_model()
    params = compiled.get_parameters()
    advice = (
        "\n  help: give the optimizer module.named_parameters(), or attach(optimizer, params) a "
        "dict of all parameters by key"
    )
    unclear = (
        "mithril.InputError[E0816]: attach: the parameters of the optimizer have no names, and "
        "their order does not tell them" + advice
    )
    values = list(params.values())
    groups = [{"params": values[:1]}, {"params": values[1:]}]
    for given in (values[::-1], values[:-1], groups):
        with pytest.raises(ml.InputError, match=re.escape(unclear)):
            fresh_torch(compiled).attach(torch.optim.SGD(given, lr=0.1))
    other = "attach: a parameter of the optimizer is not among 'params'"
    with pytest.raises(ml.InputError, match=re.escape(other + advice)):
        fresh_torch(compiled).attach(torch.optim.SGD([torch.zeros(3)], lr=0.1), params)


def test_an_order_of_a_module_that_may_be_the_order_of_the_keys_is_refused() -> None:
    """A module's own parameters come before those of its submodules."""
    torch, _ = torch_model()
    block = ml.Model(name="block")
    block |= ml.Linear(4, use_bias=False, name="inner")(input="x", output="h")
    weight = ml.IOKey("last", shape=[4, 4], differentiable=True)
    block |= ml.MatrixMultiply()(left="h", right=weight, output="out")
    model = ml.Model()
    model |= block(x="x", out="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    compiled = ml.compile(model, ml.TorchBackend(), shapes={"x": [None, 4]}, data_keys={"x", "y"})
    assert compiled.parameter_keys == ["block.inner.weight", "block.last"]
    module = ml.as_torch_module(compiled)
    assert [name for name, _ in module.named_parameters()] == ["block.last", "block.inner.weight"]
    with pytest.raises(ml.InputError, match="E0816"):
        fresh_torch(compiled).attach(torch.optim.SGD(module.parameters(), lr=0.1))
    engine = fresh_torch(compiled)
    engine.attach(torch.optim.SGD(module.named_parameters(), lr=0.1))
    assert engine.params["block.last"] is module.block.last
