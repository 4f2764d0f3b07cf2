"""The backend on PyTorch; skipped where torch, or the plugin built against it, is missing."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

F = torch.nn.functional


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(8)(input="x")
    model += ml.Gelu()
    model += ml.Linear(3)(output="y")
    return model


def by_torch(params: dict, x: "torch.Tensor") -> "torch.Tensor":
    hidden = F.gelu(F.linear(x, params["linear.weight"], params["linear.bias"]))
    return F.linear(hidden, params["linear_1.weight"], params["linear_1.bias"])


def compiled_on(**options: object) -> tuple:
    backend = ml.TorchBackend(**options)
    compiled = ml.compile(network(), backend, shapes={"x": [None, 5]})
    return backend, compiled, compiled.get_parameters()


def test_evaluates_as_torch_does() -> None:
    _, compiled, params = compiled_on(dtype=torch.float64)
    x = torch.randn(4, 5, dtype=torch.float64)
    out = compiled.evaluate(params, {"x": x})["y"]
    assert isinstance(out, torch.Tensor)
    assert torch.allclose(out, by_torch(params, x), atol=1e-12)


def test_gradients_are_those_of_autograd() -> None:
    _, compiled, params = compiled_on(dtype=torch.float64)
    x, g = torch.randn(4, 5, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
    _, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"y": g})
    leaves = {key: value.clone().requires_grad_() for key, value in params.items()}
    by_torch(leaves, x).backward(g)
    for key, leaf in leaves.items():
        assert torch.allclose(gradients[key], leaf.grad, atol=1e-12), key


def test_parameters_share_their_storage() -> None:
    _, compiled, params = compiled_on()
    x = torch.randn(2, 5)
    before = compiled.evaluate(params, {"x": x})["y"].clone()
    params["linear_1.bias"].add_(1)
    assert torch.allclose(compiled.evaluate(params, {"x": x})["y"], before + 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_parameters_and_results_follow_the_dtype(dtype: str) -> None:
    _, compiled, params = compiled_on(dtype=getattr(torch, dtype))
    assert {value.dtype for value in params.values()} == {getattr(torch, dtype)}
    out = compiled.evaluate(params, {"x": torch.randn(2, 5)})["y"]
    assert out.dtype == getattr(torch, dtype)


def test_loss_backward_fills_the_gradients_of_leaves() -> None:
    _, compiled, params = compiled_on(requires_grad=True, dtype=torch.float64)
    assert all(value.requires_grad and value.is_leaf for value in params.values())
    x = torch.randn(4, 5, dtype=torch.float64)
    compiled.evaluate(params, {"x": x})["y"].square().sum().backward()
    leaves = {key: value.detach().clone().requires_grad_() for key, value in params.items()}
    by_torch(leaves, x).square().sum().backward()
    for key, leaf in leaves.items():
        assert torch.allclose(params[key].grad, leaf.grad, atol=1e-12), key


def test_gradients_flow_through_the_seams_with_modules() -> None:
    _, compiled, params = compiled_on(requires_grad=True, dtype=torch.float64)
    first, last = torch.nn.Linear(2, 5).double(), torch.nn.Linear(3, 1).double()
    x = torch.randn(4, 2, dtype=torch.float64)
    last(compiled.evaluate(params, {"x": first(x)})["y"]).sum().backward()
    got = first.weight.grad.clone()
    first.zero_grad()
    fixed = {key: value.detach() for key, value in params.items()}
    last(by_torch(fixed, first(x))).sum().backward()
    assert torch.allclose(got, first.weight.grad, atol=1e-12)


def test_gradients_flow_through_a_change_of_width() -> None:
    _, compiled, params = compiled_on(requires_grad=True, dtype=torch.float32)
    x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    compiled.evaluate(params, {"x": x})["y"].sum().backward()
    fixed = {key: value.detach() for key, value in params.items()}
    (expected,) = torch.autograd.grad(by_torch(fixed, x.float()).sum(), x)
    assert x.grad is not None
    assert torch.allclose(x.grad, expected, atol=1e-6)


def test_gradients_may_be_written_to() -> None:
    """Clipping writes to gradients: they are contiguous, and share no elements."""
    model = ml.Model()
    model |= ml.Add()(left="a", right="b", output="sum")
    model |= ml.Mean()(input="c", output="mean")
    model |= ml.Add()(left="sum", right="mean", output="y")
    model.expose_keys("y")
    keys = ["a", "b", "c"]
    compiled = ml.compile(
        model, ml.TorchBackend(), shapes={key: [4] for key in keys}, trainable_keys=keys
    )
    g = torch.ones(4)
    params = compiled.get_parameters()
    _, gradients = compiled.evaluate(params, {}, output_gradients={"y": g})
    for gradient in gradients.values():
        gradient.mul_(2)
    assert torch.equal(g, torch.ones(4))
    for key in keys:
        assert torch.equal(gradients[key], torch.full((4,), 2.0)), key


def test_no_grad_gives_plain_tensors() -> None:
    _, compiled, params = compiled_on(requires_grad=True)
    with torch.no_grad():
        assert not compiled.evaluate(params, {"x": torch.randn(2, 5)})["y"].requires_grad


def test_torch_differentiates_a_compiled_model_to_any_order() -> None:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Tanh()(input="h", output="y")
    model |= ml.ArgMax(axis=-1)(input="y", output="place")
    backend = ml.TorchBackend(dtype=ml.float64, requires_grad=True)
    compiled = ml.compile(model, backend, shapes={"x": ["N", 5]})
    params = compiled.get_parameters()
    keys = list(params)

    def by_mithril(x: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        return compiled.evaluate(dict(zip(keys, values, strict=True)), {"x": x})["y"]

    def by_torch(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ weight.T + bias)

    def derivatives(function: Callable[..., torch.Tensor]) -> list[torch.Tensor]:
        x, *values = inputs
        value, made = function(x, *values), []
        for _ in range(4):
            (slope,) = torch.autograd.grad(value.sin().sum(), x, create_graph=True)
            made.append(slope)
            value = slope
        return [*made, *torch.autograd.grad(value.square().sum(), values)]

    inputs = [torch.randn(2, 5, dtype=torch.float64, requires_grad=True)]
    inputs += [params[key].detach().requires_grad_() for key in keys]
    assert torch.autograd.gradgradcheck(by_mithril, inputs)
    for got, expected in zip(derivatives(by_mithril), derivatives(by_torch), strict=True):
        assert torch.allclose(got, expected, rtol=1e-10, atol=1e-12)


def test_a_second_derivative_outlives_the_compiled_model() -> None:
    _, compiled, params = compiled_on(requires_grad=True)
    loss = compiled.evaluate(params, {"x": torch.randn(2, 5)})["y"].square().sum()
    weight = params["linear.weight"]
    (gradient,) = torch.autograd.grad(loss, weight, create_graph=True)
    del compiled
    (second,) = torch.autograd.grad(gradient.square().sum(), weight)
    assert second.shape == weight.shape and second.abs().sum() > 0


def test_arrays_are_made_on_the_backend() -> None:
    backend = ml.TorchBackend(dtype=torch.float64)
    assert backend.zeros(2, 3).shape == (2, 3)
    assert backend.ones((2, 3)).dtype == torch.float64
    assert torch.equal(backend.full((2,), 1.5), torch.tensor([1.5, 1.5], dtype=torch.float64))
    assert torch.equal(backend.randn(4, seed=3), backend.randn(4, seed=3))
    assert backend.randint(0, 5, 7).dtype == torch.int64
    assert torch.equal(backend.arange(3), torch.tensor([0, 1, 2]))
    assert backend.array(np.ones((2, 2), np.float32)).dtype == torch.float64
    backend.manual_seed(0)
    first = backend.rand(3)
    backend.manual_seed(0)
    assert torch.equal(first, backend.rand(3))


def test_tensors_keep_their_storage_on_the_way() -> None:
    backend = ml.TorchBackend()
    tensor = torch.randn(3)
    assert backend.to_torch(backend.from_torch(tensor)).data_ptr() == tensor.data_ptr()


def test_trains_as_a_module_does() -> None:
    """50 steps of each optimizer of torch on extracted parameters and on torch's own model."""
    for optimizer in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW):
        _, compiled, params = compiled_on(dtype=torch.float64)
        twin = {key: value.clone().requires_grad_() for key, value in params.items()}
        ours, theirs = optimizer(params.values(), lr=1e-2), optimizer(twin.values(), lr=1e-2)
        torch.manual_seed(0)
        for _ in range(50):
            x = torch.randn(8, 5, dtype=torch.float64)
            outputs = compiled.evaluate(params, {"x": x})
            _, gradients = compiled.evaluate(
                params, {"x": x}, output_gradients={"y": 2 * outputs["y"]}
            )
            for key, gradient in gradients.items():
                params[key].grad = gradient
            ours.step()
            theirs.zero_grad()
            by_torch(twin, x).square().sum().backward()
            theirs.step()
        for key, value in params.items():
            assert torch.allclose(value, twin[key], atol=1e-6), (optimizer, key)


