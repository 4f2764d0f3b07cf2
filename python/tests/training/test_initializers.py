"""The first values of parameters, against torch.nn.init, and a plateau against torch."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

INITIALIZERS: dict[str, tuple[ml.Initializer, Callable[[Any], Any]]] = {
    "zeros": (ml.initializers.zeros(), torch.nn.init.zeros_),
    "ones": (ml.initializers.ones(), torch.nn.init.ones_),
    "constant": (ml.initializers.constant(3), lambda w: torch.nn.init.constant_(w, 3)),
    "uniform": (ml.initializers.uniform(2, 4), lambda w: torch.nn.init.uniform_(w, 2, 4)),
    "normal": (ml.initializers.normal(1, 0.5), lambda w: torch.nn.init.normal_(w, 1, 0.5)),
    "xavier_uniform": (
        ml.initializers.xavier_uniform(2),
        lambda w: torch.nn.init.xavier_uniform_(w, 2),
    ),
    "xavier_normal": (ml.initializers.xavier_normal(), torch.nn.init.xavier_normal_),
    "kaiming_uniform": (
        ml.initializers.kaiming_uniform(),
        lambda w: torch.nn.init.kaiming_uniform_(w, nonlinearity="relu"),
    ),
    "kaiming_normal": (
        ml.initializers.kaiming_normal(mode="fan_out"),
        lambda w: torch.nn.init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"),
    ),
    "kaiming_uniform of fan out": (
        ml.initializers.kaiming_uniform(1.0, "fan_out"),
        lambda w: torch.nn.init.kaiming_uniform_(w, mode="fan_out", nonlinearity="linear"),
    ),
}


def first_weight(model: ml.Model, seed: int = 0) -> Any:
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [1, 16, 8, 8]})
    return np.asarray(compiled.get_parameters(seed=seed)["weight"])


def convolution(initializer: Any) -> ml.Model:
    model = ml.Conv2d(5, filters=64)
    model.set_initializer("weight", initializer)
    return model


@pytest.mark.parametrize("read", [False, True], ids=["made", "read from JSON"])
@pytest.mark.parametrize("name", INITIALIZERS)
def test_first_values_have_the_spread_of_those_of_torch(name: str, read: bool) -> None:
    ours, theirs = INITIALIZERS[name]
    model = convolution(ours)
    got = first_weight(ml.Model.from_json(model.to_json()) if read else model)
    torch.manual_seed(0)
    expected = theirs(torch.empty(64, 16, 5, 5)).numpy().astype(np.float64)
    near = 0.02 * float(expected.std()) + 1e-12
    assert float(got.mean()) == pytest.approx(float(expected.mean()), abs=near)
    assert float(got.std()) == pytest.approx(float(expected.std()), rel=0.02, abs=1e-6)
    if "normal" not in name:
        assert got.min() == pytest.approx(expected.min(), rel=1e-3)
        assert got.max() == pytest.approx(expected.max(), rel=1e-3)


def test_a_function_makes_the_first_values() -> None:
    seen: list[Any] = []

    def fill(shape: tuple[int, ...], seed: int) -> Any:
        seen.append((shape, seed))
        return np.random.default_rng(seed).normal(size=shape)

    model = convolution(fill)
    first, again, other = first_weight(model), first_weight(model), first_weight(model, seed=1)
    assert seen[0][0] == (64, 16, 5, 5)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    np.testing.assert_array_equal(first_weight(convolution(lambda shape, seed: 0.5)), 0.5)


def test_a_function_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ml.ShapeError) as caught:
        first_weight(convolution(lambda shape, seed: np.ones(3)))
    assert str(caught.value) == (
        "mithril.ShapeError[E0217]: the initializer of the parameter 'weight' returned an array of "
        "another shape\n"
        "  expected : [64, 16, 5, 5]\n"
        "  got      : [3]"
    )
    with pytest.raises(ZeroDivisionError):
        first_weight(convolution(lambda shape, seed: 1 // 0))
    read = ml.Model.from_json(convolution(lambda shape, seed: 1.0).to_json())
    with pytest.raises(ml.StateError) as lost:
        first_weight(read)
    assert str(lost.value) == (
        "mithril.StateError[E0917]: the initializer of the parameter 'weight' is a function, which "
        "JSON does not hold\n"
        "  help: load saved parameters, or call set_initializer after reading the model"
    )
    read.set_initializer("weight", ml.initializers.ones())
    np.testing.assert_array_equal(first_weight(read), 1)


def test_the_initializer_of_a_part_is_set_by_its_path() -> None:
    model = ml.Model()
    model |= ml.Linear(3, name="fc")(input="input", output="h")
    model.set_initializer("fc.weight", ml.initializers.ones())
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"input": [2, 4]})
    (weight,) = (value for key, value in compiled.get_parameters().items() if "weight" in key)
    np.testing.assert_array_equal(weight, np.ones((3, 4)))


def test_arguments_that_do_not_fit_are_named() -> None:
    with pytest.raises(ml.NameError, match="did you mean 'fan_in'"):
        ml.initializers.kaiming_normal(mode="fan_inn")
    with pytest.raises(ml.TypeError, match="argument 'gain' has the wrong kind"):
        ml.initializers.xavier_normal("a")
    with pytest.raises(ml.TypeError, match="xavier_uniform"):
        ml.Linear(3).set_initializer("weight", "xavier")
    with pytest.raises(ml.NameError):
        ml.Linear(3).set_initializer("wieght", ml.initializers.ones())


def test_an_initializer_is_pickled() -> None:
    made = ml.initializers.xavier_uniform()
    assert repr(pickle.loads(pickle.dumps(made))) == repr(copy.deepcopy(made)) == repr(made)


def test_a_row_of_padding_starts_as_zeros() -> None:
    model = ml.Embedding(5, dim=3, padding_idx=-2)
    for variant in (model, ml.Model.from_json(model.to_json())):
        compiled = ml.compile(variant, ml.CpuBackend(), shapes={"input": [2]}, data_keys=["input"])
        weight = np.asarray(compiled.get_parameters()["weight"])
        assert (weight[3] == 0).all()
        assert (weight[[0, 1, 2, 4]] != 0).all()


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 1},
        {"patience": 0, "cooldown": 2, "factor": 0.5},
        {"patience": 1, "mode": "max", "min_lr": 0.02},
        {"patience": 0, "threshold": 0.1, "threshold_mode": "abs"},
        {"patience": 0, "threshold": 0.1, "factor": 0.5},
    ],
)
def test_a_plateau_is_that_of_torch(options: dict[str, Any]) -> None:
    scores = np.random.default_rng(0).normal(2, 0.3, 40)
    theirs = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **options)
    ours, plateau = ml.SGD(1.0), ml.Plateau(**options)
    for score in scores:
        scheduler.step(score)
        before = ours.lr
        assert plateau.update(ours, score) == (ours.lr != before)
        assert ours.lr == theirs.param_groups[0]["lr"]
        plateau = pickle.loads(pickle.dumps(plateau))


def test_a_plateau_refuses_a_schedule() -> None:
    with pytest.raises(ml.StateError, match="E0918"):
        ml.Plateau().update(ml.SGD(ml.CosineSchedule(0.1, steps=3)), 1.0)
    with pytest.raises(ml.NameError, match="Plateau has no mode"):
        ml.Plateau("maximum")
    with pytest.raises(ml.StateError) as caught:
        ml.Plateau().load_state_dict({})
    assert str(caught.value).startswith(
        "mithril.StateError[E0919]: this is not the state of a plateau: it lacks 'best'"
    )
