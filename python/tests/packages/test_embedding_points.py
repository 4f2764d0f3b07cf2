"""Multidimensional scaling, t-SNE, Gaussian processes and random models, against NumPy."""

import numpy as np
import pytest

import mithril as ml

RANDOM = np.random.default_rng(11)
POINTS = RANDOM.normal(size=(6, 3))
COORDS = RANDOM.normal(size=(6, 2))
TWO = np.array(2.0)


def outputs_of(model: ml.Model, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=set(inputs))
    return compiled.evaluate({}, inputs)


def squares(points: np.ndarray) -> np.ndarray:
    return ((points[:, None] - points) ** 2).sum(2)


@pytest.mark.parametrize("input_type", ["distances", "powered_distances", "points"])
def test_mds_has_the_stress_of_its_coordinates(input_type: str) -> None:
    given = {
        "distances": np.sqrt(squares(POINTS)),
        "powered_distances": squares(POINTS),
        "points": POINTS,
    }[input_type]
    model = ml.MDS(prediction_dim=2, input_type=input_type)
    made = outputs_of(model, input=given, coords=COORDS, norm=TWO)
    apart = np.sqrt(squares(POINTS)) - np.sqrt(squares(COORDS))
    stress = np.sqrt((apart**2).sum() / squares(POINTS).sum())
    assert made["output"] == pytest.approx(stress, rel=1e-12)
    np.testing.assert_array_equal(made["predicted_coords"], COORDS)


def joint(of: np.ndarray, perplexity: float) -> np.ndarray:
    """The joint probabilities of van der Maaten and Hinton, with widths found by bisection."""
    n = len(of)
    conditional = np.zeros((n, n))
    for i in range(n):
        lower, upper = 1e-3, 1e3
        others = np.delete(of[i], i)
        for _ in range(200):
            sigma = (lower + upper) / 2
            p = np.exp(-(others - others.min()) / (2 * sigma**2))
            p /= p.sum()
            many = 2 ** -(p * np.log2(np.maximum(p, 1e-300))).sum() > perplexity
            lower, upper = (lower, sigma) if many else (sigma, upper)
        conditional[i, np.arange(n) != i] = p
    return (conditional + conditional.T) / (2 * n)


def divergence(p: np.ndarray) -> float:
    near = (1 - np.eye(len(p))) / (1 + squares(COORDS))
    q = near / near.sum()
    others = ~np.eye(len(p), dtype=bool)
    return (p[others] * np.log(p[others] / q[others])).sum()


def test_tsne_calculates_joint_probabilities_where_asked() -> None:
    model = ml.TSNE(prediction_dim=2, input_type="points", preplexity=3.0, calculate_p_joint=True)
    made = outputs_of(model, input=POINTS, coords=COORDS, norm=TWO)
    assert made["output"] == pytest.approx(divergence(joint(squares(POINTS), 3)), rel=1e-9)


def test_tsne_takes_joint_probabilities_otherwise() -> None:
    p = joint(squares(POINTS), 3)
    model = ml.TSNECore(exact_distances=False)
    given = {"distances": squares(POINTS), "pred_distances": squares(COORDS), "p_joint": p}
    assert outputs_of(model, **given)["output"] == pytest.approx(divergence(p), rel=1e-12)


def test_a_distance_encoder_takes_a_base_model_by_name() -> None:
    given = {"input": np.sqrt(squares(POINTS)), "coords": COORDS, "norm": TWO}
    made = outputs_of(ml.DistanceEncoder(base_model="MDSCore"), **given)
    assert made["output"] == outputs_of(ml.MDS(prediction_dim=2), **given)["output"]


def test_an_unknown_type_of_input_is_refused() -> None:
    with pytest.raises(ml.ValueError, match="MDS: argument 'input_type' is out of range"):
        ml.MDS(prediction_dim=2, input_type="lengths")