def text_of(error: type, call: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_errors_list_the_known_names() -> None:
    text = text_of(ml.BackendError, lambda: ml.TorchBackend(device="cuda:7"))
    assert text.startswith("mithril.BackendError[E1005]: there is no device 'cuda:7'\n")
    assert "there are : cpu" in text
    text = text_of(ml.TypeError, lambda: ml.TorchBackend(dtype=torch.int32))
    assert "not int32" in text
    text = text_of(ml.NameError, lambda: ml.TorchBackend(dtype="flaot32"))
    assert "flaot32" in text
    options = {"device": "cpu", "requires_grda": True}
    text = text_of(ml.NameError, lambda: ml._core.Backend("mithril_torch", options))
    assert text.startswith(
        "mithril.NameError[E0616]: the torch backend has no option 'requires_grda'\n"
    )
    assert "requires_grad" in text


def test_an_index_out_of_range_is_named() -> None:
    model = ml.Model()
    model |= ml.Embedding(4, dim=2)(input="ids", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=["ids"])
    params = compiled.get_parameters()
    on_cpu = ml.compile(model, ml.CpuBackend(), data_keys=["ids"])
    ids = torch.tensor([[1, 3], [9, 0]])
    text = text_of(ml.ValueError, lambda: compiled.evaluate(params, {"ids": ids}))
    assert text.startswith(
        "mithril.ValueError[E0402]: y: gather: index 9 is out of range for size 4\n"
    )
    weights = on_cpu.get_parameters()
    assert text == text_of(ml.ValueError, lambda: on_cpu.evaluate(weights, {"ids": ids.numpy()}))


def test_errors_of_torch_name_the_op() -> None:
    model = ml.Model()
    model |= ml.Cholesky()(input="x", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=["x"])
    text = text_of(ml.BackendError, lambda: compiled.evaluate({}, {"x": -torch.eye(2)}))
    assert text.startswith("mithril.BackendError[E1012]: y: torch refused: linalg.cholesky: ")
    assert "spelling" in text


def test_unsupported_dtypes_are_refused() -> None:
    _, compiled, params = compiled_on()
    x = torch.ones(2, 5, dtype=torch.complex64)
    text = text_of(ml.TypeError, lambda: compiled.evaluate(params, {"x": x}))
    assert text.startswith(
        "mithril.TypeError[E0389]: Mithril has no dtype for tensors of torch.ComplexFloat\n"
    )


@pytest.mark.parametrize("make", [ml.Tensor, lambda x: compiled_on()[1].evaluate({}, {"x": x})])
def test_tensors_without_elements_in_memory_are_refused(make: Callable[[Any], object]) -> None:
    rows = [torch.ones(5), torch.ones(5)]
    expected = (
        "mithril.TypeError[E0373]: a tensor of torch that is nested has no elements to share\n"
    )
    with warnings.catch_warnings(action="ignore"):
        nested = torch.nested.nested_tensor(rows)
    assert text_of(ml.TypeError, lambda: make(nested)).startswith(expected)
    assert "on the device meta has no" in text_of(
        ml.TypeError, lambda: make(torch.ones(2, 5, device="meta"))
    )
    assert "in a layout of oneDNN has no" in text_of(
        ml.TypeError, lambda: make(torch.ones(2, 5).to_mkldnn())
    )


def test_an_error_of_torch_is_raised_as_an_error_of_mithril() -> None:
    backend = ml.TorchBackend()
    assert "[E0377]: zeros: no array has these arguments" in text_of(
        ml.TypeError, lambda: backend.zeros("2")
    )
    assert "[E0488]: zeros: no array has these values" in text_of(
        ml.ValueError, lambda: backend.zeros(-1)
    )


def test_errors_distinguish_modules_and_compiled_models() -> None:
    wrong = "argument '{}' has the wrong kind"
    text = text_of(ml.TypeError, lambda: ml.from_torch(ml.Relu()))
    assert wrong.format("module") in text
    text = text_of(ml.TypeError, lambda: ml.as_torch_module(torch.nn.ReLU()))
    assert wrong.format("compiled") in text


@pytest.mark.parametrize("page", ["pytorch-backend", "torch-modules", "pytorch-performance"])
def test_the_snippets_of_the_guides_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MITHRIL_CACHE_DIR", str(tmp_path / "cache"))
    guide = Path(__file__).parents[3] / "docs" / f"{page}.md"
    snippets = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    assert len(snippets) >= 2
    names: dict = {}
    for snippet in snippets:
        exec(snippet, names)
    if page == "pytorch-backend":
        assert names["before"].weight.grad is not None


def test_hooks_see_and_change_torch_tensors():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), shapes={"x": [None, 2]})
    params = compiled.get_parameters()
    seen = []
    compiled.register_hook("h", lambda h: seen.append(h) or torch.full_like(h, 7))
    compiled.register_hook("h", lambda g: g * 3, gradient=True)
    outputs, gradients = compiled.evaluate(params, {"x": torch.ones(4, 2)}, {"y": torch.ones(4, 3)})
    assert isinstance(seen[0], torch.Tensor) and seen[0].shape == (4, 3)
    assert torch.all(outputs["y"] == 7)
    assert torch.all(gradients["linear.bias"] == 12)


def test_a_bound_model_runs_on_torch():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="y")
    compiled = ml.compile(model, ml.TorchBackend(requires_grad=True), shapes={"x": [None, 2]})
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    x = torch.randn(5, 2)
    expected = compiled.evaluate(params, {"x": x})["y"].detach()
    with torch.no_grad():
        params["linear.weight"].zero_()
    assert torch.allclose(bound.evaluate({}, {"x": x})["y"], expected)


def test_an_option_of_another_kind_is_refused() -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.TorchBackend(requires_grad=None)
    assert str(caught.value) == (
        "mithril.TypeError[E0395]: TorchBackend: argument 'requires_grad' has the wrong kind\n"
        "  expected : True or False\n"
        "  got      : None   NoneType"
    )
