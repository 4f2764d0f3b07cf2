"""Modules of torch as models; skipped where torch, or the plugin built against it, is missing."""

import copy
import inspect
from collections.abc import Callable

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_cases import ACTIVATIONS, LAYERS, NETWORKS, Case, Of, X  # noqa: E402
from from_torch_functions import FUNCTIONS, SPELLINGS  # noqa: E402

nn, F = torch.nn, torch.nn.functional


def inputs_of(module: "nn.Module") -> list[str]:
    parameters = inspect.signature(module.forward).parameters.items()
    return [name for name, each in parameters if each.default is each.empty]


def tensors_of(outputs: object) -> list:
    if isinstance(outputs, dict):
        return [outputs[key] for key in sorted(outputs)]
    many = outputs if isinstance(outputs, tuple | list) else [outputs]
    return [each for each in many if each is not None]


def leaves(tensors: tuple) -> list:
    return [each.clone().requires_grad_(each.is_floating_point()) for each in tensors]


def assert_close(got: object, expected: object, what: str, tolerance: float) -> None:
    if got is None or expected is None:
        assert got is expected, what
        return
    assert got.shape == expected.shape, what
    assert torch.allclose(got.double(), expected.double(), tolerance, tolerance), what


def assert_same(case: Case) -> None:
    """Values, all gradients, and what training leaves in the buffers."""
    torch.manual_seed(0)
    module = case.module().double().train(case.train)
    twin = copy.deepcopy(module)
    names = inputs_of(module)
    shapes = {name: list(each.shape) for name, each in zip(names, case.inputs, strict=True)}
    ranks = {name: [None] * len(shape) for name, shape in shapes.items()}
    model, params = ml.from_torch(module, shapes=ranks if case.shaped else None)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64), shapes=shapes)
    converted = ml.as_torch_module(compiled, params)

    ours, theirs = leaves(case.inputs), leaves(case.inputs)
    got, expected = tensors_of(converted(*ours)), tensors_of(twin(*theirs))
    assert len(got) == len(expected)
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        assert_close(a, b, f"output {i}", case.tolerance)
    weights = [torch.randn_like(each) for each in expected]
    for outputs in (got, expected):
        total = sum((y * w).sum() for y, w in zip(outputs, weights, strict=True))
        if total.requires_grad:
            total.backward()
    for name, a, b in zip(names, ours, theirs, strict=True):
        assert_close(a.grad, b.grad, f"gradient of {name}", case.tolerance)
    expected_parameters = dict(twin.named_parameters())
    assert set(params) == set(expected_parameters)
    for name, parameter in params.items():
        assert_close(
            parameter.grad, expected_parameters[name].grad, f"gradient of {name}", case.tolerance
        )
    buffers = dict(converted.named_buffers())
    for name, buffer in twin.named_buffers():
        assert_close(buffers[name], buffer, f"buffer {name}", case.tolerance)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_are_the_same(name: str) -> None:
    assert_same(NETWORKS[name])


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_the_same(name: str) -> None:
    assert_same(LAYERS[name])


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_the_same(name: str) -> None:
    assert_same(ACTIVATIONS[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(FUNCTIONS[name]), (X,), shaped=True))


@pytest.mark.parametrize("name", SPELLINGS)
def test_all_spellings_of_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(SPELLINGS[name]), (X,), shaped=True))


def test_each_row_of_the_tables_has_a_case() -> None:
    ml.TorchBackend()
    from mithril import from_torch_convert, from_torch_trace  # noqa: PLC0415 - needs torch

    cases = [*NETWORKS.values(), *LAYERS.values(), *ACTIVATIONS.values()]
    modules = [case.module() for case in cases]
    modules += [Of(function) for function in (*FUNCTIONS.values(), *SPELLINGS.values())]
    met = {type(part) for module in modules for part in module.modules()}
    for module in modules:
        graph = from_torch_trace.trace(module.eval(), inputs_of(module), from_torch_convert.MODULES)
        met |= {node.target for node in graph.nodes if node.op.startswith("call")}
    targets = {*from_torch_convert.MODULES, *from_torch_convert.FUNCTIONS}
    assert targets - met == {"cuda"}


