"""ml.PerSample beside evaluations of each sample by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from per_sample_models import CASES, Case, Compiled, Data, host

import mithril as ml

STRATEGIES = [None, "gram", "bilinear", "materialized"]
TOLERANCE = 1e-10  # relative to the norm of the sample's whole gradient


def whole(gradients: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return np.concatenate([gradient.ravel() for gradient in gradients.values()])


def agree(got: Any, expected: Any, scale: Any) -> None:
    error = np.abs(host(got) - expected)
    assert error.size == 0 or (error / scale).max() <= TOLERANCE


@pytest.fixture(scope="module", params=["cpu", "reference", "torch"])
def backend(request: pytest.FixtureRequest) -> Any:
    if request.param == "torch":
        pytest.importorskip("torch")
        return ml.TorchBackend(dtype="float64")
    return ml.CpuBackend(dtype="float64", reference=request.param == "reference")


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(11)
def test_gradients_norms_and_clipping_agree_with_single_samples(
    name: str, batch: int, backend: Any
) -> None:
    compiled = Compiled(CASES[name], backend)
    data = compiled.case.data(np.random.default_rng(batch), batch)
    expected = compiled.gradients(data)
    norms = np.array([np.linalg.norm(whole(tensor)) for tensor in expected])
    assert norms.min() > 0
    for strategy in STRATEGIES:
        samples = compiled.samples(strategy=strategy)
        given = compiled.arrays(data)
        made = samples.gradients(compiled.params, given, **compiled.state)
        for i, tensor in enumerate(expected):
            for key, value in tensor.items():
                agree(host(made[key])[i], value, norms[i])
        got = samples.norms(compiled.params, given, **compiled.state)
        agree(got.total, norms, norms)
        for key, value in got.by_key.items():
            # The square root of a difference of rounded numbers has half of the digits.
            own = np.array([np.linalg.norm(tensor[key]) for tensor in expected])
            agree(host(value) ** 2, own**2, norms**2)
        bound = float(np.median(norms))
        clipped = samples.clipped_gradients(compiled.params, given, bound, **compiled.state)
        agree(clipped.norms, norms, norms)
        weights = np.minimum(1, bound / norms)
        by_weight = compiled.arrays({"w": weights})["w"]
        weighted = samples.weighted_gradients(compiled.params, given, by_weight, **compiled.state)
        for key in expected[0]:
            total = sum(w * tensor[key] for w, tensor in zip(weights, expected, strict=True))
            agree(clipped.gradients[key], total, norms.sum())
            agree(weighted[key], total, norms.sum())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("batch", "others"), [(7, 4), (1, 1), (7, 1), (1, 4)])
@pytest.mark.sampled(23)
def test_dots_agree_with_single_samples(name: str, batch: int, others: int, backend: Any) -> None:
    compiled = Compiled(CASES[name], backend)
    rng = np.random.default_rng(batch + others)
    data, validation = compiled.case.data(rng, batch), compiled.case.data(rng, others)
    expected, against = compiled.gradients(data), compiled.gradients(validation)
    g = np.stack([whole(tensor) for tensor in expected])
    h = np.stack([whole(gradients) for gradients in against])
    scale = np.linalg.norm(g, axis=1)[:, None] * np.linalg.norm(h, axis=1)
    data, validation = compiled.arrays(data), compiled.arrays(validation)
    for strategy in STRATEGIES:
        samples = compiled.samples(strategy=strategy)
        pairs = samples.dots(compiled.params, data, validation, pairs=True, **compiled.state)
        agree(pairs.total, g @ h.T, scale)
        sums = samples.dots(compiled.params, data, validation, **compiled.state)
        agree(sums.total, (g @ h.T).sum(1), scale.sum(1))
        agree(sum(host(value) for value in sums.by_key.values()), host(sums.total), scale.sum(1))
        for made in (pairs, sums):
            mean = {
                key: np.mean([tensor[key] for tensor in expected], axis=0) for key in expected[0]
            }
            for key, value in mean.items():
                agree(made.gradients[key], value, np.linalg.norm(g, axis=1).mean())
        means = samples.dots(
            compiled.params, data, validation, validation_reduction="mean", **compiled.state
        )
        agree(means.total, (g @ h.T).mean(1), scale.mean(1))


@pytest.mark.parametrize("name", CASES)
def test_projections_project_the_gradients_of_single_samples(name: str, backend: Any) -> None:
    compiled = Compiled(CASES[name], backend)
    data = compiled.case.data(np.random.default_rng(2), 3)
    rank = min(6, *(np.size(host(value)) for value in compiled.params.values()))
    expected, data = compiled.gradients(data), compiled.arrays(data)
    for kind in ("gaussian", "rademacher", "orthonormal"):
        by_strategy = []
        for strategy in (None, "materialized"):
            samples = compiled.samples(strategy=strategy)
            made = samples.projections(
                compiled.params, data, rank=rank, seed=5, kind=kind, **compiled.state
            )
            by_strategy.append(host(made.values))
            assert by_strategy[-1].shape[0] == len(expected)
            for part in made.metadata.values():
                assert 1 <= part.left * part.right <= rank
        scale = np.abs(by_strategy[1]).max()
        agree(by_strategy[0], by_strategy[1], scale)


@pytest.mark.parametrize("name", CASES)
def test_a_rank_above_the_number_of_elements_gives_the_gradients(name: str, backend: Any) -> None:
    compiled = Compiled(CASES[name], backend)
    data = compiled.case.data(np.random.default_rng(2), 3)
    expected, data = compiled.gradients(data), compiled.arrays(data)
    made = compiled.samples().projections(compiled.params, data, rank=10**6, **compiled.state)
    assert list(made.metadata) == list(compiled.params)
    for i, tensor in enumerate(expected):
        agree(host(made.values)[i], whole(tensor), np.linalg.norm(whole(tensor)))
    default = compiled.samples().projections(compiled.params, data, **compiled.state)
    for key, part in default.metadata.items():
        assert part.left * part.right <= min(256, np.size(host(compiled.params[key])))


def projected_keys(samples: Any, compiled: Compiled, **options: Any) -> list[str]:
    data = compiled.arrays(compiled.case.data(np.random.default_rng(2), 3))
    made = samples.projections(compiled.params, data, rank=4, **options, **compiled.state)
    whole = samples.projections(compiled.params, data, rank=4, **compiled.state)
    assert host(made.values).shape[1] == sum(p.left * p.right for p in made.metadata.values())
    for key, part in made.metadata.items():
        if part[1:] == whole.metadata[key][1:]:
            expected = host(whole.values)[:, whole.metadata[key].slice]
            np.testing.assert_allclose(host(made.values)[:, part.slice], expected, rtol=1e-10)
    return list(made.metadata)


def test_patterns_choose_the_parameters_and_their_ranks(backend: Any) -> None:
    compiled = Compiled(CASES["mlp"], backend)
    samples, keys = compiled.samples(), list(compiled.params)
    biases = [key for key in keys if key.endswith("bias")]
    assert biases and projected_keys(samples, compiled, ranks={"*.bias": 0}) == [
        key for key in keys if key not in biases
    ]
    assert projected_keys(samples, compiled, ranks={"*.bias": 2, "*": 0}) == biases
    data = compiled.arrays(compiled.case.data(np.random.default_rng(2), 3))
    made = samples.projections(compiled.params, data, rank=6, ranks={"*.bias": 2, "*": 5})
    for key, part in made.metadata.items():
        assert part.left * part.right <= (2 if key in biases else 5)


@pytest.mark.parametrize("name", ["tied", "BERT block", "GPT-2"])
def test_tables_of_embeddings_are_left_out(name: str, backend: Any) -> None:
    compiled = Compiled(CASES[name], backend)
    left = projected_keys(compiled.samples(), compiled, include_embeddings=False)
    out = [key for key in compiled.params if key not in left]
    assert out and left
    assert all("emb" in key or "wte" in key or "wpe" in key or "table" in key for key in out), out


@pytest.mark.parametrize(
    "name", ["convolutions", "transposed convolutions", "transposed images", "residual block"]
)
def test_weights_of_convolutions_are_left_out(name: str, backend: Any) -> None:
    compiled = Compiled(CASES[name], backend)
    left = projected_keys(compiled.samples(), compiled, include_convolutions=False)
    ranks = {key: np.ndim(host(compiled.params[key])) for key in compiled.params}
    assert left == [key for key, rank in ranks.items() if rank < 3]


def test_projections_keep_squared_norms_on_average() -> None:
    compiled = Compiled(CASES["mlp"], ml.CpuBackend(dtype="float64"))
    data = compiled.case.data(np.random.default_rng(2), 2)
    samples = compiled.samples()
    squares = np.asarray(samples.norms(compiled.params, data).total) ** 2
    for kind in ("gaussian", "rademacher", "orthonormal"):
        found = [
            (
                np.asarray(
                    samples.projections(compiled.params, data, rank=5, seed=seed, kind=kind).values
                )
                ** 2
            ).sum(1)
            for seed in range(400)
        ]
        assert np.mean(found, axis=0) == pytest.approx(squares, rel=0.15)


def test_sizes_change_without_compiling_again() -> None:
    """The strategy is chosen for the sizes of each call."""
    net = ml.Model()
    net |= ml.Linear(24)(input="x")
    net += ml.Tanh()
    net += ml.Linear(3)(output="out")
    model = ml.Model()
    model |= net(x="x", out="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype="float64"),
        shapes={"x": [None, None, 32]},
        data_keys={"x", "y"},
    )
    params, samples = compiled.get_parameters(), ml.PerSample(compiled, losses="losses")
    rng, strategies = np.random.default_rng(0), []
    for length in (2, 64, 2):
        data = {
            "x": rng.standard_normal((3, length, 32)),
            "y": rng.standard_normal((3, length, 3)),
        }
        samples.verify(params, data)
        samples.norms(params, data)
        strategies.append(samples.explain().split("model.linear.weight: ")[1].split("\n")[0])
    assert strategies == ["gram", "materialized", "gram"]


def test_training_and_validation_may_have_other_sizes() -> None:
    compiled = Compiled(
        Case(CASES["mlp"].model, CASES["mlp"].data, {"x": [None, None, 8]}),
        ml.CpuBackend(dtype="float64"),
    )
    rng = np.random.default_rng(4)

    def data(batch: int, length: int) -> Data:
        return {
            "x": rng.standard_normal((batch, length, 8)),
            "y": rng.standard_normal((batch, length, 5)),
        }

    training, validation = data(5, 3), data(2, 6)
    g = np.stack([whole(gradient) for gradient in compiled.gradients(training)])
    h = np.stack([whole(gradient) for gradient in compiled.gradients(validation)])
    scale = np.linalg.norm(g, axis=1)[:, None] * np.linalg.norm(h, axis=1)
    for strategy in STRATEGIES:
        samples = compiled.samples(strategy=strategy)
        made = samples.dots(compiled.params, training, validation)
        assert "apart from the training samples" in samples.explain().splitlines()[0] or (
            "run apart" in samples.explain().splitlines()[0]
        )
        agree(made.total, (g @ h.T).sum(1), scale.sum(1))
        pairs = samples.dots(compiled.params, training, validation, pairs=True)
        agree(pairs.total, g @ h.T, scale)


def test_both_sets_may_have_the_fixed_size_of_the_model() -> None:
    symbolic, fixed = (
        Compiled(
            Case(CASES["mlp"].model, CASES["mlp"].data, {"x": [batch, 8]}),
            ml.CpuBackend(dtype="float64"),
        )
        for batch in (None, 4)
    )
    rng = np.random.default_rng(5)
    training, validation = symbolic.case.data(rng, 4), symbolic.case.data(rng, 4)
    expected = symbolic.samples().dots(symbolic.params, training, validation).total
    found = fixed.samples().dots(symbolic.params, training, validation).total
    assert np.asarray(found) == pytest.approx(np.asarray(expected), rel=1e-10)


def test_the_mean_of_a_row_is_the_loss_with_reduction_mean() -> None:
    compiled = Compiled(CASES["mlp of rank 3"], ml.CpuBackend(dtype="float64"))
    data = compiled.case.data(np.random.default_rng(2), 3)
    sums = compiled.samples().norms(compiled.params, data).total
    means = compiled.samples(reduction="mean").norms(compiled.params, data).total
    assert np.asarray(means) * 20 == pytest.approx(np.asarray(sums))
    dots = compiled.samples(reduction="mean").dots(compiled.params, data, data)
    outputs = compiled.model.evaluate(compiled.params, data)
    expected = np.asarray(outputs["losses"]).reshape(3, -1).mean(1)
    assert np.asarray(dots.losses) == pytest.approx(expected)
    assert np.asarray(dots.validation_losses) == pytest.approx(expected)


def test_an_empty_batch_has_no_samples() -> None:
    compiled = Compiled(CASES["mlp"], ml.CpuBackend(dtype="float64"))
    data = compiled.case.data(np.random.default_rng(2), 0)
    assert np.shape(compiled.samples().norms(compiled.params, data).total) == (0,)
    clipped = compiled.samples().clipped_gradients(compiled.params, data, 1.0)
    assert all(not np.any(np.asarray(value)) for value in clipped.gradients.values())


def test_frozen_parameters_have_no_part_in_norms() -> None:
    model = CASES["mlp"].model()
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype="float64"),
        shapes={"x": [None, 8]},
        data_keys={"x", "y", "model.linear.weight"},
    )
    rng = np.random.default_rng(0)
    data = CASES["mlp"].data(rng, 16) | {"model.linear.weight": rng.standard_normal((16, 8))}
    params = compiled.get_parameters()
    samples = ml.PerSample(compiled, losses="losses")
    assert set(samples.norms(params, data).by_key) == set(params)
    samples.verify(params, data)
    # Frozen weights are the same for both sets, which run as one batch.
    samples.dots(params, data, data)
    assert "in one batch" in samples.explain()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_norms_of_half_precision_are_those_of_float32_rounded(dtype: str) -> None:
    found = {}
    for name in (dtype, "float32"):
        compiled = Compiled(CASES["mlp of rank 3"], ml.CpuBackend(dtype=name))
        data = compiled.case.data(np.random.default_rng(2), 4)
        found[name] = np.asarray(
            compiled.samples().norms(compiled.params, data).total, dtype=np.float64
        )
    assert found[dtype] == pytest.approx(found["float32"], rel=0.05)


@pytest.mark.parametrize("name", ["mlp", "convolutions", "tied", "attention"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("cpu", {"use_amp": True}),
        ("cpu", {"use_amp": True, "amp_dtype": "float16"}),
        ("torch", {"use_amp": True}),
        ("cpu", {"dtype": "bfloat16"}),
        ("cpu", {"dtype": "float16"}),
    ],
)
def test_mixed_and_half_precision_agree_up_to_their_rounding(
    name: str, kind: str, options: dict[str, Any]
) -> None:
    if kind == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
    made = ml.TorchBackend(**options) if kind == "torch" else ml.CpuBackend(**options)
    lower, exact = (
        Compiled(CASES[name], backend) for backend in (made, ml.CpuBackend(dtype="float64"))
    )
    rng = np.random.default_rng(0)
    data, validation = lower.case.data(rng, 7), lower.case.data(rng, 3)
    found = []
    for variant in (lower, exact):
        samples = variant.samples()
        samples.verify(variant.params, variant.arrays(data), **variant.state)
        norms = samples.norms(variant.params, variant.arrays(data), **variant.state).total
        dots = samples.dots(
            variant.params, variant.arrays(data), variant.arrays(validation), **variant.state
        )
        found.append((host(norms).astype(float), host(dots.total).astype(float)))
    (norms, dots), (exact_norms, exact_dots) = found
    assert norms == pytest.approx(exact_norms, rel=0.05)
    assert np.abs(dots - exact_dots).max() <= 0.05 * np.abs(exact_dots).max()


def test_checkpointing_changes_no_result() -> None:
    case = CASES["attention"]
    rng = np.random.default_rng(0)
    data = case.data(rng, 4)
    totals = []
    for use_checkpointing in (False, True):
        compiled = ml.compile(
            case.model(),
            ml.CpuBackend(dtype="float64"),
            shapes=case.shapes,
            data_keys=set(data),
            use_checkpointing=use_checkpointing,
        )
        samples = ml.PerSample(compiled, losses="losses")
        params = compiled.get_parameters(1)
        samples.verify(params, data)
        totals.append(np.asarray(samples.norms(params, data).total))
    assert totals[0] == pytest.approx(totals[1], rel=1e-12)


def test_dropout_draws_the_masks_of_the_batch() -> None:
    """The mean of the gradients is that of evaluate with the same state."""
    net = ml.Model()
    net |= ml.Linear(16)(input="x")
    net += ml.Dropout(p=0.5)
    net += ml.Linear(5)(output="out")
    model = ml.Model()
    model |= net(x="x", out="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    compiled = ml.compile(
        model, ml.CpuBackend(dtype="float64"), shapes={"x": [None, 8]}, data_keys={"x", "y"}
    )
    data = CASES["mlp"].data(np.random.default_rng(1), 6)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    samples = ml.PerSample(compiled, losses="losses")
    made = samples.clipped_gradients(params, data, 1e9, state=state)
    ones = {"losses": np.ones((6, 5))}
    _, gradients, after = compiled.evaluate(params, data, output_gradients=ones, state=state)
    for key, value in gradients.items():
        assert np.asarray(made.gradients[key]) == pytest.approx(np.asarray(value), rel=1e-10)
    assert {k: int(v) for k, v in made.state.items()} == {k: int(v) for k, v in after.items()}
    samples.verify(params, data, state=state)