def test_a_gaussian_process_predicts_and_returns_the_likelihood_of_labels() -> None:
    kernel = np.exp(-squares(POINTS) / 2)
    labels, mean, noise = RANDOM.normal(size=(6, 1)), RANDOM.normal(size=(6, 1)), np.array([0.1])
    given = {"k": kernel, "k_star": kernel, "mu": mean, "s": noise, "label": labels}
    made = outputs_of(ml.GaussProcessRegressionCore(), **given)
    noisy = kernel + 0.1 * np.eye(6)
    alpha = np.linalg.solve(noisy, labels - mean)
    np.testing.assert_allclose(made["prediction"], mean + kernel @ alpha, rtol=1e-10)
    explained = kernel @ np.linalg.solve(noisy, kernel)
    left = np.abs(np.diag(kernel - explained))[:, None]
    np.testing.assert_allclose(made["confidence"], 0.1 + left, rtol=1e-10)
    log_determinant = np.linalg.slogdet(noisy)[1]
    loss = ((labels - mean).T @ alpha).item() / 2 + log_determinant / 2 + 3 * np.log(2 * np.pi)
    assert made["loss"] == pytest.approx(loss, rel=1e-12)


def test_the_kernel_of_a_gaussian_process_can_be_trained() -> None:
    model = ml.GaussProcessRegressionCore()
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype=ml.float64),
        data_keys={"k", "k_star", "mu", "label"},
        trainable_keys={"s"},
        discard_keys={"prediction", "confidence"},
    )
    kernel = np.exp(-squares(POINTS) / 2)
    data = {"k": kernel, "k_star": kernel, "mu": np.zeros((6, 1)), "label": np.ones((6, 1))}
    data = {key: data[key] for key in compiled.input_keys if key in data}

    def loss(noise: float) -> float:
        return compiled.evaluate({"s": np.array([noise])}, data)["loss"].item()

    _, gradients = compiled.evaluate({"s": np.array([0.1])}, data, output_gradients=True)
    slope = (loss(0.1 + 1e-5) - loss(0.1 - 1e-5)) / 2e-5
    assert gradients["s"] == pytest.approx(slope, rel=1e-6)


def test_a_matrix_that_is_not_definite_has_no_root() -> None:
    with pytest.raises(ml.ValueError, match="cholesky: the matrix is not positive definite"):
        outputs_of(ml.Cholesky(), input=np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_random_models_draw_others_with_each_evaluation() -> None:
    compiled = ml.compile(ml.Randn(shape=(1000,), key=3), ml.CpuBackend(dtype=ml.float64))
    first, state = compiled.evaluate({}, {}, state=compiled.initial_state_dict)
    again, _ = compiled.evaluate({}, {}, state=compiled.initial_state_dict)
    second, _ = compiled.evaluate({}, {}, state=state)
    np.testing.assert_array_equal(first["output"], again["output"])
    assert np.abs(first["output"] - second["output"]).max() > 0.1
    assert np.abs(first["output"].mean()) < 0.1
    assert first["output"].std() == pytest.approx(1, abs=0.1)


def test_random_ints_lie_in_their_range() -> None:
    compiled = ml.compile(ml.RandInt(shape=(4, 200), key=3, low=-1, high=3), ml.CpuBackend())
    made = compiled.evaluate({}, {}, state=compiled.initial_state_dict)[0]["output"]
    assert made.shape == (4, 200)
    assert set(made.flatten().tolist()) == {-1, 0, 1, 2}


def test_the_shape_of_random_numbers_may_be_connected() -> None:
    model = ml.Model()
    model |= ml.Randn()(shape=ml.IOKey("x", shape=[None, 3]).shape, output="y")
    compiled = ml.compile(model, ml.CpuBackend(), data_keys={"x"})
    state = compiled.initial_state_dict
    made, _ = compiled.evaluate({}, {"x": np.zeros((2, 3))}, state=state)
    assert made["y"].shape == (2, 3)