def converted(module: "nn.Module", shapes: dict, **options: object) -> "nn.Module":
    model, params = ml.from_torch(module, **options)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64), shapes=shapes)
    return ml.as_torch_module(compiled, params)


def text_of(call: Callable[[], object], error: type = ml.ValueError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_sizes_may_stay_open() -> None:
    case = NETWORKS["transformer_block"]
    module = case.module().double().eval()
    ours = converted(module, {"ids": [None, None]})
    for shape in ((1, 3), (4, 16)):
        ids = torch.randint(0, 11, shape)
        assert torch.allclose(ours(ids), module(ids), atol=1e-10)


def test_the_parameters_are_those_of_the_module() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    _, params = ml.from_torch(module)
    assert list(params) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert all(params[name] is value for name, value in module.named_parameters())


def test_values_have_the_paths_of_the_modules() -> None:
    """What is called again has the number of the call."""
    layer = nn.Linear(2, 2)
    module = nn.Sequential(layer, nn.ReLU(), layer, nn.Softmax(-1))
    model, params = ml.from_torch(module)
    shapes, seen = {"input": [None, 2]}, {}
    compiled = ml.compile(model, ml.TorchBackend(), shapes=shapes, optimization_level="none")
    paths = ["0.output", "1.output", "0_call_2.output", "3.output"]
    for path in paths:
        compiled.register_hook(path, lambda value, path=path: seen.update({path: value}))
    x = torch.randn(4, 2)
    compiled.evaluate(params, {"input": x})
    for path, each in zip(paths, module, strict=True):
        x = each(x)
        assert torch.allclose(seen[path], x, atol=1e-6)


def test_a_converted_model_runs_on_every_backend() -> None:
    module = NETWORKS["cnn_in_evaluation"].module().eval()
    model, params = ml.from_torch(module)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [None, 2, 8, 8]})
    x = torch.randn(3, 2, 8, 8)
    assert torch.allclose(
        torch.as_tensor(compiled.evaluate(params, {"input": x})["output"]), module(x), atol=1e-5
    )
    assert ml.Model.from_json(model.to_json()) == model


def test_state_dicts_fit_both_ways() -> None:
    module = NETWORKS["cnn_in_training"].module().double()
    ours = converted(module, {"input": [None, 2, 8, 8]})
    assert sorted(ours.state_dict()) == sorted(module.state_dict())
    ours(torch.randn(3, 2, 8, 8, dtype=torch.float64))
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

    ours = converted(Twice(), {"x": [None]})
    x = torch.ones(4000, dtype=torch.float64)
    first, second = ours(x), ours(x)
    masks = [each != 0 for outputs in (first, second) for each in outputs.values()]
    for i, mask in enumerate(masks):
        assert abs(mask.double().mean() - (0.5 if i % 3 == 2 else 0.75)) < 0.05
        assert all(not torch.equal(mask, other) for other in masks[:i])
    assert first["output_0"].max() == 1 / 0.75


FLOATS, BOOLS = torch.randn(3, 3, dtype=torch.float64), torch.eye(3) > 0
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
def test_masks_of_attention_meet(masks: tuple, need_weights: bool) -> None:
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
    ours = converted(Masked(), {"x": [None, None, 8]})
    assert torch.allclose(ours(x), Masked()(x), atol=1e-10)


def test_masks_need_a_type() -> None:
    module = nn.MultiheadAttention(8, 2, dropout=0.5, batch_first=True).double().eval()
    x = torch.randn(2, 3, 8, dtype=torch.float64)
    mask = torch.tensor([[False, True, False], [False, False, True]])

    class Padded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = module

        def forward(self, x, mask):
            return self.attention(x, x, x, key_padding_mask=mask)[0]

    text = text_of(lambda: ml.from_torch(Padded()))
    assert "attention : MultiheadAttention: with a mask of which from_torch(types=...)" in text
    ours = converted(Padded(), {"x": [None, None, 8]}, types={"mask": ml.Tensor[bool]})
    assert torch.allclose(ours(x, mask), Padded()(x, mask), atol=1e-10)


