"""Modules of torch as models; skipped where torch, or the plugin built against it, is missing."""

from collections.abc import Callable
from typing import Any

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_agreement import assert_same  # noqa: E402
from from_torch_cases import ACTIVATIONS, LAYERS, NETWORKS, Case, Of, X  # noqa: E402
from from_torch_functions import FUNCTIONS, SPELLINGS  # noqa: E402

nn, F = torch.nn, torch.nn.functional


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.sampled(3)
def test_networks_are_the_same(name: str) -> None:
    assert_same(NETWORKS[name])


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.sampled(5)
def test_layers_are_the_same(name: str) -> None:
    assert_same(LAYERS[name])


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_the_same(name: str) -> None:
    assert_same(ACTIVATIONS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.sampled(3)
def test_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(FUNCTIONS[name]), (X,)))


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.sampled(7)
def test_all_spellings_of_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(SPELLINGS[name]), (X,)))


def converted(module: "nn.Module", *inputs: object, **options: object) -> "nn.Module":
    model, params = ml.from_torch(module, inputs, **options)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    return ml.as_torch_module(compiled, params)


def text_of(call: Callable[[], object], error: type = ml.ValueError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_sizes_may_stay_symbolic() -> None:
    case = NETWORKS["transformer_block"]
    module = case.module().double().eval()
    ours = converted(module, *case.inputs, dynamic_shapes={"ids": ["N", "L"]})
    for shape in ((1, 3), (4, 16)):
        ids = torch.randint(0, 11, shape)
        assert torch.allclose(ours(ids), module(ids), atol=1e-10)
    model, _ = ml.from_torch(module, case.inputs, {"ids": {0: "N", 1: "L"}})
    assert model.get_shapes()["ids"] == ["N", "L"]
    assert model.get_shapes()["output"] == ["N", "L", 11]


def test_auto_keeps_modules_that_torch_can_keep() -> None:
    module = NETWORKS["transformer_block"].module()
    model, _ = ml.from_torch(module, torch.ones(2, 3, dtype=torch.int64), "auto")
    assert model.get_shapes()["ids"] == ["ids_0", "ids_1"]
    with pytest.warns(UserWarning, match=r"fixed axis 0 of 'ids' at 1: forward depends"):
        model, _ = ml.from_torch(module, torch.ones(1, 3, dtype=torch.int64), "auto")
    assert model.get_shapes()["ids"] == [1, "ids_1"]


def test_the_parameters_are_those_of_the_module() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    _, params = ml.from_torch(module, torch.ones(5, 2))
    assert list(params) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert all(params[name] is value for name, value in module.named_parameters())


def test_values_have_the_paths_of_the_modules() -> None:
    """Repeated calls of a module are numbered."""

    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(2, 2), nn.Softmax(-1))

        def forward(self, x):
            return self.layers(self.layers(x))

    module, x, seen = Twice(), torch.randn(4, 2), {}
    model, params = ml.from_torch(module, x)
    compiled = ml.compile(model, ml.TorchBackend(), optimization_level="none")
    paths = ["layers.0", "layers.1", "layers.0_call_2", "layers.1_call_2"]
    for path in paths:
        take = lambda value, path=path: seen.update({path: value})  # noqa: E731
        compiled.register_hook(f"{path}.output", take)
    compiled.evaluate(params, {"x": x})
    for path, layer in zip(paths, [*module.layers, *module.layers], strict=True):
        x = layer(x)
        assert torch.allclose(seen[path], x, atol=1e-6)


def test_a_converted_model_runs_on_every_backend() -> None:
    module = NETWORKS["cnn_in_evaluation"].module().eval()
    x = torch.randn(3, 2, 8, 8)
    model, params = ml.from_torch(module, x)
    compiled = ml.compile(model, ml.CpuBackend())
    assert torch.allclose(
        torch.as_tensor(compiled.evaluate(params, {"input": x})["output"]), module(x), atol=1e-5
    )
    assert ml.Model.from_json(model.to_json()) == model


def test_state_dicts_fit_both_ways() -> None:
    module = NETWORKS["cnn_in_training"].module().double()
    x = torch.randn(3, 2, 8, 8, dtype=torch.float64)
    ours = converted(module, x)
    assert sorted(ours.state_dict()) == sorted(module.state_dict())
    ours(x)
    twin = NETWORKS["cnn_in_training"].module().double()
    twin.load_state_dict(ours.state_dict())
    assert twin[1].num_batches_tracked == 1
    assert torch.equal(twin[1].running_mean, ours.get_buffer("1.running_mean"))


def test_dropout_in_training_draws_anew_at_every_place() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout(0.25)

        def forward(self, x):
            return self.drop(x), self.drop(x), F.dropout(x, 0.5, self.training)

    x = torch.ones(4000, dtype=torch.float64)
    ours = converted(Twice(), x)
    first, second = ours(x), ours(x)
    masks = [value != 0 for outputs in (first, second) for value in outputs.values()]
    for i, mask in enumerate(masks):
        assert abs(mask.double().mean() - (0.5 if i % 3 == 2 else 0.75)) < 0.05
        assert all(not torch.equal(mask, other) for other in masks[:i])
    assert first["output_0"].max() == 1 / 0.75


