"""The training loop ml.fit."""

import sys
from typing import Any

import numpy as np
import pytest
from mithril._core import _shuffled_rows

import mithril as ml

Arrays = dict[str, Any]
BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
LEARNING = {**BACKENDS, "autograd": lambda: ml.TorchBackend(requires_grad=True)}


def network(backend: Any, plain: bool = False) -> ml.CompiledModel:
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    if not plain:
        layers += ml.BatchNorm1D()
        layers += ml.Dropout(p=0.2)
    layers += ml.Relu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    return ml.compile(train, backend, shapes={"x": [None, 4]})


def rows(count: int, seed: int) -> Arrays:
    """Points of four numbers; the class is the largest of the first three."""
    x = np.random.default_rng(seed).standard_normal((count, 4)).astype(np.float32)
    return {"x": x, "label": x[:, :3].argmax(1)}


def accuracy(outputs: Arrays, batch: Any) -> float:
    scores = np.asarray(outputs["scores"])
    return float(np.mean(scores.argmax(1) == np.asarray(batch["label"])))


def step_of(model: ml.CompiledModel, **options: Any) -> ml.TrainingStep:
    schedule = ml.CosineSchedule(0.02, steps=60, warmup=5)
    return ml.TrainingStep(model, ml.AdamW(schedule), max_norm=1.0, **options)


@pytest.mark.parametrize("kind", LEARNING)
@pytest.mark.parametrize("averages", [False, True])
def test_a_model_learns(kind: str, averages: bool) -> None:
    model = network(LEARNING[kind]())
    history = ml.fit(
        step_of(model, average=ml.EMA(0.9)),
        rows(300, 0),
        epochs=6,
        validation=rows(101, 1),
        metrics={"accuracy": accuracy},
        averages=averages,
        progress=False,
    )
    first, last = history.epochs[0], history.epochs[-1]
    assert list(last) == ["loss", "lr", "samples_per_second", "validation_loss", "accuracy"]
    assert last["accuracy"] > 0.85 > first["accuracy"]
    costs = [epoch["validation_loss"] for epoch in history.epochs]
    assert history.best_epoch == 1 + int(np.argmin(costs))


def test_batches_are_all_rows_once_in_a_new_order() -> None:
    model = network(ml.CpuBackend())
    data = rows(70, 0)
    seen: list[list[float]] = []
    model.register_hook("x", lambda x: seen.append(np.asarray(x)[:, 0].tolist()))
    ml.fit(step_of(model), data, epochs=2, batch_size=32, progress=False)
    assert [len(batch) for batch in seen] == [32, 32, 6, 32, 32, 6]
    first, second = (np.concatenate(seen[:3]), np.concatenate(seen[3:]))
    assert not np.array_equal(first, second)
    for epoch in (first, second):
        np.testing.assert_array_equal(np.sort(epoch), np.sort(data["x"][:, 0]))


def test_fit_equals_the_loop_written_by_hand() -> None:
    model = network(ml.CpuBackend())
    batches = [rows(32, seed) for seed in range(4)]
    params = model.get_parameters()
    step = step_of(model)
    costs = []
    for _ in range(3):
        costs.append(np.mean([float(step(params, batch)["final_cost"]) for batch in batches]))
    history = ml.fit(step_of(model), batches, epochs=3, progress=False)
    assert [epoch["loss"] for epoch in history.epochs] == pytest.approx(costs, rel=1e-12)
    for key, value in params.items():
        np.testing.assert_array_equal(history.params[key], value)


def test_training_ends_without_a_new_minimum() -> None:
    step = ml.TrainingStep(network(ml.CpuBackend(), plain=True), ml.SGD(0.0))
    history = ml.fit(
        step, rows(32, 0), epochs=50, patience=3, validation=rows(8, 1), progress=False
    )
    assert history.best_epoch == 1
    assert len(history.epochs) == 4


def test_a_callback_ends_training() -> None:
    step = step_of(network(ml.CpuBackend()))
    history = ml.fit(
        step, rows(32, 0), epochs=9, callbacks=[lambda h: len(h.epochs) == 3], progress=False
    )
    assert len(history.epochs) == 3


def test_rows_are_shuffled_in_the_order_of_cpp() -> None:
    """tests/training/fit.cpp has the same numbers."""
    assert _shuffled_rows(8, 3, 2).tolist() == [1, 6, 3, 5, 2, 0, 7, 4]


@pytest.mark.parametrize("installed", [True, False])
def test_progress_is_a_line_for_each_epoch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    if not installed:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    model = network(ml.CpuBackend())
    ml.fit(step_of(model), rows(32, 0), epochs=2, validation=rows(8, 1))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 1/2", "epoch 2/2"]
    for word in ("loss", "lr", "samples_per_second", "validation_loss"):
        assert word in lines[0]
    assert lines[1].endswith(", 0 s left")


def test_a_hand_written_training_loop_can_show_the_progress_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    step = step_of(network(ml.CpuBackend()))
    params = step.compiled.get_parameters()
    with ml.ProgressBar(64, label="training", unit="tokens") as bar:
        for _ in range(2):
            rate = step.optimizer.lr
            bar.advance(32, loss=step(params, rows(32, 0))["final_cost"], lr=rate)
        assert bar.count == 64 and bar.rate() > 0
    shown = capsys.readouterr().err
    first, last = shown.split("\r")[1], shown.split("\r")[-1]
    assert first.startswith("training:  50% [==========          ] loss ")
    assert last.startswith("training: 100% [====================] loss ")
    for part in (", lr 0.004, ", " tokens/s, ", " s left"):
        assert part in last
    assert last.endswith("\n")


