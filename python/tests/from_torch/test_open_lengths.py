"""Recurrent layers of torch on sequences of an open length become loops in `ml.from_torch`."""

import warnings
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from torch import nn  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402

KINDS = [nn.RNN, nn.LSTM, nn.GRU]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"num_layers": 2, "batch_first": True, "bidirectional": True},
    {"num_layers": 2, "bias": False},
]
VARIANTS: list[tuple[Any, dict[str, Any]]] = [
    *((kind, options) for kind in KINDS for options in OPTIONS),
    (nn.LSTM, {"proj_size": 2, "bidirectional": True}),
    (nn.RNN, {"nonlinearity": "relu"}),
]


class Plain(nn.Module):
    def __init__(self, kind: Any, **options: Any) -> None:
        super().__init__()
        self.layer = kind(4, 5, **options)

    def forward(self, x: Any) -> Any:
        output, last = self.layer(x)
        return output, *(last if isinstance(last, tuple) else (last,))


class Packed(Plain):
    """`total` is an int, "all" for as many steps as the data has, or None."""

    def __init__(self, kind: Any, total: Any, **options: Any) -> None:
        super().__init__(kind, **options)
        self.total = total

    def forward(self, x: Any, lengths: Any) -> Any:
        is_first = self.layer.batch_first
        packed = pack_padded_sequence(x, lengths, is_first, enforce_sorted=False)
        output, last = self.layer(packed)
        total = x.shape[1 if is_first else 0] if self.total == "all" else self.total
        output = pad_packed_sequence(output, is_first, total_length=total)[0]
        return output, *(last if isinstance(last, tuple) else (last,))


def sequence(module: Plain, steps: int) -> Any:
    x = torch.from_numpy(np.random.default_rng(steps).normal(size=(steps, 3, 4)))
    return x.transpose(0, 1) if module.layer.batch_first else x


def converted(module: Plain, *others: Any, **options: Any) -> Any:
    """Converts the module with an open length, and compiles it."""
    axis = 1 if module.layer.batch_first else 0
    example = (sequence(module, 4), *others)
    model, params = ml.from_torch(module, example, dynamic_shapes={"x": {axis: "T"}})
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), **options)
    return compiled, {key: value.detach().numpy() for key, value in params.items()}


def made_by(kind: Any, *total: Any, **options: Any) -> Any:
    torch.manual_seed(0)
    return (Packed if total else Plain)(kind, *total, **options).double()


@pytest.mark.parametrize(("kind", "options"), VARIANTS)
def test_any_length_has_the_results_of_torch(kind: Any, options: dict[str, Any]) -> None:
    module = made_by(kind, **options)
    compiled, params = converted(module)
    assert set(params) == set(dict(module.named_parameters()))
    for steps in (1, 3, 9):
        x = sequence(module, steps)
        module.zero_grad()
        expected = module(x)
        sum(value.square().sum() for value in expected).backward()
        names = compiled.output_keys
        seeds = {
            key: 2 * value.detach().numpy() for key, value in zip(names, expected, strict=True)
        }
        got, gradients = compiled.evaluate(params, {"x": x.numpy()}, output_gradients=seeds)
        for key, value in zip(names, expected, strict=True):
            np.testing.assert_allclose(got[key], value.detach().numpy(), rtol=0, atol=1e-12)
        for key, parameter in module.named_parameters():
            np.testing.assert_allclose(gradients[key], parameter.grad.numpy(), atol=1e-10)


@pytest.mark.parametrize("total", [None, "all"])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences_of_any_length(kind: Any, total: Any) -> None:
    for options in OPTIONS:
        module = made_by(kind, total, **options)
        compiled, params = converted(module, torch.tensor([3, 4, 2]))
        for steps in (1, 3, 9):
            x, lengths = sequence(module, steps), torch.tensor([max(1, steps - 2), steps, 1])
            if total == "all":
                lengths = lengths.clamp(max=max(1, steps - 1))
            got = compiled.evaluate(params, {"x": x.numpy(), "lengths": lengths.numpy()})
            for value, expected in zip(got.values(), module(x, lengths), strict=True):
                np.testing.assert_allclose(value, expected.detach().numpy(), rtol=0, atol=1e-12)


def test_the_length_of_an_automatic_size_is_open() -> None:
    module = made_by(nn.GRU)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model, params = ml.from_torch(module, (sequence(module, 4),), dynamic_shapes="auto")
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    x = sequence(module, 7)
    got = compiled.evaluate({key: p.detach().numpy() for key, p in params.items()}, {"x": x})
    for value, expected in zip(got.values(), module(x), strict=True):
        np.testing.assert_allclose(value, expected.detach().numpy(), rtol=0, atol=1e-12)


def test_dropout_between_layers_trains() -> None:
    module = made_by(nn.LSTM, num_layers=2, dropout=0.5).train()
    compiled, params = converted(module)
    data, state = {"x": sequence(module, 5).numpy()}, compiled.initial_state_dict
    first, state = compiled.evaluate(params, data, state=state)
    second, _ = compiled.evaluate(params, data, state=state)
    assert not np.array_equal(first[compiled.output_keys[0]], second[compiled.output_keys[0]])
    bound, _ = converted(module, inference=True)
    got = bound.evaluate(params, data)
    for value, expected in zip(got.values(), module.eval()(sequence(module, 5)), strict=True):
        np.testing.assert_allclose(value, expected.detach().numpy(), rtol=0, atol=1e-12)


def test_another_open_total_length_is_refused() -> None:
    class Doubled(Packed):
        def forward(self, x: Any, lengths: Any) -> Any:
            packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
            return pad_packed_sequence(self.layer(packed)[0], total_length=2 * x.shape[0])[0]

    with pytest.raises(ml.ValueError, match="E0414") as caught:
        converted(Doubled(nn.GRU, None).double(), torch.tensor([3, 4, 2]))
    assert "total_length is open, and not the number of steps that were packed" in str(caught.value)


def test_known_lengths_stay_unrolled() -> None:
    module = made_by(nn.LSTM)
    model, _ = ml.from_torch(module, (sequence(module, 4),))
    assert not [part for part in model.walk() if part.class_name == "Scan"]
