"""Evaluators in Python: against scikit-learn or formulas, merging, and as metrics of fit."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from test_fit import LEARNING, network, rows, step_of

import mithril as ml

E = ml.metrics
RANDOM = np.random.default_rng(4)
ROWS = 200
SCORES = RANDOM.standard_normal((ROWS, 5)).astype(np.float32)
LABELS = RANDOM.integers(0, 5, ROWS)
RANKS = RANDOM.integers(0, 30, ROWS).astype(np.float32)  # with equal ones
TARGETS = RANDOM.integers(0, 2, ROWS)
NUMBERS = RANDOM.standard_normal((ROWS, 3)) * 10.0 ** RANDOM.integers(-8, 8, (ROWS, 3))


def f1(average: str) -> float:
    """Computes the F1 score by its definition, class by class."""
    found = SCORES.argmax(1)
    right = np.array([np.sum((found == c) & (c == LABELS)) for c in range(5)])
    sizes = np.array([np.sum(found == c) + np.sum(c == LABELS) for c in range(5)])
    scores = 2 * right / sizes
    counts = np.bincount(LABELS, minlength=5)
    if average == "micro":
        return 2 * right.sum() / sizes.sum()
    return scores.mean() if average == "macro" else np.average(scores, weights=counts)


def area() -> float:
    above, below = RANKS[TARGETS == 1][:, None], RANKS[TARGETS == 0][None]
    return float(((above > below) + 0.5 * (above == below)).mean())


def perplexity() -> float:
    logits = SCORES.astype(np.float64)
    likelihood = logits[np.arange(ROWS), LABELS] - np.log(np.exp(logits).sum(1))
    return math.exp(-likelihood.mean())


BATCH = {"scores": SCORES, "label": LABELS, "rank": RANKS, "target": TARGETS, "a": NUMBERS}
BATCH |= {"b": np.zeros((ROWS, 3))}
KEYS = {"prediction": "scores", "target": "label"}
CASES: dict[str, tuple[Any, float]] = {
    "accuracy": (lambda: E.Accuracy(**KEYS), np.mean(SCORES.argmax(1) == LABELS)),
    "top 2": (
        lambda: E.TopKAccuracy(2, **KEYS),
        np.mean([LABELS[i] in np.argsort(-SCORES[i])[:2] for i in range(ROWS)]),
    ),
    "area": (lambda: E.AreaUnderCurve("rank", "target"), area()),
    "squares": (
        lambda: E.MeanSquaredError("a", "b"),
        math.fsum((NUMBERS.ravel() ** 2).tolist()) / NUMBERS.size,
    ),
    "perplexity": (lambda: E.Perplexity(**KEYS), perplexity()),
    **{
        f"f1 {average}": (lambda average=average: E.F1Score(average, **KEYS), f1(average))
        for average in ("macro", "weighted", "micro")
    },
}


def part(first: int, end: int) -> dict[str, Any]:
    return {key: array[first:end] for key, array in BATCH.items()}


@pytest.mark.parametrize("name", CASES)
def test_the_result_is_that_of_the_formula(name: str) -> None:
    make, expected = CASES[name]
    evaluator = make()
    evaluator.update(BATCH)
    assert evaluator.compute() == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_any_division_into_batches_has_the_same_bits(name: str) -> None:
    make, _ = CASES[name]
    whole = make()
    whole.update(BATCH)
    for trial in range(20):
        cuts = np.sort(np.random.default_rng(trial).integers(0, ROWS, 9)).tolist()
        parts = [make() for _ in range(3)]
        for i, (first, end) in enumerate(zip([0, *cuts], [*cuts, ROWS], strict=True)):
            parts[i % 3].update(part(first, end))
        for other in parts[1:]:
            parts[0].merge(other)
        assert parts[0].compute() == whole.compute()
    whole.reset()
    with pytest.raises(ml.StateError) as caught:
        whole.compute()
    assert caught.value.code == "E0930"


def test_the_binary_f1_score_and_bools() -> None:
    score = E.F1Score()
    score.update({"prediction": np.array([True, True, False]), "target": np.array([1, 0, 1])})
    assert score.compute() == 0.5


def test_agreement_with_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    found = SCORES.argmax(1)
    expected = {
        "accuracy": metrics.accuracy_score(LABELS, found),
        "top 2": metrics.top_k_accuracy_score(LABELS, SCORES, k=2),
        "area": metrics.roc_auc_score(TARGETS, RANKS),
        "f1 macro": metrics.f1_score(LABELS, found, average="macro"),
        "f1 weighted": metrics.f1_score(LABELS, found, average="weighted"),
        "f1 micro": metrics.f1_score(LABELS, found, average="micro"),
    }
    for name, number in expected.items():
        evaluator = CASES[name][0]()
        evaluator.update(BATCH)
        assert evaluator.compute() == pytest.approx(number, rel=1e-13)


def test_a_compiled_model_scores() -> None:
    x, y = (ml.IOKey(key, shape=["N"]) for key in "xy")
    model = ml.Model.create(distance=(x - y).abs())
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x", "y"])
    score = E.ModelScore(compiled, {}, "distance")
    for first, end in ((0, 50), (50, ROWS)):
        score.update({"x": RANKS[first:end], "y": RANKS[first:end] * 0, "label": LABELS[first:end]})
    assert score.compute() == RANKS.astype(np.float64).mean()
    with pytest.raises(ml.NameError):
        E.ModelScore(compiled, {}, "distnace")


def test_wrong_arguments_are_errors() -> None:
    with pytest.raises(ml.NameError) as caught:
        E.F1Score("makro")
    assert "F1Score has no average 'makro'" in str(caught.value)
    with pytest.raises(ml.TypeError):
        E.Accuracy(prediction=3)
    with pytest.raises(ml.TypeError):
        E.Accuracy().update([1])
    with pytest.raises(ml.TypeError):
        E.Perplexity(ignored="x")
    assert repr(E.Accuracy()) == "<Accuracy>"
    with pytest.raises((TypeError, ml.Error)):
        pickle.dumps(E.Accuracy())


@pytest.mark.parametrize("kind", LEARNING)
def test_evaluators_are_metrics_of_fit(kind: str) -> None:
    if kind != "cpu":
        pytest.importorskip("torch", reason="torch is not installed")
    held_out = rows(101, 1)
    measures = {
        "share": E.Accuracy("scores", "label"),
        "f1": E.F1Score("macro", "scores", "label"),
        "plain": lambda outputs, batch: np.mean(
            np.asarray(outputs["scores"]).argmax(1) == np.asarray(batch["label"])
        ),
    }
    model = network(LEARNING[kind]())
    step = step_of(model)
    history = ml.fit(
        step, rows(300, 0), epochs=2, validation=held_out, metrics=measures, progress=False
    )
    for entry in history.epochs:
        assert entry["share"] == pytest.approx(entry["plain"], rel=1e-12)
        assert 0 < entry["f1"] < 1
    whole = E.F1Score("macro", "scores", "label")
    whole.update({**held_out, **model.infer(history.params, held_out, step.state)})
    assert whole.compute() == history.epochs[-1]["f1"]
    with pytest.raises(ml.TypeError):
        ml.fit(step, held_out, epochs=1, validation=held_out, metrics={"a": 3})


@pytest.mark.parametrize("kind", ["source", "batches", "prefetched", "loader", "dicts"])
def test_fit_takes_sources_and_loaders(kind: str) -> None:
    arrays = rows(96, 0)
    source = ml.data.from_arrays(arrays)
    model = network(ml.CpuBackend(), plain=True)

    def data() -> Any:
        if kind in ("loader", "dicts"):
            torch = pytest.importorskip("torch", reason="torch is not installed")
            parts = {key: torch.from_numpy(array) for key, array in arrays.items()}
            if kind == "dicts":
                samples = [{key: part[i] for key, part in parts.items()} for i in range(96)]
                return torch.utils.data.DataLoader(samples, batch_size=32)
            ordered = [parts[key] for key in model.data_keys]
            tensors = torch.utils.data.TensorDataset(*ordered)
            return torch.utils.data.DataLoader(tensors, batch_size=32)
        made = {"source": source, "batches": source.batch(32)}
        return made.get(kind, source.batch(32).prefetch())

    def trained(given: Any) -> dict[str, Any]:
        params = model.get_parameters(seed=2)
        step = ml.TrainingStep(model, ml.SGD(0.1))
        return ml.fit(step, given, epochs=2, params=params, progress=False, validation=given).params

    plain = [
        {key: array[first : first + 32] for key, array in arrays.items()} for first in (0, 32, 64)
    ]
    expected = trained(plain)
    for key, array in trained(data()).items():
        np.testing.assert_array_equal(array, expected[key])


def test_a_shuffled_source_has_another_order_in_each_epoch_and_the_same_in_a_resumed_run(
    tmp_path: Any,
) -> None:
    model = network(ml.CpuBackend(), plain=True)
    source = ml.data.from_arrays(rows(96, 0)).shuffle(3)

    def run(folder: Any, epochs: int, data: Any = source) -> dict[str, Any]:
        step = ml.TrainingStep(model, ml.SGD(0.1))
        params = model.get_parameters(seed=2)
        return ml.fit(
            step, data, epochs=epochs, params=params, progress=False, checkpoint=folder
        ).params

    whole = run(tmp_path / "a", 3)
    run(tmp_path / "b", 1)
    resumed = run(tmp_path / "b", 3)
    fixed = run(tmp_path / "c", 3, list(source.read_batches(32)))
    assert all(np.array_equal(whole[key], resumed[key]) for key in whole)
    assert not all(np.array_equal(whole[key], fixed[key]) for key in whole)


def test_parts_of_a_loader_must_be_as_many_as_inputs() -> None:
    model = network(ml.CpuBackend(), plain=True)
    step = ml.TrainingStep(model, ml.SGD(0.1))
    with pytest.raises(ml.InputError) as caught:
        ml.fit(step, (np.zeros((2, 4), np.float32), np.zeros(2)), epochs=1, progress=False)
    names = ", ".join(model.data_keys)
    assert str(caught.value) == (
        "mithril.InputError[E0881]: fit: a batch has 1 part, and there are 2 names\n"
        f"  names : {names}\n"
        "  help: give each batch as a dict or a tuple in this order, "
        "or all rows as one dict of arrays"
    )
