"""Copies of models, parts that share parameters, and keys of models."""

import copy

import numpy as np
import pytest

import mithril as ml

X = {"x": np.ones((3, 4), np.float32)}


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(3)(input="x")
    net += ml.BatchNorm1D()
    net += ml.Linear(2)(output="logits")
    return net


def test_models_are_copied() -> None:
    train = ml.TrainModel(network())
    train.add_loss(ml.CrossEntropy(), input="logits", target="label")
    for model in (network(), train, ml.Linear(3)):
        for copied in (model.copy(), copy.copy(model), copy.deepcopy(model)):
            assert copied == model
            assert copied is not model
            assert type(copied) is type(model)
    assert isinstance(train.copy(), ml.TrainModel)


def test_a_siamese_network_shares_its_encoder() -> None:
    encoder = ml.Linear(2)
    a, b = ml.IOKey("a"), ml.IOKey("b")
    model = ml.Model.create(distance=(encoder(a) - encoder.shared()(b)).abs().sum())
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"a": [1, 3], "b": [1, 3]}, data_keys={"a", "b"}
    )
    assert len(compiled.parameter_keys) == 2
    same = {"a": np.ones((1, 3), np.float32), "b": np.ones((1, 3), np.float32)}
    assert compiled.evaluate(compiled.get_parameters(), same)["distance"] == 0
    with pytest.raises(ml.ConnectionError, match=r"(?s)E0103.*part\.shared\(\)"):
        encoder(b)


def test_an_adapted_weight_is_trained() -> None:
    base, b, a = (
        ml.IOKey(name, shape=shape)
        for name, shape in (("base", [3, 4]), ("b", [3, 1]), ("a", [1, 4]))
    )
    model = ml.Model()
    model |= ml.Linear(3)(input="x", weight=base + b @ a, output="y")
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="t")
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 4]})
    assert compiled.data_keys == ["x", "t"]
    params = compiled.get_parameters()
    before = {key: np.array(value) for key, value in params.items()}
    groups = [ml.ParameterGroup("base", frozen=True)]
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.1, groups=groups))
    step(params, {**X, "t": np.ones((3, 3), np.float32)})
    changed = {key for key in params if not np.array_equal(before[key], params[key])}
    assert {"b", "a"} <= changed
    assert "base" not in changed


def test_parts_are_not_attributes() -> None:
    model = ml.Model()
    model |= ml.Relu()(input="x", output="h")
    with pytest.raises(ml.ConnectionError) as caught:
        model.head = ml.Linear(2)
    assert str(caught.value) == (
        "mithril.ConnectionError[E0121]: a part is not added by assigning it to the attribute "
        "'head'\n  help: write model |= Linear(..., name='head')(input=..., output=...), or "
        "model += to chain it"
    )
    with pytest.raises(ml.ConnectionError, match=r"(?s)E0121.*expose_keys\(out=connection\)"):
        model.out = model.h + 1
    with pytest.raises(ml.ConnectionError, match="E0121"):
        model.block = ml.Linear(2)(input="h")
    model.notes = "my own"
    assert model.notes == "my own"


def test_reading_a_key_does_not_create_it() -> None:
    model = ml.Model()
    model |= ml.Relu()(input="x", output="hidden")
    with pytest.raises(ml.NameError, match=r"E0606.*'hiden'") as caught:
        model["hiden"]
    assert "did you mean 'hidden'?" in str(caught.value)
    assert "add_input('hiden') makes a new input" in str(caught.value)
    assert model.input_keys == ["x"]
    model.expose_keys(sum=model.add_input("y") + model["hidden"])
    assert model.input_keys == ["x", "y"]
