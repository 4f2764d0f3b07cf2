"""Evaluators written in Python: base classes, scores of rows, scorers, names, and fit."""

import math
from typing import Any

import numpy as np
import pytest
from test_fit import network, rows, step_of

import mithril as ml

E = ml.metrics
RANDOM = np.random.default_rng(5)
NUMBERS = RANDOM.standard_normal(200) * 10.0 ** RANDOM.integers(-8, 8, 200)


class Score(E.SampleEvaluator):
    """The score of a row is its value."""

    def score(self, batch: Any) -> Any:
        return batch["value"]


def test_evaluators_of_the_core_and_of_python_have_one_base_class() -> None:
    assert isinstance(E.Accuracy(), E.Evaluator)
    assert isinstance(E.RougeL(), E.Evaluator)
    assert issubclass(E.F1Score, E.Evaluator)
    assert ml.evaluation.Evaluator is E.Evaluator
    assert repr(Score()) == "<Score>"


def test_the_result_is_the_mean_with_the_same_bits_for_any_division() -> None:
    expected = math.fsum(NUMBERS.tolist()) / 200
    for trial in range(10):
        cuts = np.sort(np.random.default_rng(trial).integers(0, 200, 9)).tolist()
        parts = [Score() for _ in range(3)]
        for i, (first, end) in enumerate(zip([0, *cuts], [*cuts, 200], strict=True)):
            parts[i % 3].update({"value": NUMBERS[first:end]})
        for other in parts[1:]:
            parts[0].merge(other)
        assert parts[0].compute() == expected


def test_a_threshold_counts_the_rows_that_reach_it() -> None:
    score = Score(threshold=0.5)
    score.update({"value": np.array([[0.25], [0.5], [0.75]])})
    score.update({"value": [float("nan")]})
    assert score.compute() == 0.5
    assert score.passed.tolist() == [False, True, True, False]
    assert score.scores[:3].tolist() == [0.25, 0.5, 0.75]
    score.reset()
    assert score.scores.tolist() == []


def test_scores_that_are_not_finite() -> None:
    score = Score()
    score.update({"value": [math.inf, 1.0]})
    assert score.compute() == math.inf
    score.update({"value": [-math.inf]})
    assert math.isnan(score.compute())


def test_a_function_scores_rows() -> None:
    batch = {"x": np.array([1.0, 2.0]), "y": np.array([1.0, 4.0])}
    whole = E.SampleScore(lambda batch: batch["x"] - batch["y"])
    named = E.SampleScore(np.subtract, inputs=["x", "y"])
    for score in (whole, named):
        score.update(batch)
        assert score.compute() == -1
    with pytest.raises(ml.InputError) as caught:
        named.update({"x": batch["x"]})
    assert str(caught.value) == (
        "mithril.InputError[E0890]: SampleScore: the batch lacks 'y'\n"
        "  known : x\n"
        "  help: name the keys when the evaluator is made"
    )
    assert named.compute() == -1
    mean = E.SampleScore(lambda x: x.mean(keepdims=True), inputs=["x"])
    with pytest.raises(ml.InputError) as caught:
        mean.update(batch)
    assert str(caught.value) == (
        "mithril.InputError[E0882]: SampleScore: there are 1 scores for 2 rows"
    )


def test_a_module_scores_rows_in_evaluation_mode() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    module = torch.nn.Sequential(torch.nn.Dropout(0.9), torch.nn.Linear(3, 1)).double()
    x = RANDOM.standard_normal((5, 3))
    score = E.SampleScore(module, inputs=["x"])
    score.update({"x": x})
    weight, bias = (p.detach().numpy() for p in module[1].parameters())
    np.testing.assert_allclose(score.scores, (x @ weight.T + bias)[:, 0], rtol=1e-12)
    assert module.training and module[0].training


def test_evaluators_of_other_options_are_not_merged() -> None:
    for other in (Score(threshold=0.5), E.Accuracy(), 3):
        with pytest.raises(ml.TypeError) as caught:
            Score().merge(other)
        assert caught.value.code == "E0310"
        assert "Score: an evaluator of another kind cannot be merged" in str(caught.value)
    with pytest.raises(ml.TypeError):
        E.Accuracy().merge(Score())


def test_wrong_scores_and_missing_rows_are_errors() -> None:
    with pytest.raises(ml.InputError) as caught:
        Score().update({"value": np.zeros((2, 3), np.float32)})
    assert str(caught.value) == (
        "mithril.InputError[E0882]: Score: the function returned float32[2, 3], expected a number "
        "for each row"
    )
    with pytest.raises(ml.StateError) as missing:
        Score().compute()
    assert missing.value.code == "E0930"
    with pytest.raises(ml.StateError) as without:
        E.RougeL().passed  # noqa: B018
    assert str(without.value) == (
        "mithril.StateError[E0932]: RougeL: rows pass or fail only with a threshold\n"
        "  help: give one: threshold=0.5"
    )


def test_evaluators_have_names() -> None:
    assert isinstance(E.create("f1_score", "macro"), E.F1Score)
    assert E.create("rouge_l") is not E.create("rouge_l")
    assert "exact_match" in E.registry
    registry = E.EvaluatorsRegistry()
    registry.register("score", Score)
    assert isinstance(registry.create("score", threshold=1.0), Score)
    with pytest.raises(ml.NameError) as caught:
        registry.create("scoer")
    assert str(caught.value) == (
        "mithril.NameError[E0628]: there is no evaluator in the registry 'scoer'\n"
        "  known : score\n"
        "  help: did you mean 'score'?"
    )
    with pytest.raises(ml.NameError, match=r"E0629.*register: there is an evaluator 'score'"):
        registry.register("score", Score)
    registry.register("number", lambda: 3)
    with pytest.raises(ml.TypeError, match="an evaluator"):
        registry.create("number")


def test_fit_measures_evaluators_of_python_and_names() -> None:
    def correct(scores: Any, label: Any) -> Any:
        return np.asarray(scores).argmax(1) == np.asarray(label)

    E.register("correct of this test", lambda: E.SampleScore(correct, inputs=["scores", "label"]))
    measures = {
        "share": E.Accuracy("scores", "label"),
        "scored": E.SampleScore(correct, inputs=["scores", "label"]),
        "named": "correct of this test",
    }
    step = step_of(network(ml.CpuBackend()))
    try:
        history = ml.fit(
            step,
            rows(96, 0),
            epochs=2,
            validation=rows(51, 1),
            metrics=measures,
            monitor="scored",
            mode="max",
            progress=False,
        )
    finally:
        E.registry.unregister("correct of this test")
    for entry in history.epochs:
        assert entry["scored"] == entry["named"] == pytest.approx(entry["share"], rel=1e-12)
    assert len(measures["scored"].scores) == 51
    with pytest.raises(ml.NameError, match="E0628"):
        ml.fit(step, rows(8, 0), epochs=1, validation=rows(8, 1), metrics={"a": "acuracy"})
