"""ml.PerSample of models that make tensors of the size of the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from per_sample_models import host

import mithril as ml

LENGTH, WIDTH, ROWS = 3, 4, 16
Build = Callable[[Any], Any]  # of x [B, 3, 4] and weights, losses [B, ...] or what they square


def weight(name: str = "w", *shape: int) -> Any:
    return ml.IOKey(name, shape=shape or (WIDTH, WIDTH), differentiable=True)


def size(x: Any) -> Any:
    return x.shape[0]


def zeros(*shape: Any) -> Any:
    return ml.Zeros()(shape=shape)


def numbers(x: Any) -> Any:
    return ml.Arange()(stop=size(x))


def take(x: Any, index: Any, axis: int = 0) -> Any:
    return ml.Gather(axis=axis)(x, index)


def zero_state(x: Any) -> Any:
    return zeros(size(x), WIDTH) @ weight() + x[:, 0] @ weight("u")


def one_state_for_all(x: Any) -> Any:
    state = ml.BroadcastTo()(input=weight("s", 1, WIDTH), shape=(size(x), WIDTH))
    return state @ weight() + x[:, 0]


def recurrence(x: Any) -> Any:
    w, u, state = weight(), weight("u"), zeros(size(x), WIDTH)
    for t in range(LENGTH):
        state = ml.Tanh()(x[:, t] @ u + state @ w)
    return state


def states_of_layers(x: Any) -> Any:
    """[layers, B, H], as those of torch.nn.LSTM."""
    states = zeros(LENGTH, size(x), WIDTH) @ weight()
    return states.transpose((1, 0, 2)) + x @ weight("u") + states[1].reshape((-1, 1, WIDTH))


def two_batches_of_zeros(x: Any) -> Any:
    """Rows 2 i and 2 i + 1 belong to sample i."""
    pairs = (zeros(size(x) * 2, WIDTH) @ weight()).reshape((-1, 2, WIDTH))
    return pairs.sum(1) + x[:, 0] @ weight("u")


def first_token(x: Any) -> Any:
    token = ml.Full()(shape=(size(x), 1, WIDTH), fill_value=0.5)
    return ml.Concat(axis=1)(input=[token, x]) @ weight()


def own_row(x: Any) -> Any:
    return take(x @ weight(), numbers(x))


def last_of_own_row(x: Any) -> Any:
    return take((x @ weight())[:, -1], numbers(x))


def own_row_of_a_column(x: Any) -> Any:
    return take(x @ weight(), numbers(x).reshape((-1, 1)))


def types_of_tokens(x: Any) -> Any:
    ids = ml.ZerosLike()(ml.ArgMax(axis=-1)(x))
    return take(weight("table", ROWS, WIDTH), ids) + x @ weight()


def positions(x: Any) -> Any:
    index = ml.Arange()(stop=LENGTH).reshape((1, LENGTH))
    index = ml.BroadcastTo()(input=index, shape=(size(x), LENGTH))
    return take(weight("table", ROWS, WIDTH), index) + x @ weight()


EXACT: list[Build] = [
    zero_state,
    one_state_for_all,
    recurrence,
    states_of_layers,
    two_batches_of_zeros,
    first_token,
    own_row,
    last_of_own_row,
    own_row_of_a_column,
    types_of_tokens,
    positions,
]


def next_row(x: Any) -> Any:
    return take(x @ weight(), numbers(x) + 1)


def next_row_in_a_circle(x: Any) -> Any:
    return take(x @ weight(), (numbers(x) + 1) % size(x))


def rolled_numbers(x: Any) -> Any:
    return take(x @ weight(), ml.Roll(shift=1, axis=0)(numbers(x)))


def flipped_numbers(x: Any) -> Any:
    return take(x @ weight(), numbers(x)[::-1])


def rolled(x: Any) -> Any:
    return ml.Roll(shift=1, axis=0)(x @ weight())


def flipped(x: Any) -> Any:
    return (x @ weight())[::-1]


def numbers_along_another_axis(x: Any) -> Any:
    return take(x @ weight(), numbers(x), axis=1)


def rows_of_a_table(x: Any) -> Any:
    return x[:, 0] @ weight() + take(weight("table", ROWS, WIDTH), numbers(x))


def added_numbers(x: Any) -> Any:
    return (x @ weight()) * ml.Arange()(stop=size(x), dtype=ml.float64).reshape((-1, 1, 1))


def fewer_rows(x: Any) -> Any:
    chosen = take(x @ weight(), ml.Arange()(stop=2))
    return x @ weight("u") + chosen.mean(0)


def parts_of_other_samples(x: Any) -> Any:
    """Row i of the index chooses within row i of the 3 B rows: of sample i // 3."""
    index = ml.ArgMax(axis=-1, keepdim=True)(x[:, 0])
    return ml.TakeAlongAxis(axis=1)((x @ weight()).reshape((-1, WIDTH)), index)


