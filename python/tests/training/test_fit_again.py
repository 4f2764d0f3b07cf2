"""ml.fit called again, with losses that are not numbers, and with random numbers in validation."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_fit import BACKENDS, accuracy, network, rows, step_of

import mithril as ml


def assert_equal(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        np.testing.assert_array_equal(np.asarray(value), np.asarray(theirs[key]))


@pytest.mark.parametrize("kind", BACKENDS)
def test_a_second_call_continues_from_where_the_first_ended(kind: str) -> None:
    model, data = network(BACKENDS[kind]()), rows(100, 0)
    whole, parts = step_of(model), step_of(model)
    expected = ml.fit(whole, data, epochs=4, progress=False)
    first = ml.fit(parts, data, epochs=1, progress=False)
    kept = {key: np.asarray(value).copy() for key, value in first.params.items()}
    second = ml.fit(parts, data, epochs=3, progress=False)
    losses = [epoch["loss"] for epoch in [*first.epochs, *second.epochs]]
    assert losses == [epoch["loss"] for epoch in expected.epochs]
    assert_equal(second.params, expected.params)
    assert_equal(first.params, kept)
    assert_equal(parts.state, whole.state)
    assert_equal(parts.optimizer.state_dict(), whole.optimizer.state_dict())


def test_a_checkpoint_of_a_second_call_continues_with_the_same_bits(tmp_path: Path) -> None:
    model, data = network(ml.CpuBackend()), rows(100, 0)

    def run(folder: str, epochs: int) -> ml.History:
        step = step_of(model)
        ml.fit(step, data, epochs=2, progress=False)
        return ml.fit(step, data, epochs=epochs, checkpoint=tmp_path / folder, progress=False)

    expected = run("whole", 3)
    run("parts", 1)
    assert_equal(run("parts", 3).params, expected.params)


def test_moments_of_unknown_parameters_are_refused() -> None:
    model = network(ml.CpuBackend())
    step = step_of(model)
    params = model.get_parameters(1)
    step(params, rows(8, 0))
    with pytest.raises(ml.StateError) as caught:
        ml.fit(step, rows(32, 0), epochs=1, progress=False)
    assert str(caught.value) == (
        "mithril.StateError[E0914]: fit: the optimizer has made 1 steps with other parameters\n"
        "  help: give the parameters that it has trained as params, or take a new optimizer"
    )
    assert ml.fit(step, rows(32, 0), epochs=1, params=params, progress=False).params is params


def with_nan(count: int, row: int) -> dict[str, Any]:
    data = rows(count, 0)
    data["x"][row] = math.nan
    return data


def test_a_loss_that_is_not_a_number_ends_training() -> None:
    step = step_of(network(ml.CpuBackend(), plain=True))
    good = rows(32, 1)
    ml.fit(step, good, epochs=1, progress=False)
    with pytest.raises(ml.ValueError) as caught:
        ml.fit(step, with_nan(96, 40), epochs=2, shuffle=False, progress=False)
    assert str(caught.value).startswith(
        "mithril.ValueError[E0419]: fit: the loss is nan in epoch 1, step 2\n  help: lower"
    )


def test_a_validation_loss_that_is_not_a_number_ends_training() -> None:
    step = step_of(network(ml.CpuBackend(), plain=True))
    with pytest.raises(ml.ValueError, match="the validation loss is nan in epoch 1, step 3"):
        ml.fit(step, rows(32, 0), epochs=2, validation=with_nan(96, 70), progress=False)


@pytest.mark.parametrize("kind", BACKENDS)
def test_the_best_parameters_are_not_nan(kind: str, tmp_path: Path) -> None:
    model = network(BACKENDS[kind](), plain=True)

    def run(epochs: int) -> ml.History:
        first = [rows(32, 1), with_nan(32, 3)]
        data = type("Data", (), {"__iter__": lambda self: iter([first.pop(0) if first else last])})
        last = rows(32, 2)
        step = ml.TrainingStep(model, ml.SGD(0.1))
        return ml.fit(
            step, data(), epochs=epochs, allow_nan=True, checkpoint=tmp_path, progress=False
        )

    history = run(4)
    assert [math.isnan(epoch["loss"]) for epoch in history.epochs] == [False, True, True, True]
    assert history.best_epoch == 1
    for value in history.best.values():
        assert np.isfinite(np.asarray(value)).all()
    assert all(np.isnan(np.asarray(value)).any() for value in history.params.values())


def test_the_last_step_of_a_good_epoch_may_spoil_its_parameters() -> None:
    """The loss of the epoch is finite; the update after it is not."""
    step = ml.TrainingStep(network(ml.CpuBackend(), plain=True), ml.SGD(1e39))
    start = step.compiled.get_parameters()
    history = ml.fit(step, rows(32, 0), epochs=1, progress=False)
    assert not all(np.isfinite(value).all() for value in history.params.values())
    assert math.isfinite(history.epochs[0]["loss"])
    assert history.best_epoch == 0
    assert_equal(history.best, start)


def test_the_best_epoch_counts_as_the_progress_does(capsys: pytest.CaptureFixture[str]) -> None:
    history = ml.fit(step_of(network(ml.CpuBackend())), rows(64, 0), epochs=1)
    assert history.best_epoch == 1
    assert "epoch 1/1: loss " in capsys.readouterr().out


@pytest.mark.parametrize("kind", BACKENDS)
def test_random_numbers_in_inference_can_be_validated(kind: str) -> None:
    """Models such as a VAE draw random numbers in inference, too."""
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="mean")
    net |= ml.Randn()(shape=net.mean.shape, output="noise")
    net |= ml.Linear(4)(input=net.mean + 0.1 * net.noise, output="y")
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), input="y", target="x")
    model = ml.compile(train, BACKENDS[kind](), shapes={"x": [None, 4]})
    data = {"x": rows(64, 0)["x"]}

    def run() -> ml.History:
        step = ml.TrainingStep(model, ml.Adam(1e-2))
        return ml.fit(step, data, epochs=3, validation=data, batch_size=32, progress=False)

    history, again = run(), run()
    losses = [epoch["validation_loss"] for epoch in history.epochs]
    assert losses == [epoch["validation_loss"] for epoch in again.epochs]
    assert len(set(losses)) == 3
    plain = ml.TrainingStep(model, ml.Adam(1e-2))
    ml.fit(plain, data, epochs=3, batch_size=32, progress=False)
    again_step = ml.TrainingStep(model, ml.Adam(1e-2))
    ml.fit(again_step, data, epochs=3, validation=data, batch_size=32, progress=False)
    assert_equal(plain.state, again_step.state)


def test_a_checkpoint_that_does_not_fit_is_named(tmp_path: Path) -> None:
    step = step_of(network(ml.CpuBackend(), plain=True))
    ml.fit(step, rows(32, 0), epochs=1, checkpoint=tmp_path, progress=False)
    other = ml.Model()
    other |= ml.Linear(3)(input="x", output="scores")
    train = ml.TrainModel(other)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 4]})
    with pytest.raises(ml.StateError) as caught:
        ml.fit(step_of(compiled), rows(32, 0), epochs=1, checkpoint=tmp_path, progress=False)
    text = str(caught.value)
    path = tmp_path / "last.safetensors"
    assert text.startswith(f"mithril.StateError[E0901]: {path}: the state dict does not fit the")
    assert text.endswith(
        "  help: fit continues the run of this file, which it found in the folder checkpoint: to "
        "begin a new run, choose another folder or remove the file"
    )


def test_the_best_epoch_may_be_that_of_the_largest_metric() -> None:
    history = ml.fit(
        step_of(network(ml.CpuBackend())),
        rows(300, 0),
        epochs=6,
        validation_split=0.2,
        metrics={"accuracy": accuracy},
        monitor="accuracy",
        mode="max",
        progress=False,
    )
    scores = [epoch["accuracy"] for epoch in history.epochs]
    assert history.best_epoch == 1 + int(np.argmax(scores))


def test_the_last_rows_become_the_validation() -> None:
    data = rows(50, 0)
    first = {key: value[:40] for key, value in data.items()}
    last = {key: value[40:] for key, value in data.items()}
    histories = [
        ml.fit(step_of(network(ml.CpuBackend())), *arrays, epochs=2, progress=False, **options)
        for arrays, options in (
            ([data], {"validation_split": 0.2}),
            ([first], {"validation": last}),
        )
    ]
    for name in ("loss", "validation_loss"):
        ours, theirs = ([epoch[name] for epoch in history.epochs] for history in histories)
        assert ours == theirs


def test_rows_may_keep_their_order() -> None:
    model = network(ml.CpuBackend())
    data = rows(70, 0)
    seen: list[np.ndarray[Any, Any]] = []
    model.register_hook("x", lambda x: seen.append(np.array(x[:, 0])))
    ml.fit(step_of(model), data, epochs=2, shuffle=False, progress=False)
    np.testing.assert_array_equal(np.concatenate(seen), np.tile(data["x"][:, 0], 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"validation_split": 1.5}, "validation_split is 1.5, expected at least 0 and below 1"),
        ({"validation_split": 0.001}, "which leaves one part of 32 rows empty"),
        ({"validation_split": 0.5, "validation": rows(8, 1)}, "and there is validation, too"),
        ({"monitor": "accuracy"}, "there is no number to monitor 'accuracy'"),
        ({"monitor": "validation_loss"}, "there is no number to monitor 'validation_loss'"),
        ({"mode": "least"}, '"min" or "max"'),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ml.Error, match=message):
        ml.fit(step_of(network(ml.CpuBackend())), rows(32, 0), epochs=1, **options)


def test_a_history_and_a_checkpoint_are_shown_in_ten_lines(tmp_path: Path) -> None:
    history = ml.fit(
        step_of(network(ml.CpuBackend())),
        rows(32, 0),
        epochs=20,
        validation_split=0.25,
        checkpoint=tmp_path,
        progress=False,
    )
    lines = repr(history).splitlines()
    assert lines[0] == f"History of 20 epochs, the best one is {history.best_epoch}"
    assert lines[1].startswith("  epoch 1: loss ")
    assert lines[-1] == "  params: 6 tensors, 163 elements"
    assert len(lines) <= 10
    saved = repr(ml.load(tmp_path / "last.safetensors")).splitlines()
    assert saved[:2] == ["Checkpoint", "  params: 6 tensors, 163 elements"]
    assert len(saved) <= 10


def weighted_network(**options: Any) -> ml.CompiledModel:
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="y")
    train = ml.TrainModel(net)
    train.add_loss(
        ml.SquaredError(), input="y", target="t", sample_weight="sample_weight", **options
    )
    assert ml.Model.from_json(train.to_json()) == train
    return ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 4]})


def test_the_model_of_a_step_has_an_inference_form() -> None:
    step = step_of(network(ml.CpuBackend()))
    params, x = step.compiled.get_parameters(), rows(4, 0)
    expected = step.compiled.infer(params, x, step.state)
    deployed = step.compiled.bind(params, step.state).evaluate({}, x)
    np.testing.assert_allclose(deployed["scores"], expected["scores"], rtol=1e-4, atol=1e-5)


def test_samples_have_weights() -> None:
    """The loss is the mean of weight * squared error, as in Keras."""
    model = weighted_network()
    x = rows(32, 0)["x"]
    data = {"x": x, "t": x[:, :1]}
    weights = np.linspace(0, 2, 32).astype(np.float32)
    params = model.get_parameters()
    outputs = model.evaluate(params, {**data, "sample_weight": weights})
    errors = (outputs["y"] - data["t"]) ** 2
    np.testing.assert_allclose(outputs["final_cost"], np.mean(errors * weights[:, None]), rtol=1e-5)
    steps = [ml.TrainingStep(model, ml.Adam(1e-2)) for _ in range(2)]
    first = ml.fit(
        steps[0],
        data,
        epochs=2,
        sample_weight=weights,
        validation=data,
        progress=False,
    )
    whole = {**data, "sample_weight": weights}
    ones = {**data, "sample_weight": np.ones(32, np.float32)}
    second = ml.fit(steps[1], whole, epochs=2, validation=ones, progress=False)
    for name in ("loss", "validation_loss"):
        assert [epoch[name] for epoch in first.epochs] == [epoch[name] for epoch in second.epochs]


def test_weights_that_do_not_fit_are_refused() -> None:
    data = rows(32, 0)
    with pytest.raises(ml.ValueError, match="and the model has no input 'sample_weight'"):
        step = step_of(network(ml.CpuBackend()))
        ml.fit(step, data, epochs=1, sample_weight=np.ones(32), progress=False)
    step = ml.TrainingStep(weighted_network(), ml.SGD(0.1))
    pairs = {"x": data["x"], "t": data["x"][:, :1]}
    with pytest.raises(ml.InputError, match="E0840"):
        ml.fit(step, pairs, epochs=1, sample_weight=np.ones(31), progress=False)
    with pytest.raises(ml.InputError, match="E0803"):
        ml.fit(step, pairs, epochs=1, sample_weight=np.ones((32, 1)), progress=False)
    with pytest.raises(
        ml.ValueError, match="but data is not a dict of arrays, or has weights already"
    ):
        ml.fit(step, [pairs], epochs=1, sample_weight=np.ones(32), progress=False)
