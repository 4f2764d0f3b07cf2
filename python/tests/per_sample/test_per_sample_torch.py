"""ml.PerSample of modules that `ml.from_torch` converts, beside gradients of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

LENGTH, WIDTH, WORDS = 4, 6, 9
nn = torch.nn


class Layer(nn.Module):
    """Outputs [B, ...] of x [B, T, D] and ids [B, T]."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)


class Recurrent(nn.Module):
    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Any, ids: Any) -> Any:
        outputs, states = self.layer(x)
        states = states if isinstance(states, tuple) else (states,)
        # torch.export of 2.11 gives the states of an LSTM an axis more, of one element.
        rows = [state.flatten(0, -3).transpose(0, 1).flatten(1) for state in states]
        return torch.cat([outputs.flatten(1), *rows], 1)


class Cells(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(WIDTH, WIDTH), nn.GRUCell(WIDTH, WIDTH)

    def forward(self, x: Any, ids: Any) -> Any:
        first, cell = self.lstm(x[:, 0])
        return self.gru(x[:, 1], self.gru(first * cell))


class Embeddings(nn.Module):
    """As those of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.places = nn.Embedding(16, WIDTH)

    def forward(self, x: Any, ids: Any) -> Any:
        places = torch.arange(ids.shape[1]).expand(ids.shape[0], -1)
        return self.words(ids) + self.types(torch.zeros_like(ids)) + self.places(places) + x


class OneStateForAll(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.state = nn.Parameter(torch.randn(1, WIDTH))

    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(self.state.expand(x.shape[0], -1)) + x[:, 0]


class ZeroState(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        return (
            self.linear(torch.zeros(x.shape[0], WIDTH, dtype=x.dtype))
            + x.new_ones(x.shape[0], 1) * x[:, 0]
        )


class OwnToken(Layer):
    """The token of each text with the greatest id, as models that classify texts take the last."""

    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(x)[torch.arange(x.shape[0]), ids.argmax(-1)]


class LastToken(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(x)[torch.arange(x.shape[0]), -1]


class OwnTokens(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(x)[torch.arange(x.shape[0])[:, None], ids % LENGTH]


class MaskByIndex(Layer):
    """As transformers makes masks: from a number of the sample and one of the token."""

    def forward(self, x: Any, ids: Any) -> Any:
        rows = torch.arange(ids.shape[0])[:, None, None]
        columns = torch.arange(ids.shape[1])[None, None, :]
        mask = (ids > WORDS // 3)[rows, columns]
        scores = (self.linear(x) @ x.transpose(1, 2)).masked_fill(~mask, -1e9)
        return scores.softmax(-1) @ x


class MaskOfAnotherInput(Layer):
    """The numbers are those of x, and no operator tells torch.export that ids has as many rows."""

    def forward(self, x: Any, ids: Any) -> Any:
        rows = torch.arange(x.shape[0])[:, None, None]
        columns = torch.arange(ids.shape[1])[None, None, :]
        mask = (ids > WORDS // 3)[rows, columns]
        scores = (self.linear(x) @ x.transpose(1, 2)).masked_fill(~mask, -1e9)
        return scores.softmax(-1) @ x


class OwnTokenChanged(Layer):
    """One token of each text is replaced; the numbers are those of the changed tensor."""

    def forward(self, x: Any, ids: Any) -> Any:
        rows = torch.arange(x.shape[0])
        return self.linear(x).index_put((rows, ids.argmax(-1)), x[:, 0] @ self.linear.weight)


class TokensOfAnotherInputChanged(Layer):
    """As MaskOfAnotherInput: the numbers are those of ids."""

    def forward(self, x: Any, ids: Any) -> Any:
        rows = torch.arange(ids.shape[0])[:, None]
        places = (ids % LENGTH)[:, :2]
        made = self.linear(x)
        return made.index_put((rows, places), made[:, 2:], accumulate=True)


class MaskChanged(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        mask = torch.zeros(ids.shape, dtype=torch.bool)
        rows = torch.arange(x.shape[0])
        mask = mask.index_put((rows, ids.argmax(-1)), torch.tensor(True))
        return self.linear(x).masked_fill(mask[..., None], 0.0)


MODULES: dict[str, Callable[[], Any]] = {
    "LSTM": lambda: Recurrent(nn.LSTM(WIDTH, 5, batch_first=True)),
    "LSTM of two layers": lambda: Recurrent(
        nn.LSTM(WIDTH, 5, num_layers=2, batch_first=True, bidirectional=True)
    ),
    "GRU": lambda: Recurrent(nn.GRU(WIDTH, 5, batch_first=True)),
    "GRU of two layers": lambda: Recurrent(
        nn.GRU(WIDTH, 5, num_layers=2, batch_first=True, bidirectional=True)
    ),
    "RNN": lambda: Recurrent(nn.RNN(WIDTH, 5, num_layers=2, batch_first=True)),
    "RNN with relu": lambda: Recurrent(
        nn.RNN(WIDTH, 5, batch_first=True, nonlinearity="relu", bidirectional=True)
    ),
    **{
        kind.__name__: kind
        for kind in (
            *(Cells, Embeddings, OneStateForAll, ZeroState),
            *(OwnToken, LastToken, OwnTokens, MaskByIndex, MaskOfAnotherInput),
            *(OwnTokenChanged, TokensOfAnotherInputChanged, MaskChanged),
        )
    },
}


class NextText(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        count = x.shape[0]
        return self.linear(x)[(torch.arange(count) + 1) % count, ids.argmax(-1)]


class Flipped(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(x).flip(0)


class Rolled(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        return self.linear(x).roll(1, 0)


class WithoutMean(Layer):
    def forward(self, x: Any, ids: Any) -> Any:
        made = self.linear(x)
        return made - made.mean(0)


class Losses(nn.Module):
    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Any, ids: Any) -> Any:
        return {"losses": (self.module(x, ids) - 0.3).square().flatten(1).sum(1)}


def compiled(name: str, kind: Callable[[], Any], batch: int, dynamic: Any) -> Any:
    torch.manual_seed(len(name))
    module = Losses(kind()).double()
    data = {
        "x": torch.randn(batch, LENGTH, WIDTH, dtype=torch.float64),
        "ids": torch.randint(0, WORDS, (batch, LENGTH)),
    }
    model, params = ml.from_torch(module, data, dynamic)
    used = {key: value for key, value in data.items() if key in model.input_keys}
    made = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=set(used))
    params = {key: value.detach().numpy() for key, value in params.items()}
    return module, made, params, {key: value.numpy() for key, value in used.items()}, data


def by_single_samples(module: Any, data: Any) -> list[dict[str, np.ndarray[Any, Any]]]:
    found = []
    for i in range(len(data["x"])):
        module.zero_grad()
        module(**{key: value[i : i + 1] for key, value in data.items()})["losses"].sum().backward()
        found.append({key: value.grad.numpy().copy() for key, value in module.named_parameters()})
    return found


@pytest.mark.parametrize("dynamic", ["auto", None])
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.sampled(9)
def test_gradients_are_those_of_torch_for_each_sample(name: str, dynamic: Any) -> None:
    module, made, params, given, data = compiled(name, MODULES[name], 5, dynamic)
    expected = by_single_samples(module, data)
    samples = ml.PerSample(made, losses="losses")
    gradients = samples.gradients(params, given)
    squares = np.zeros(5)
    for i, one in enumerate(expected):
        scale = np.sqrt(sum((value**2).sum() for value in one.values()))
        for key, value in one.items():
            error = np.abs(np.asarray(gradients[key])[i] - value).max()
            assert error <= 1e-12 * scale, (key, i, error / scale)
        squares[i] = scale**2
    norms = np.asarray(samples.norms(params, given).total)
    assert np.abs(norms**2 - squares).max() <= 1e-12 * squares.max()


@pytest.mark.parametrize("dynamic", ["auto", None])
@pytest.mark.parametrize("kind", [NextText, Flipped, Rolled, WithoutMean])
def test_modules_that_mix_samples_are_refused(kind: Any, dynamic: Any) -> None:
    _, made, params, given, _ = compiled(kind.__name__, kind, 5, dynamic)
    with pytest.raises(ml.GradientError, match="E0511"):
        ml.PerSample(made, losses="losses").norms(params, given)