def counted(x: Any) -> Any:
    ones = ml.Ones()(shape=(size(x),))
    return (x @ weight()) * ml.Cumsum(axis=0)(ones).reshape((-1, 1, 1))


def later_numbers(x: Any) -> Any:
    numbers_from_1 = ml.Arange()(stop=size(x) + 1, dtype=ml.float64)[1:]
    return (x @ weight()) * numbers_from_1.reshape((-1, 1, 1))


def numbers_in_a_column(x: Any) -> Any:
    column = numbers(x).reshape((-1, 1))[:, 0]
    return x[:, 0] @ weight() + take(weight("table", ROWS, WIDTH), column)


def counted_rows_of_a_table(x: Any) -> Any:
    zero = ml.Zeros()(shape=(size(x),), dtype=ml.int64)
    index = zero + ml.Cumsum(axis=0)(ml.Ones()(shape=(size(x),), dtype=ml.int64))
    return x[:, 0] @ weight() + take(weight("table", ROWS, WIDTH), index)


def sum_over_zeros(x: Any) -> Any:
    return x[:, 0] + (zeros(size(x), WIDTH) + x[:, 1] @ weight()).sum(0)


COUPLED: list[tuple[Build, str]] = [
    (next_row, "arange"),
    (next_row_in_a_circle, "arange"),
    (rolled_numbers, "arange"),
    (flipped_numbers, "arange"),
    (rolled, "roll"),
    (flipped, "slice"),
    (numbers_along_another_axis, "arange"),
    (rows_of_a_table, "arange"),
    (added_numbers, "arange"),
    (fewer_rows, "gather"),
    (sum_over_zeros, "sum"),
    (parts_of_other_samples, "take_along_axis"),
    (counted, "multiply"),
    (later_numbers, "multiply"),
    (numbers_in_a_column, "arange"),
    (counted_rows_of_a_table, "add"),
]


def compiled(build: Build, batch: int | None) -> ml.CompiledModel:
    x = ml.IOKey("x", shape=[batch or "B", LENGTH, WIDTH])
    return ml.compile(
        ml.Model.create(losses=build(x) ** 2),
        ml.CpuBackend(dtype=ml.float64),
        data_keys={"x"},
    )


