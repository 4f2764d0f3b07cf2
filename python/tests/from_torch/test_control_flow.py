"""torch.cond, scan and while_loop become choices and loops in `ml.from_torch`."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

import from_torch_loops  # noqa: E402
from from_torch_loops import (  # noqa: E402
    CASES,
    MORE,
    PLAIN,
    WITHOUT_GRADIENTS,
    Constants,
    InPlace,
    plain_cond,
    plain_scan,
    plain_while,
)
from torch import nn  # noqa: E402
from torch._higher_order_ops.scan import scan  # noqa: E402
from torch._higher_order_ops.while_loop import while_loop  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

BACKENDS: dict[str, Any] = {
    "cpu": lambda: ml.CpuBackend(dtype=ml.float64),
    "torch": lambda: ml.TorchBackend(dtype=ml.float64),
    "jax": lambda: ml.JaxBackend(dtype=ml.float64),
}


def converted(name: str) -> Any:
    torch.manual_seed(0)
    make, sizes, dynamic = CASES[name]
    module = make().double()
    examples = tuple(torch.randn(size, dtype=torch.float64) for size in sizes)
    names = list(module.forward.__code__.co_varnames)[1 : 1 + len(examples)]
    model, params = ml.from_torch(module, examples, dict(zip(names, dynamic or [], strict=False)))
    return module, model, params, dict(zip(names, sizes, strict=True))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients_are_those_of_torch(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, model, params, sizes = converted(name)
    models = {
        key: ml.compile(model, make(), trainable_keys=list(sizes)) for key, make in BACKENDS.items()
    }
    values = {key: value.detach().numpy() for key, value in params.items()}
    for seed in range(4):
        random = np.random.default_rng(seed)
        data = {key: random.normal(size=size) for key, size in sizes.items()}
        data["x"] += seed % 2 - 0.5
        inputs = {key: torch.from_numpy(value).requires_grad_() for key, value in data.items()}
        twin = copy.deepcopy(module)
        with torch.set_grad_enabled(name not in PLAIN):
            by_torch = leaves(twin(**inputs)) if seed == 0 else []
        expected = by_torch
        if name in PLAIN or seed > 0:  # torch compiles each call
            with monkeypatch.context() as patch:
                patch.setattr(from_torch_loops, "scan", plain_scan)
                patch.setattr(from_torch_loops, "while_loop", plain_while)
                patch.setattr(torch, "cond", plain_cond)
                expected = leaves(twin(**inputs))
        for value, same in zip(by_torch, expected if by_torch else [], strict=True):
            assert torch.allclose(value, same, 1e-12, 1e-12)
        keys = ["output"] if len(expected) == 1 else [f"output_{i}" for i in range(len(expected))]
        floats = {k: v for k, v in zip(keys, expected, strict=True) if v.is_floating_point()}
        upstream = {key: random.normal(size=value.shape) for key, value in floats.items()}
        if name not in WITHOUT_GRADIENTS:
            sum((floats[key] * torch.from_numpy(upstream[key])).sum() for key in floats).backward()
        theirs = dict(twin.named_parameters()) | inputs
        for backend, compiled in models.items():
            got = compiled.evaluate(values | data, {})
            for key, value in zip(keys, [value.detach() for value in expected], strict=True):
                assert str(np.asarray(got[key]).dtype) == str(value.dtype).removeprefix("torch.")
                np.testing.assert_allclose(got[key], value, 1e-12, 1e-12, err_msg=backend)
            if name in WITHOUT_GRADIENTS:
                continue
            _, gradients = compiled.evaluate(values | data, {}, output_gradients=upstream)
            assert set(gradients) == set(theirs)
            for key, gradient in gradients.items():
                grad = theirs[key].grad
                wanted = np.zeros_like(gradient) if grad is None else grad
                np.testing.assert_allclose(gradient, wanted, 1e-10, 1e-10, err_msg=backend + key)


def leaves(outputs: Any) -> list[Any]:
    return pytree.tree_leaves(outputs)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", MORE)
@pytest.mark.parametrize("dynamic", [None, [{0: "T"}, {}]])
def test_results_are_those_of_torch(make: Any, dynamic: Any) -> None:
    torch.manual_seed(0)
    module = make()
    x, h = torch.randn(4, 2, 3), torch.randn(2, 3)
    if make is Constants:
        x, h = x[:, 0], h[0]
    model, params = ml.from_torch(module, (x, h), dynamic)
    compiled = ml.compile(model, ml.CpuBackend())
    data = {"x": x.numpy(), "h": h.numpy()}
    state = compiled.initial_state_dict
    values = {key: value.detach().numpy() for key, value in params.items()}
    got = compiled.evaluate(values, data, **({"state": state} if state else {}))
    got = got[0] if state else got
    with torch.no_grad():
        expected = leaves(module(x, h))
    for value, theirs in zip(got.values(), expected, strict=True):
        wanted = theirs if torch.is_tensor(theirs) else torch.tensor(theirs)
        wanted = torch.view_as_real(wanted) if wanted.is_complex() else wanted
        np.testing.assert_allclose(value, wanted, 1e-5, 1e-6)


def test_a_program_with_loops_is_converted() -> None:
    torch.manual_seed(0)
    module, x, h = InPlace(), torch.randn(4, 2, 3), torch.randn(2, 3)
    with torch.no_grad():
        program = torch.export.export(module, (x, h))
        expected = module(x, h)
    model, params = ml.from_torch(program)
    values = {key: value.detach().numpy() for key, value in params.items()}
    got = ml.compile(model, ml.CpuBackend()).evaluate(values, {"x": x.numpy(), "h": h.numpy()})
    np.testing.assert_allclose(got["output_1"], expected[1], 1e-5, 1e-6)


def test_a_loop_keeps_the_state_of_dropout() -> None:
    class Noisy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = nn.Dropout(0.5)

        def forward(self, x: Any, h: Any) -> Any:
            return scan(lambda h, x: (h + self.dropout(x), h * 2), h, x)

    x, h = torch.ones(50, 2), torch.zeros(2)
    model, _ = ml.from_torch(Noisy(), (x, h))
    compiled = ml.compile(model, ml.CpuBackend())
    data = {"x": x.numpy(), "h": h.numpy()}
    out, state = compiled.evaluate({}, data, state=compiled.initial_state_dict)
    again, _ = compiled.evaluate({}, data, state=state)
    steps = np.diff(out["output_1"], axis=0) / 2
    assert set(np.unique(steps)) == {0.0, 2.0}
    assert not np.array_equal(out["output_1"], again["output_1"])


def text_of(module: nn.Module, *inputs: Any) -> str:
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(module, inputs)
    return str(caught.value)


def line_of(text: str) -> str:
    """Where this file has the text, as errors say it."""
    for number, line in enumerate(Path(__file__).read_text().splitlines(), 1):
        if text in line:
            return f"{__file__}:{number}: {line.strip()}"
    raise AssertionError(text)


def test_one_error_lists_the_operators_of_all_graphs() -> None:
    class Unsupported(nn.Module):
        def forward(self, x: Any, h: Any) -> Any:
            def step(h: Any, x: Any) -> Any:
                then, otherwise = lambda h: h.sin(), lambda h: torch.igamma(h, h)
                h = torch.cond(h.sum() > 0, then, otherwise, (h,))
                return h + x, torch.special.bessel_j0(x)

            made = scan(step, h, torch.igammac(x, x))  # unsupported
            return while_loop(lambda h: torch.igamma(h, h).sum() > 0, lambda h: (h / 2,), made[:1])

    expected = (
        "mithril.ValueError[E0413]: Unsupported cannot be converted\n"
        f"  forward                                       : aten.igammac: no op of Mithril "
        f"computes it ({line_of('# unsupported')})\n"
        f"  forward > body of scan > false branch of cond : aten.igamma: no op of Mithril "
        f"computes it ({line_of('# unsupported')})\n"
        f"  forward > body of scan                        : aten.special_bessel_j0: no op of "
        f"Mithril computes it ({line_of('# unsupported')})\n"
        f"  forward > condition of while_loop             : aten.igamma: no op of Mithril "
        f"computes it ({line_of('return while_loop(lambda h: torch.igamma')})\n"
        "  help: replace these parts of the module, or compose them in Mithril and go on in torch "
        "with as_torch_module"
    )
    assert text_of(Unsupported(), torch.rand(3, 2), torch.rand(2)) == expected


def test_dropout_in_a_branch_draws_another_mask_in_each_call() -> None:
    class Noisy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = nn.Dropout(0.5)

        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, self.dropout, lambda x: x * 3, (x,))

    model, _ = ml.from_torch(Noisy(), (torch.rand(8, 8),))
    compiled = ml.compile(model, ml.CpuBackend())
    state = compiled.initial_state_dict
    ones = np.ones((8, 8), np.float32)
    masks = []
    for _ in range(2):
        out, state = compiled.evaluate({}, {"x": ones}, state=state)
        masks.append(np.asarray(out["output"]))
        assert set(np.unique(masks[-1])) == {0.0, 2.0}
    assert (masks[0] != masks[1]).any()
    out, after = compiled.evaluate({}, {"x": -ones}, state=state)
    assert (np.asarray(out["output"]) == -3.0).all()
    for key, value in state.items():
        np.testing.assert_array_equal(value, after[key])


def test_a_change_in_place_is_an_error_of_torch() -> None:
    class Changing(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, lambda x: x.add_(1).sin(), lambda x: x.cos(), (x,))

    assert text_of(Changing(), torch.rand(3)) == (
        "mithril.ValueError[E0414]: forward of Changing cannot be exported\n"
        f"  at           : {line_of('lambda x: x.add_(1).sin()')}\n"
        "  torch.export : UncapturedHigherOrderOpError: Higher order ops do not support input "
        "mutation.\n"
        "  help: functions of cond, scan and while_loop return new tensors of the same shapes and "
        "dtypes, and change none in place: return x.clone() instead of x, and x + 1 instead of "
        "x.add_(1)"
    )
