"""Counts of n-grams, and ops of the domain ai.onnx.ml, compared with Python."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import refusal, run

RNG = np.random.default_rng(0)
# Two grams of one word, two of two and one of three.
POOL, STARTS = [2, 3, 5, 4, 2, 2, 1, 2, 3], [0, 2, 6]
GRAMS = [(2,), (3,), (5, 4), (2, 2), (1, 2, 3)]
COLUMNS = [4, 0, 2, 1, 6]
WEIGHTS = [0.5, 2.0, 3.0, 1.0, 4.0, 1.0, 0.25]


def reals(name, values):
    """An attribute of floats."""
    body = b"".join(ob.varint(7 << 3 | 5) + np.float32(each).tobytes() for each in values)
    return ob.field(5, ob.field(1, name) + body + ob.field(20, 6))


def vectorizer(mode, lengths, skips, weights=None):
    node = ob.node(
        "TfIdfVectorizer",
        "x",
        "y",
        mode=mode,
        min_gram_length=lengths[0],
        max_gram_length=lengths[1],
        max_skip_count=skips,
        ngram_counts=STARTS,
        ngram_indexes=COLUMNS,
        pool_int64s=POOL,
    )
    return node + (reals("weights", weights) if weights else b"")


def counted(row, lengths, skips):
    made = np.zeros(7)
    for gram, column in zip(GRAMS, COLUMNS, strict=True):
        if not lengths[0] <= len(gram) <= lengths[1]:
            continue
        for distance in range(1, 2 if len(gram) == 1 else skips + 2):
            for begin in range(len(row) - (len(gram) - 1) * distance):
                words = tuple(row[begin + i * distance] for i in range(len(gram)))
                made[column] += words == gram
    return made


@pytest.mark.parametrize("lengths", [(1, 1), (2, 2), (1, 2), (1, 3), (3, 3)])
@pytest.mark.parametrize("skips", [0, 1, 5])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_grams_are_counted(tmp_path, lengths, skips, dtype):
    x = RNG.integers(1, 6, (4, 12)).astype(dtype)
    x[0, :6] = [1, 9, 2, 9, 3, 9]
    wanted = np.array([counted(row, lengths, skips) for row in x.tolist()])
    node = vectorizer("TF", lengths, skips)
    [y] = run(tmp_path, node, {"x": x}, sizes={"x": ["B", 12]})
    np.testing.assert_array_equal(y, wanted)
    [y] = run(tmp_path, node, {"x": x[0]})
    np.testing.assert_array_equal(y, wanted[0])
    assert y.dtype == np.float32


@pytest.mark.parametrize("mode", ["IDF", "TFIDF"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_counts_are_weighed(tmp_path, mode, weights):
    x = RNG.integers(1, 6, (4, 12))
    [y] = run(tmp_path, vectorizer(mode, (1, 2), 1, weights), {"x": x})
    counts = np.array([counted(row, (1, 2), 1) for row in x.tolist()])
    factors = np.array(weights or [1] * 7)
    np.testing.assert_array_equal(y, factors * (counts > 0 if mode == "IDF" else counts))


def test_a_short_row_has_no_grams(tmp_path):
    [y] = run(tmp_path, vectorizer("TF", (2, 3), 0), {"x": np.array([5])})
    np.testing.assert_array_equal(y, np.zeros(7))


ML = "ai.onnx.ml"


def test_ops_of_the_domain_for_features(tmp_path):
    x = RNG.normal(size=(3, 4))
    node = ob.node("Binarizer", "x", "y", threshold=0.25) + ob.field(7, ML)
    [y] = run(tmp_path, node, {"x": x}, domain=ML)
    np.testing.assert_array_equal(y, (x > 0.25).astype(np.float64))
    node = ob.node("ArrayFeatureExtractor", "x i", "y") + ob.field(7, ML)
    index = np.array([[2, 0, 2]])
    [y] = run(tmp_path, node, {"x": x, "i": index}, domain=ML)
    np.testing.assert_array_equal(y, x[:, [2, 0, 2]])
    [y] = run(tmp_path, node, {"x": x[0], "i": index[0]}, domain=ML)
    np.testing.assert_array_equal(y, x[:1, [2, 0, 2]])


def test_wrong_pools_are_refused(tmp_path):
    x = {"x": np.array([1, 2])}
    node = vectorizer("TFIDF", (1, 2), 0, [1.0])
    reason = "TfIdfVectorizer (opset 25): its weights has 1 elements, expected 7"
    assert refusal(tmp_path, node, x) == reason
    node = vectorizer("TF", (1, 2), 1001)
    reason = "TfIdfVectorizer (opset 25): its max_skip_count is 1001, expected at most 1000"
    assert refusal(tmp_path, node, x) == reason
    node = vectorizer("TF", (2, 1), 0)
    reason = "TfIdfVectorizer (opset 25): its max_gram_length is 1, expected at least 2"
    assert refusal(tmp_path, node, x) == reason
    found = refusal(tmp_path, vectorizer("TF", (1, 1), 0), x, sizes={"x": ["N"]})
    assert found == (
        "TfIdfVectorizer (opset 25): it needs the number of words of a row; "
        "shapes= of the inputs states it"
    )