def rows(batch: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(batch).standard_normal((batch, LENGTH, WIDTH))


def by_single_samples(
    model: ml.CompiledModel, params: dict[str, Any], x: np.ndarray[Any, Any]
) -> list[dict[str, np.ndarray[Any, Any]]]:
    found = []
    for i in range(len(x)):
        one = {"x": x[i : i + 1]}
        ones = np.ones_like(host(model.evaluate(params, one)["losses"]))
        made = model.evaluate(params, one, output_gradients={"losses": ones})[1]
        found.append({key: host(value) for key, value in made.items()})
    return found


@pytest.mark.parametrize("batch", [None, 7, LENGTH, 1])
@pytest.mark.parametrize("build", EXACT)
def test_gradients_are_those_of_single_samples(build: Build, batch: int | None) -> None:
    """Also of a batch whose size is a number, and another size of the model."""
    alone, model = compiled(build, None), compiled(build, batch)
    params, x = alone.get_parameters(2), rows(batch or 7)
    expected = by_single_samples(alone, params, x)
    norms = np.array([np.sqrt(sum((value**2).sum() for value in one.values())) for one in expected])
    assert norms.min() > 0
    for strategy in (None, "gram", "materialized"):
        samples = ml.PerSample(model, losses="losses", strategy=strategy)
        made = samples.gradients(params, {"x": x})
        for i, one in enumerate(expected):
            for key, value in one.items():
                error = np.abs(host(made[key])[i] - value).max()
                assert error <= 1e-12 * norms[i], (key, i)
        got = host(samples.norms(params, {"x": x}).total)
        assert np.abs(got - norms).max() <= 1e-12 * norms.max()
        pairs = host(samples.dots(params, {"x": x}, {"x": x}, pairs=True).total)
        flat = np.stack([np.concatenate([g.ravel() for g in one.values()]) for one in expected])
        assert np.abs(pairs - flat @ flat.T).max() <= 1e-12 * norms.max() ** 2


@pytest.mark.parametrize(("build", "op"), COUPLED)
def test_models_that_mix_samples_are_refused(build: Build, op: str) -> None:
    model = compiled(build, None)
    samples = ml.PerSample(model, losses="losses")
    with pytest.raises(ml.GradientError, match="E0511") as caught:
        samples.norms(model.get_parameters(), {"x": rows(LENGTH)})
    assert f"{op} mixes them" in str(caught.value)


@pytest.mark.parametrize(
    "build", [next_row, rolled_numbers, flipped_numbers, rolled, flipped, fewer_rows]
)
@pytest.mark.parametrize("batch", [5, LENGTH])
def test_batches_of_a_fixed_size_that_mix_samples_are_refused(build: Build, batch: int) -> None:
    model = compiled(build, batch)
    samples = ml.PerSample(model, losses="losses")
    with pytest.raises(ml.GradientError, match="E0511"):
        samples.norms(model.get_parameters(), {"x": rows(batch)})


def test_numbers_of_samples_are_refused_where_the_batch_must_be_even() -> None:
    def build(x: Any) -> Any:
        pairs = x.reshape((-1, 2, WIDTH)).reshape((-1, LENGTH, WIDTH))
        return added_numbers(pairs)

    model = compiled(build, None)
    with pytest.raises(ml.GradientError, match="E0511"):
        ml.PerSample(model, losses="losses").norms(model.get_parameters(), {"x": rows(4)})


def test_samples_that_run_one_by_one_have_no_code() -> None:
    model = compiled(rolled, 1)
    samples = ml.PerSample(model, losses="losses")
    assert host(samples.norms(model.get_parameters(), {"x": rows(1)}).total).shape == (1,)
    with pytest.raises(ml.GradientError) as caught:
        samples.codegen("norms.cpp", data={"x": rows(1)})
    assert str(caught.value) == (
        "mithril.GradientError[E0515]: there is no program for the whole batch: the samples run "
        "one by one\n"
        "  reason : the batch of the model is one sample"
    )


def test_a_parameter_of_the_size_of_a_fixed_batch_has_gradients_in_the_row_of_the_sample() -> None:
    model = compiled(lambda x: (x[:, 0] + weight("rows", 5, WIDTH)) @ weight(), 5)
    params, x = model.get_parameters(2), rows(5)
    made = ml.PerSample(model, losses="losses").gradients(params, {"x": x})
    for i in range(5):
        one = np.zeros((5, WIDTH))
        one[i] = 1
        expected = model.evaluate(params, {"x": x}, output_gradients={"losses": one})[1]
        for key, value in expected.items():
            assert np.abs(host(made[key])[i] - host(value)).max() <= 1e-12 * np.abs(value).max()