@pytest.mark.parametrize("kind", [nn.Dropout2d, nn.AlphaDropout, nn.FeatureAlphaDropout])
def test_other_dropouts_follow_the_mode(kind: "type[nn.Module]") -> None:
    x = torch.randn(40, 60, 5, 5, generator=torch.Generator().manual_seed(0)).double()
    ours = converted(kind(0.25), x)
    y = ours(x)
    dropped = (y - y.flatten().mode().values).abs() < 1e-9
    whole = dropped.flatten(2)
    if kind is not nn.AlphaDropout:  # channels as a whole
        assert torch.equal(whole.all(2), whole.any(2))
    assert abs(dropped.double().mean() - 0.25) < 0.05
    assert abs(y.mean()) < 0.1
    if kind is not nn.Dropout2d:
        assert abs(y.var() - x.var()) < 0.1
    assert torch.equal(ours.eval()(x), x)


FLOATS = torch.randn(3, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
BOOLS = torch.eye(3) > 0
PADDING = torch.tensor([[False, True, False], [False, False, True]])


@pytest.mark.parametrize(
    "masks",
    [
        (BOOLS,),
        (FLOATS,),
        (None, PADDING),
        (BOOLS, PADDING),
        (FLOATS, PADDING),
        (FLOATS, FLOATS[:2]),
    ],
    ids=["bools", "floats", "padding", "both", "floats and padding", "floats and floats"],
)
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.sampled(5)
def test_masks_of_attention_are_combined(masks: tuple, need_weights: bool) -> None:
    mask, padding = (*masks, None)[:2]
    module = nn.MultiheadAttention(8, 2, batch_first=True).double().eval()

    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = module
            self.register_buffer("mask", mask)
            self.register_buffer("padding", padding)

        def forward(self, x):
            options = {"key_padding_mask": self.padding, "need_weights": need_weights}
            return self.attention(x, x, x, attn_mask=self.mask, **options)[0]

    x = torch.randn(2, 3, 8, dtype=torch.float64)
    ours = converted(Masked(), x)
    assert torch.allclose(ours(x), Masked()(x), atol=1e-10)


def test_inputs_need_no_hint() -> None:
    """The examples say that a mask holds bools, and that an index holds ints."""
    module = nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True).double().eval()

    class Padded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = module

        def forward(self, x, mask, index):
            return self.attention(x, x, x, key_padding_mask=mask)[0][:, index]

    inputs = (torch.randn(2, 3, 8, dtype=torch.float64), PADDING, torch.tensor([2, 0]))
    ours = converted(Padded(), *inputs)
    assert torch.allclose(ours(*inputs), Padded()(*inputs), atol=1e-10)


def test_defaults_of_forward_are_kept_unless_there_is_an_example() -> None:
    class Scaled(nn.Module):
        def forward(self, x, scale=3.0, shift=None):
            return x * scale if shift is None else x * scale + shift

    x, shift = torch.ones(2, dtype=torch.float64), torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert converted(Scaled(), x)(x).tolist() == [3, 3]
    model, _ = ml.from_torch(Scaled(), {"x": x, "shift": shift})
    compiled = ml.compile(model, ml.TorchBackend())
    assert compiled.evaluate({}, {"x": x, "shift": shift})["output"].tolist() == [4, 5]
    text = text_of(lambda: ml.from_torch(Scaled(), {"x": x, "shfit": x}), ml.NameError)
    assert text.startswith("mithril.NameError[E0618]: forward of Scaled does not take these inputs")
    assert text.endswith("'shfit'\n  it takes : x, scale, shift")
    text = text_of(lambda: ml.from_torch(Scaled(), x, {"y": ["N"]}), ml.NameError)
    assert text == (
        "mithril.NameError[E0618]: dynamic_shapes names 'y', which is not an input\n  inputs : x"
    )


def test_all_unsupported_operators_are_listed_at_once() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pool = nn.Sequential(nn.ReLU(), nn.FractionalMaxPool2d(2, 2))

        def forward(self, x):
            values = self.pool(x)
            zeta = torch.special.zeta(values, 2.0).i0()
            return zeta + torch.special.bessel_j0(values)

    x = torch.rand(1, 4, 4)
    text = text_of(lambda: ml.from_torch(Odd(), x))
    assert text.startswith("mithril.ValueError[E0413]: Odd cannot be converted\n")
    for operator in ("special_zeta", "i0", "special_bessel_j0"):
        assert f"  forward : aten.{operator}: no op of Mithril computes it (" in text
    assert "test_from_torch.py" in text
    assert "zeta = torch.special.zeta(values, 2.0).i0()" in text
    assert "  pool.1  : aten.fractional_max_pool2d: no op of Mithril computes it (" in text
    assert text.endswith("as_torch_module")


