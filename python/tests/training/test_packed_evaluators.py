"""The rows of evaluators as bytes, which the processes of a group exchange."""

import numpy as np
import pytest
from mithril.metrics.packing import is_packable, merge_packed, packed

import mithril as ml

RANDOM = np.random.default_rng(7)
SCORES = RANDOM.normal(size=(40, 3)).astype(np.float32)
LABELS = RANDOM.integers(0, 3, 40)
NUMBERS = {"prediction": SCORES, "target": LABELS}
RANKED = {"prediction": SCORES[:, 0], "target": LABELS % 2}
ERRORS = {"prediction": SCORES, "target": SCORES[::-1].copy()}
WORDS = ["the cat sat", "a dog ran", "the cat ran far", ""]
TEXTS = {
    "prediction": [WORDS[i % 4] for i in range(40)],
    "target": [WORDS[i % 3] for i in range(40)],
}


def embed(tokens):
    return [[len(token), 1.0] for token in tokens]


def model_score():
    model = ml.Model()
    model |= ml.Mean(axis=1)(input=ml.IOKey("prediction", shape=["N", 3]), output="mean")
    return ml.metrics.ModelScore(
        ml.compile(model, ml.CpuBackend(), data_keys={"prediction"}), {}, "mean"
    )


MAKES = {
    "Accuracy": (ml.metrics.Accuracy, NUMBERS),
    "TopKAccuracy": (lambda: ml.metrics.TopKAccuracy(2), NUMBERS),
    "F1Score": (lambda: ml.metrics.F1Score("weighted"), NUMBERS),
    "AreaUnderCurve": (ml.metrics.AreaUnderCurve, RANKED),
    "MeanSquaredError": (ml.metrics.MeanSquaredError, ERRORS),
    "Perplexity": (ml.metrics.Perplexity, NUMBERS),
    "ModelScore": (model_score, {"prediction": SCORES}),
    "SampleScore": (
        lambda: ml.metrics.SampleScore(lambda batch: batch["prediction"][:, 0]),
        NUMBERS,
    ),
    "ExactMatch": (ml.metrics.ExactMatch, TEXTS),
    "RougeL": (lambda: ml.metrics.RougeL(lambda text: text.split()), TEXTS),
    "Bleu": (lambda: ml.metrics.Bleu(lambda text: text.split(), smoothing="exp"), TEXTS),
    "EmbeddingSimilarity": (lambda: ml.metrics.EmbeddingSimilarity(embed), TEXTS),
}


def test_every_evaluator_is_packed():
    bases = {"Evaluator", "SampleEvaluator", "EvaluatorsRegistry"}
    classes = {name for name in ml.metrics.__all__ if name[0].isupper()}
    assert set(MAKES) == classes - bases


@pytest.mark.parametrize("name", MAKES)
def test_packed_rows_give_the_bits_of_one_evaluator(name):
    make, batch = MAKES[name]
    whole, merged = make(), make()
    assert is_packable(make())
    whole.update(batch)
    for first, end in ((0, 7), (7, 8), (8, 31), (31, 40)):
        part = make()
        part.update({key: value[first:end] for key, value in batch.items()})
        merge_packed(merged, packed(part))
    assert merged.compute() == whole.compute()
    if hasattr(whole, "scores"):
        np.testing.assert_array_equal(merged.scores, whole.scores)


class Largest(ml.metrics.Evaluator):
    """Its state is that of the user: only pickling could move it."""

    def update(self, batch):
        self.largest = float(np.max(batch["prediction"]))

    def compute(self):
        return self.largest

    def merge(self, other):
        self.largest = max(self.largest, other.largest)

    def reset(self):
        self.largest = -np.inf


class Score(ml.metrics.SampleEvaluator):
    def score(self, batch):
        return batch["prediction"][:, 0]


class Counting(Score):
    """Keeps more than scores."""

    def update(self, batch):
        super().update(batch)
        self.batches = getattr(self, "batches", 0) + 1


def test_of_evaluators_of_the_user_only_scores_are_packed():
    assert is_packable(Score())
    assert not is_packable(Counting())
    assert not is_packable(Largest())
