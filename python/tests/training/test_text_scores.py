"""Evaluators of texts: by hand, and against sacrebleu and rouge-score."""

import math
from typing import Any

import numpy as np
import pytest
import text_scores

import mithril as ml

E = ml.metrics
PREDICTIONS, TARGETS = text_scores.PREDICTIONS, text_scores.TARGETS
NEXT = TARGETS[1:] + TARGETS[:1]


def by_length(tokens: list[str]) -> Any:
    return np.eye(20)[list(map(len, tokens))]


CASES: dict[str, Any] = {
    "exact match": E.ExactMatch,
    "rouge": E.RougeL,
    "bleu": E.Bleu,
    "smoothed bleu": lambda: E.Bleu(smoothing="exp"),
    "similarity": lambda: E.EmbeddingSimilarity(by_length),
}


def result(evaluator: Any, prediction: Any, target: Any) -> float:
    evaluator.update({"prediction": prediction, "target": target})
    return float(evaluator.compute())


def test_bleu_by_hand() -> None:
    # 6 tokens: 5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 quadruples are in the target.
    expected = (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    pair = ["the cat sat on the mat"], ["the cat sat on a mat"]
    assert result(E.Bleu(), *pair) == pytest.approx(expected, rel=1e-14)
    # A prediction of 2 tokens for 4: exp(1 - 4 / 2), and all words and pairs are right.
    short = result(E.Bleu(max_order=2), ["a b"], ["a b c d"])
    assert short == pytest.approx(math.exp(-1), rel=1e-14)
    # Words count as often as in the reference that has most of them: 2 of 7.
    clipped = result(E.Bleu(max_order=1), ["the " * 7], [["the cat is on the mat", "the cat"]])
    assert clipped == pytest.approx(2 / 7, rel=1e-14)
    # No triple is right: 0, or 1 / 2 of a triple and 1 / 4 of a quadruple.
    pair = ["a b c d"], ["a b x d"]
    assert result(E.Bleu(), *pair) == 0
    smoothed = (3 / 4 * 1 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** (1 / 4)
    assert result(E.Bleu(smoothing="exp"), *pair) == pytest.approx(smoothed, rel=1e-14)


def test_rouge_by_hand() -> None:
    # The longest common subsequence of "a b c d" and "a c x d e" is "a c d".
    precision, recall = 3 / 4, 3 / 5
    expected = 2 * precision * recall / (precision + recall)
    assert result(E.RougeL(), ["a b c d"], ["a c x d e"]) == pytest.approx(expected, rel=1e-14)
    best = result(E.RougeL(), ["a b c d"], [["x y", "a c x d e", "d c b a"]])
    assert best == pytest.approx(expected, rel=1e-14)
    assert result(E.RougeL(), ["", "a", ""], ["a", "", ""]) == 0
    assert result(E.RougeL(threshold=0.5), ["a b", "a b", "a"], ["a b", "a x", "b"]) == 2 / 3


def test_exact_match_by_hand() -> None:
    assert result(E.ExactMatch(), ["a  b", "a", ""], ["a b", ["x", "a"], "b"]) == 2 / 3
    assert result(E.ExactMatch(str.lower), np.array(["A b", "A b"]), ["a b", "a  b"]) == 0.5


def test_rows_may_be_ids() -> None:
    predictions = np.array([[1, 2, 3], [4, 5, 6]])
    assert result(E.ExactMatch(), predictions, [[1, 2, 3], np.array([4, 5])]) == 0.5
    assert result(E.RougeL(), predictions, predictions) == 1
    mixed = result(E.ExactMatch(lambda text: [ord(c) for c in text]), ["ab"], [[97, 98]])
    assert mixed == 1


def test_bleu_is_that_of_sacrebleu() -> None:
    pairs = PREDICTIONS, TARGETS
    assert result(E.Bleu(), *pairs) == pytest.approx(text_scores.BLEU, rel=1e-12)
    smoothed = result(E.Bleu(smoothing="exp"), *pairs)
    assert smoothed == pytest.approx(text_scores.BLEU_EXP, rel=1e-12)
    references = list(map(list, zip(TARGETS, NEXT, strict=True)))
    two = result(E.Bleu(smoothing="exp"), PREDICTIONS, references)
    assert two == pytest.approx(text_scores.BLEU_TWO_REFERENCES, rel=1e-12)
    got = [
        result(E.Bleu(smoothing="exp"), [prediction], [target])
        for prediction, target in zip(*pairs, strict=True)
    ]
    np.testing.assert_allclose(got, text_scores.BLEU_EACH, atol=6e-7)


def test_rouge_is_that_of_rouge_score() -> None:
    rouge = E.RougeL()
    result(rouge, PREDICTIONS, TARGETS)
    np.testing.assert_allclose(rouge.scores, text_scores.ROUGE_L, atol=6e-7)
    best = E.RougeL()
    result(best, PREDICTIONS, list(map(list, zip(TARGETS, NEXT, strict=True))))
    expected = np.maximum(text_scores.ROUGE_L, text_scores.ROUGE_L_NEXT)
    np.testing.assert_allclose(best.scores, expected, atol=6e-7)


@pytest.mark.parametrize("name", CASES)
def test_any_division_into_batches_has_the_same_bits(name: str) -> None:
    make = CASES[name]
    whole = result(make(), PREDICTIONS, TARGETS)
    parts = [make() for _ in range(3)]
    for i in range(0, 200, 7):
        batch = {"prediction": PREDICTIONS[i : i + 7], "target": TARGETS[i : i + 7]}
        parts[i % 3].update(batch)
    for other in parts[1:]:
        parts[0].merge(other)
    assert parts[0].compute() == whole
    parts[0].reset()
    with pytest.raises(ml.StateError) as caught:
        parts[0].compute()
    assert caught.value.code == "E0930"


def test_similarity_matches_each_token_with_the_nearest() -> None:
    vectors = {"cat": [3.0, 0.0], "kitten": [3.0, 4.0], "car": [0.0, 2.0], "none": [0.0, 0.0]}

    def embed(tokens: Any) -> Any:
        return [vectors[token] for token in tokens]

    # The cosine of cat and kitten is 0.6, of cat and car 0, of kitten and car 0.8.
    precision, recall = (0.6 + 0.8) / 2, 0.8
    similarity = E.EmbeddingSimilarity(embed, threshold=0.7)
    result(similarity, ["cat car", "none", "", "cat"], ["kitten", "cat", "cat", "cat"])
    expected = [2 * precision * recall / (precision + recall), 0, 0, 1]
    np.testing.assert_allclose(similarity.scores, expected, rtol=1e-14)
    assert similarity.compute() == 0.5


def test_similarity_by_a_module() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    module = torch.nn.Embedding(5, 3)
    similarity = E.EmbeddingSimilarity(module, lambda text: list(map(int, text.split())))
    result(similarity, ["1 2 3"], ["2 4"])
    vectors = module.weight.detach().double().numpy()
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors[[1, 2, 3]] @ vectors[[2, 4]].T
    precision, recall = cosines.max(1).mean(), cosines.max(0).mean()
    expected = 2 * precision * recall / (precision + recall)
    np.testing.assert_allclose(similarity.scores, [expected], rtol=1e-6)


def test_evaluators_with_different_functions_are_not_merged() -> None:
    def embed(tokens: list[str]) -> Any:
        return by_length(tokens)

    def message(own: Any, other: Any) -> str:
        with pytest.raises(ml.TypeError, match="E0310") as caught:
            own.merge(other)
        return str(caught.value)

    found = message(E.EmbeddingSimilarity(by_length), E.EmbeddingSimilarity(embed))
    assert "EmbeddingSimilarity: evaluators with different functions or modules" in found
    assert f"own   : {by_length}" in found
    assert f"other : {embed}" in found
    assert "is another one: give both the same function or module, or take the mean of" in found
    assert "scores" not in message(E.Bleu(str.split), E.Bleu(str.lower))
    thresholds = E.EmbeddingSimilarity(by_length), E.EmbeddingSimilarity(embed, threshold=0.5)
    assert "an evaluator of another kind" in message(*thresholds)


def refused(evaluator: Any, prediction: Any, target: Any) -> str:
    with pytest.raises(ml.InputError) as caught:
        evaluator.update({"prediction": prediction, "target": target})
    with pytest.raises(ml.StateError):
        evaluator.compute()
    return str(caught.value)


def test_wrong_rows_are_named() -> None:
    assert refused(E.Bleu(), ["a", "b"], ["a"]) == (
        "mithril.InputError[E0891]: Bleu: 'prediction' has the dims [2], expected [1] as the target"
    )
    for wrong in ([3], [None], [[0.5]], [["a"]], np.float32(3), [np.zeros((2, 2), int)]):
        assert "expected texts or lists of ids" in refused(E.Bleu(), wrong, ["a"])
    assert refused(E.RougeL(), [1.5], ["a"]) == (
        "mithril.InputError[E0892]: RougeL: 'prediction' has a row of float, expected texts or "
        "lists of ids"
    )
    with pytest.raises(ml.InputError, match=r"E0890.*ExactMatch: the batch lacks 'target'"):
        E.ExactMatch().update({"prediction": ["a"]})
    wrong = E.EmbeddingSimilarity(lambda tokens: np.zeros((1, 3)))
    assert refused(wrong, ["a b"], ["c"]) == (
        "mithril.InputError[E0882]: EmbeddingSimilarity: the function returned float64[1, 3], "
        "expected an embedding for each of 2 tokens"
    )
    with pytest.raises(ml.ValueError) as caught:
        E.Bleu(max_order=0)
    assert str(caught.value) == (
        "mithril.ValueError[E0452]: Bleu: max_order is 0, expected at least 1"
    )
    with pytest.raises(ml.TypeError):
        E.Bleu(smoothing="add")
    with pytest.raises(ml.TypeError, match="E0310"):
        E.Bleu().merge(E.Bleu(smoothing="exp"))