def test_an_unsupported_operator_may_have_many_outputs() -> None:
    @torch.library.custom_op("mithril_tests::ten", mutates_args=())
    def ten(x: torch.Tensor) -> list[torch.Tensor]:
        return [x + i for i in range(10)]

    ten.register_fake(lambda x: [torch.empty_like(x) for _ in range(10)])

    class Last(nn.Module):
        def forward(self, x):
            return ten(x)[9]

    text = text_of(lambda: ml.from_torch(Last(), torch.rand(3)))
    assert "  forward : mithril_tests.ten: no op of Mithril computes it (" in text


def test_changes_in_place_are_converted() -> None:
    def change(x):
        y = x * 1
        row = y[0]
        y.add_(1)
        y[:, 1] = 5
        return y + row

    x = torch.randn(3, 4, dtype=torch.float64)
    assert torch.allclose(converted(Of(change), x)(x), change(x))


def test_hooks_of_layers_are_followed() -> None:
    hooked = nn.Sequential(nn.ReLU(), nn.Tanh())
    hooked[1].register_forward_hook(lambda module, inputs, output: output * 2)
    x = torch.randn(3, 4, dtype=torch.float64)
    assert torch.allclose(converted(hooked, x)(x), hooked(x))


def test_control_flow_that_depends_on_data_names_the_line() -> None:
    def choose(x):
        if x.sum() > 0:
            return x
        return -x

    text = text_of(lambda: ml.from_torch(Of(choose), X))
    assert text.startswith("mithril.ValueError[E0414]: forward of Of cannot be exported\n  at")
    assert "test_from_torch.py" in text
    assert "if x.sum() > 0:\n" in text


def test_a_size_of_the_example_is_named_where_it_does_not_fit() -> None:
    model, params = ml.from_torch(nn.Linear(4, 2), torch.ones(3, 4))
    outer = ml.Model()
    outer |= model(input="x", output="y")
    compiled = ml.compile(outer, ml.TorchBackend(), data_keys={"x"})
    values = dict(zip(compiled.parameter_keys, params.values(), strict=True))
    with pytest.raises(ml.InputError) as caught:
        compiled.evaluate(values, {"x": torch.ones(5, 4)})
    assert caught.value.code == "E0804"
    assert caught.value.help == (
        'the example of from_torch fixed this size: dynamic_shapes="auto" leaves sizes open'
    )


CAUSES: dict[str, tuple[Any, Any, str]] = {
    "a branch": (lambda x: x if x.sum() > 0 else -x, None, "forward may not branch on elements"),
    "a size": (lambda x: x[: int(x[0, 0].item())], None, "forward may not branch on elements"),
    "numpy": (lambda x: torch.from_numpy(x.numpy() * 2), None, "forward leaves PyTorch"),
    "fixed": (
        lambda x: x.reshape(3, 2, 2),
        {"x": {0: "N"}},
        "leave sizes that cannot stay symbolic",
    ),
    "wrong sizes": (lambda x: x @ torch.ones(7, 2), None, "forward fails with these"),
    "a relu6": (lambda x: torch.nn.functional.relu6("x"), None, "call the module"),
    "no attribute": (lambda x: x.nothing(), None, "forward fails with these"),
    "its own error": (lambda x: {}[x.dim()], None, "call the module with example_inputs"),
}


@pytest.mark.parametrize("name", CAUSES)
def test_a_module_that_cannot_be_exported_gets_one_advice(name: str) -> None:
    forward, dynamic, help = CAUSES[name]

    class Faulty(nn.Module):
        def forward(self, x):
            return forward(x)

    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Faulty(), torch.ones(3, 4), dynamic)
    assert caught.value.code == "E0414"
    assert caught.value.help.startswith(help)


def test_programs_of_torch_export_are_converted() -> None:
    module = NETWORKS["mlp"].module().double()
    program = torch.export.export(module, (X,)).run_decompositions()
    model, params = ml.from_torch(program)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    assert torch.allclose(compiled.evaluate(params, {"input": X})["output"], module(X))
    with pytest.raises(ml.TypeError, match="example_inputs"):
        ml.from_torch(module)


def test_no_gradient_leaves_a_region_without_gradients() -> None:
    class Stopped(nn.Module):
        def forward(self, x):
            with torch.no_grad():
                scale = x * 2
            return x * scale + x.detach()

    assert_same(Case(Stopped, (X,)))


def test_an_input_cannot_have_the_name_of_a_parameter() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))

        def forward(self, scale):
            return self.scale * scale

    assert text_of(lambda: ml.from_torch(Scaled(), torch.ones(2)), ml.NameError).startswith(
        "mithril.NameError[E0619]: the input 'scale' has the name of a parameter or a buffer\n"
    )
