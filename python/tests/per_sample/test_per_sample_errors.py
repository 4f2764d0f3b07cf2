"""Calls that ml.PerSample refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from per_sample_models import CASES, Data

import mithril as ml

BACKEND = ml.CpuBackend(dtype="float64")
SHAPES = {"x": [None, 8]}


def text_of(call: Callable[[], object]) -> str:
    with pytest.raises(ml.Error) as caught:
        call()
    return str(caught.value)


def data(batch: int = 3) -> Data:
    return CASES["mlp"].data(np.random.default_rng(0), batch)


def compiled(model: ml.Model, **options: Any) -> ml.CompiledModel:
    return ml.compile(model, BACKEND, shapes=SHAPES, data_keys={"x", "y"}, **options)


@pytest.fixture
def mlp() -> tuple[ml.PerSample, dict[str, Any]]:
    model = compiled(CASES["mlp"].model())
    return ml.PerSample(model, losses="losses"), model.get_parameters()


def with_layer(*layers: ml.Model) -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(4)(input="x")
    for layer in layers:
        net += layer
    net += ml.Linear(5)(output="out")
    model = ml.Model()
    model |= net(x="x", out="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def test_losses_have_the_batch_of_the_data() -> None:
    model = ml.Model()
    model |= CASES["mlp"].model()(x="x", y="y", losses="each")
    model |= ml.Mean()(input="each", output="loss")
    whole = compiled(model)
    assert text_of(lambda: ml.PerSample(whole, losses="loss")) == (
        "mithril.GradientError[E0510]: loss: output 'loss' does not hold the losses of the samples "
        "of a batch\n"
        "  expected : [B, ...], with the batch of the data as its first axis\n"
        "  got      : a scalar\n"
        "  help: make the losses of the samples an output, before they are reduced"
    )
    assert "E0807" in text_of(lambda: ml.PerSample(whole, losses="los"))


def test_two_samples_in_one_row_are_refused() -> None:
    model = ml.Model()
    model |= ml.Linear(6)(input="x", output="h")
    model |= ml.Reshape(shape=(-1, 12))(input="h", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    rows = ml.compile(model, BACKEND, shapes=SHAPES | {"y": [None, 12]}, data_keys={"x", "y"})
    given = {"x": np.ones((4, 8)), "y": np.ones((2, 12))}
    samples = ml.PerSample(rows, losses="losses")
    text = text_of(lambda: samples.norms(rows.get_parameters(), given))
    assert "E0510" in text or "E0511" in text


def test_batch_norm_in_training_mode_mixes_samples() -> None:
    model = compiled(with_layer(ml.BatchNorm1D(name="bn")))
    samples, state = ml.PerSample(model, losses="losses"), model.initial_state_dict
    assert text_of(lambda: samples.norms(model.get_parameters(), data(), state=state)) == (
        "mithril.GradientError[E0511]: model.bn.output: the samples have no gradients of their "
        "own: batch_norm_training mixes them\n"
        "  reason : in training mode it normalises by statistics of the batch\n"
        "  help: use a layer that treats each sample by itself, or inference mode; name data "
        "without a batch axis in shared="
    )
    assert "E0920" in text_of(lambda: samples.norms(model.get_parameters(), data()))


def mean_of_batch() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(5)(input="x", output="h")
    model |= ml.Mean(axis=0)(input="h", output="m")
    model |= ml.Subtract()(left="h", right="m", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def sorted_batch() -> ml.Model:
    return with_layer(ml.Sort(axis=0))


def products_of_samples() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(6)(input="x", output="h")
    model |= ml.Transpose()(input="h", output="columns")
    model |= ml.MatrixMultiply()(left="h", right="columns", output="out")
    model |= ml.Sum(axis=-1)(input="out", output="sums")
    model |= ml.SquaredError()(input="sums", target="y", output="losses")
    return model


@pytest.mark.parametrize(
    ("model", "op"),
    [(mean_of_batch, "mean"), (sorted_batch, "argsort"), (products_of_samples, "matmul")],
)
@pytest.mark.parametrize("batch", [1, 5])
def test_models_that_mix_samples_are_refused(
    model: Callable[[], ml.Model], op: str, batch: int
) -> None:
    mixed = compiled(model())
    given = data(batch)
    if op == "matmul":
        given["y"] = np.ones(batch)
    samples = ml.PerSample(mixed, losses="losses")
    text = text_of(lambda: samples.norms(mixed.get_parameters(), given))
    assert f"the samples have no gradients of their own: {op} mixes them" in text


def test_a_model_without_parameters_or_gradients_is_refused() -> None:
    model = ml.Model()
    model |= ml.SquaredError()(input="x", target="y", output="losses")
    bare = compiled(model)
    assert text_of(lambda: ml.PerSample(bare, losses="losses")) == (
        "mithril.GradientError[E0514]: the model has no parameters, so its samples have no "
        "gradients"
    )
    fixed = compiled(CASES["mlp"].model(), inference=True)
    assert "E0505" in text_of(lambda: ml.PerSample(fixed, losses="losses"))


def test_weights_are_one_for_each_sample(mlp: Any) -> None:
    samples, params = mlp
    assert text_of(lambda: samples.weighted_gradients(params, data(), np.ones(2))) == (
        "mithril.InputError[E0815]: weighted_gradients takes one weight for each sample\n"
        "  expected : [3]\n"
        "  got      : [2]"
    )


def test_ranks_are_at_least_1_and_those_of_patterns_at_least_0(mlp: Any) -> None:
    samples, params = mlp
    assert text_of(lambda: samples.projections(params, data(), rank=0)) == (
        "mithril.ValueError[E0418]: projections: rank is 0, expected at least 1"
    )
    assert text_of(lambda: samples.projections(params, data(), ranks={"*.bias": -1})) == (
        "mithril.ValueError[E0418]: projections: '*.bias': rank is -1, expected 0, which leaves "
        "out, or more"
    )
    assert text_of(lambda: samples.projections(params, data(), ranks={"*": 0})) == (
        "mithril.ValueError[E0418]: projections: the options leave out all parameters"
    )
    assert "E0623" in text_of(lambda: samples.projections(params, data(), ranks={"*.bais": 0}))


def test_validation_data_has_the_keys_of_the_data(mlp: Any) -> None:
    samples, params = mlp
    given = data(2)
    assert text_of(lambda: samples.dots(params, data(), {"x": given["x"]})) == (
        "mithril.InputError[E0801]: validation lacks y\n  expected   : x, y\n"
        "  got        : x\n  needed for : losses"
    )
    more = given | {"z": given["x"]}
    assert text_of(lambda: samples.dots(params, data(), more)) == (
        "mithril.InputError[E0802]: validation: there is no data input 'z'\n  known : x, y"
    )


def test_a_bound_of_norms_is_not_negative(mlp: Any) -> None:
    samples, params = mlp
    for bound in (-1.0, float("nan")):
        assert "E0402" in text_of(
            lambda b=bound: samples.clipped_gradients(params, data(), b)  # type: ignore[misc]
        )


def test_words_and_keys_are_checked(mlp: Any) -> None:
    model = mlp[0].compiled
    assert "E0610" in text_of(
        lambda: ml.PerSample(model, losses="losses", reduction="avg")  # type: ignore[arg-type]
    )
    assert "E0802" in text_of(lambda: ml.PerSample(model, losses="losses", shared=["mask"]))


def test_masks_without_a_batch_axis_are_not_data() -> None:
    """A mask [T, T] of a model whose batch is a number: T == B needs shared=."""
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="h")
    model |= ml.MatrixMultiply()(left="mask", right="h", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    rng = np.random.default_rng(0)
    given = {
        "x": rng.standard_normal((3, 3, 8)),
        "mask": rng.standard_normal((3, 3)),
        "y": rng.standard_normal((3, 3, 4)),
    }
    shapes: dict[str, Any] = {"x": [3, 3, 8], "mask": [3, 3], "y": [3, 3, 4]}
    fixed = ml.compile(model, BACKEND, shapes=shapes, data_keys=set(given))
    params = fixed.get_parameters()
    assert "E0511" in text_of(lambda: ml.PerSample(fixed, losses="losses").norms(params, given))
    samples = ml.PerSample(fixed, losses="losses", shared=["mask"])
    found = np.asarray(samples.norms(params, given).total)
    shapes = {"x": [None, 3, 8], "mask": [3, 3], "y": [None, 3, 4]}
    symbolic = ml.compile(model, BACKEND, shapes=shapes, data_keys=set(given))
    other = ml.PerSample(symbolic, losses="losses")
    other.verify(params, given)
    assert np.asarray(other.norms(params, given).total) == pytest.approx(found)