def test_defaults_of_forward_are_kept_unless_asked_for() -> None:
    class Scaled(nn.Module):
        def forward(self, x, scale=3.0, shift=None):
            return x * scale if shift is None else x * scale + shift

    x, shift = torch.ones(2, dtype=torch.float64), torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert converted(Scaled(), {})(x).tolist() == [3, 3]
    assert converted(Scaled(), {}, inputs=["shift"])(x, shift).tolist() == [4, 5]
    text = text_of(lambda: ml.from_torch(Scaled(), inputs=["shfit"]), ml.NameError)
    assert text == (
        "mithril.NameError[E0618]: forward of Scaled takes no 'shfit'\n  it takes : x, scale, shift"
    )


def test_all_that_is_unsupported_is_listed_at_once() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.up = nn.ConvTranspose1d(2, 2, 2)
            self.pool = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True))

        def forward(self, x):
            return torch.cumprod(self.pool(self.up(x)), dim=1).erfinv()

    assert text_of(lambda: ml.from_torch(Odd())) == (
        "mithril.ValueError[E0413]: Odd cannot be converted\n"
        "  up      : ConvTranspose1d: no part of ours is known for it\n"
        "  pool.1  : MaxPool2d: with ceil_mode=True\n"
        "  forward : torch.cumprod: no op of ours is known for it\n"
        "  forward : Tensor.erfinv: no op of ours is known for it\n"
        "  help: replace these parts of the module, or compose them in Mithril and go on in torch "
        "with as_torch_module"
    )


def test_options_and_hooks_that_are_not_known_are_unsupported() -> None:
    hooked = nn.Sequential(nn.ReLU(), nn.Tanh())
    hooked[1].register_forward_hook(lambda module, inputs, output: output * 2)
    hooked.register_forward_pre_hook(lambda module, inputs: None)
    text = text_of(lambda: ml.from_torch(hooked))
    assert "1       : Tanh: with hooks\n" in text
    assert "forward : hooks of the module itself\n" in text
    text = text_of(lambda: ml.from_torch(Of(lambda x: x.view((*x.shape[:-1], 2)))))
    assert "cannot be iterated" in text
    text = text_of(lambda: ml.from_torch(Of(lambda x: x.view(x.shape[:-1] + (2, 2)))))  # noqa: RUF005
    assert "operator.add: the rank of what has these sizes is not known: from_torch(shap" in text
    text = text_of(lambda: ml.from_torch(Of(lambda x: x[x > 0])))
    assert "operator.getitem: mithril." in text
    text = text_of(lambda: ml.from_torch(Of(lambda x: x.sum(0, dtype=torch.float32))))
    assert "forward : Tensor.sum: with these arguments: got an unexpected keyword argument" in text


def test_what_is_changed_under_a_view_is_unsupported() -> None:
    def change(x):
        row = x[0]
        x.add_(1)
        return x + row

    def assign(x):
        x[0] = 1
        return x

    text = text_of(lambda: ml.from_torch(Of(change)))
    assert "Tensor.add_: in place, while its view 'getitem' is used later" in text
    assert "_operator.setitem: no op of ours is known for it" in text_of(
        lambda: ml.from_torch(Of(assign))
    )


def test_control_flow_that_depends_on_data_names_the_line() -> None:
    def choose(x):
        if x.sum() > 0:
            return x
        return -x

    text = text_of(lambda: ml.from_torch(Of(choose)))
    assert text.startswith("mithril.ValueError[E0414]: forward of Of cannot be traced\n  at")
    assert "test_from_torch.py" in text
    assert "if x.sum() > 0:\n" in text
    assert "symbolically traced variables cannot be used as inputs to control flow" in text


def test_an_input_cannot_have_the_name_of_a_parameter() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))

        def forward(self, scale):
            return self.scale * scale

    assert text_of(lambda: ml.from_torch(Scaled()), ml.NameError).startswith(
        "mithril.NameError[E0619]: the input 'scale' has the name of a parameter or a buffer\n"
    )