def test_a_bar_of_tqdm_has_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    with ml.ProgressBar(4, unit="steps") as bar:
        for loss in (2.0, 1.5, 1.25, 1.0):
            bar.advance(1, loss=np.array(loss), lr=0.5)
    shown = capsys.readouterr().err
    assert "4/4" in shown and "steps/s" in shown


@pytest.mark.parametrize("installed", [True, False])
def test_a_bar_that_does_not_stay_is_removed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    if not installed:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    bar = ml.ProgressBar(leave=False)
    bar.advance(3, loss=2.0)
    bar.close()
    assert capsys.readouterr().err.split("\r")[-1] in ("", "\n")
    bar.close()
    hidden = ml.ProgressBar(shown=False)
    hidden.advance(3, loss=2.0)
    hidden.close()
    assert capsys.readouterr().err == "" and hidden.count == 3


def test_tokens_are_counted() -> None:
    step = step_of(network(ml.CpuBackend()))
    seen: list[dict[str, float]] = []
    ml.fit(
        step,
        rows(40, 0),
        epochs=1,
        tokens="x",
        callbacks=[lambda history: seen.append(history.epochs[-1])],
        progress=False,
    )
    assert list(seen[0]) == ["loss", "lr", "tokens_per_second"]
    assert seen[0]["tokens_per_second"] > 0


def test_wrong_data_is_refused() -> None:
    model = network(ml.CpuBackend())
    data = rows(32, 0)
    with pytest.raises(ml.InputError) as caught:
        ml.fit(step_of(model), {**data, "label": data["label"][:5]}, epochs=1, progress=False)
    assert str(caught.value) == (
        "mithril.InputError[E0840]: fit: the arrays of 'data' differ in length\n"
        "  x     : 32\n"
        "  label : 5"
    )
    with pytest.raises(ml.InputError) as caught:
        ml.fit(step_of(model), (batch for batch in [data]), epochs=2, progress=False)
    assert str(caught.value) == (
        "mithril.InputError[E0841]: fit: there are no batches in epoch 2\n"
        "  help: a generator ends after one pass: use a list, or a class with __iter__"
    )
    with pytest.raises(ml.InputError, match="there are no batches of validation in epoch 2"):
        ml.fit(step_of(model), data, epochs=2, validation=iter([data]), progress=False)
    with pytest.raises(ml.InputError) as caught:
        ml.fit(step_of(model), data, epochs=2, metrics={"accuracy": accuracy})
    assert str(caught.value) == (
        "mithril.InputError[E0843]: fit: metrics are measured in validation, and there is none\n"
        "  help: add validation= or validation_split="
    )
    with pytest.raises(ml.StateError, match="E0911"):
        ml.fit(step_of(model), data, epochs=2, averages=True)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("epochs", -1, "mithril.ValueError[E0416]: fit: epochs is -1, expected at least 0"),
        ("batch_size", 0, "mithril.ValueError[E0416]: fit: batch_size is 0, expected at least 1"),
        ("patience", 0, "mithril.ValueError[E0416]: fit: patience is 0, expected at least 1"),
        ("seed", -3, "mithril.ValueError[E0416]: fit: seed is -3, expected at least 0"),
        ("seed", 2**64, f"mithril.ValueError[E0416]: fit: seed is {2**64}, expected below 2**64"),
        (
            "metrics",
            {"loss": accuracy},
            "mithril.ValueError[E0416]: fit: a metric is 'loss', expected a name that fit does not "
            "use",
        ),
    ],
)
def test_an_option_out_of_range_is_refused(option: str, value: Any, message: str) -> None:
    options: Arrays = {"epochs": 1, "progress": False, option: value}
    with pytest.raises(ml.ValueError) as caught:
        ml.fit(step_of(network(ml.CpuBackend())), rows(8, 0), **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("epochs", 1.5),
        ("epochs", "3"),
        ("epochs", True),
        ("params", [1]),
        ("params", {"linear.weight": 3}),
        ("batch_size", None),
        ("validation", 3),
        ("validation", {"x": 3}),
        ("validation", [3]),
        ("metrics", [accuracy]),
        ("metrics", {"accuracy": 3}),
        ("callbacks", 3),
        ("callbacks", [3]),
        ("checkpoint", 3),
        ("loss", 3),
        ("loss", "loss"),
        ("tokens", 3),
        ("tokens", "ids"),
    ],
)
def test_a_wrong_argument_is_an_error_of_mithril(option: str, value: Any) -> None:
    options: Arrays = {"epochs": 1, "progress": False, option: value}
    with pytest.raises(ml.Error):
        ml.fit(step_of(network(ml.CpuBackend())), rows(8, 0), **options)


def test_a_loss_of_another_name_than_that_of_a_training_model_is_named() -> None:
    model = ml.Model()
    model |= ml.Linear(1)(input="x", output="y")
    model |= ml.Mean()(input="y", output="loss")
    model.expose_keys("loss", "y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 2]})
    step = ml.TrainingStep(compiled, ml.SGD(), output_gradients={"loss": 1.0})
    data = {"x": np.ones((4, 2), np.float32)}
    with pytest.raises(ml.NameError) as caught:
        ml.fit(step, data, epochs=1, progress=False)
    assert str(caught.value) == (
        "mithril.NameError[E0606]: fit: there is no output 'final_cost'\n"
        f"  known : {', '.join(compiled.output_keys)}\n"
        '  help: loss="..." names the output that is the loss'
    )
    assert ml.fit(step, data, epochs=1, loss="loss", progress=False).epochs
