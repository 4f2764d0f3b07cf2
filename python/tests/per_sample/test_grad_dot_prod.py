"""ml.GradDotProdEngine: training with it beside training without it, and its log."""

from __future__ import annotations

import copy
import resource
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from grad_dot_prod_cases import (
    BATCH,
    OPTIMIZERS,
    batches,
    compiled_case,
    dropout_model,
    engine_of,
    train,
    train_alone,
)
from per_sample_models import CASES

import mithril as ml

MODELS = {name: compiled_case for name in CASES} | {"dropout": lambda _: dropout_model()}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.sampled(5)
def test_steps_have_the_bits_of_those_without_the_engine(name: str, optimizer: str) -> None:
    compiled = MODELS[name](name)
    data_of = "mlp" if name == "dropout" else name
    data = batches(data_of)
    alone = train_alone(compiled, OPTIMIZERS[optimizer](), data)
    engine, moved = engine_of(compiled, data_of), OPTIMIZERS[optimizer]()
    engine.attach(moved, compiled.get_parameters())
    train(engine, moved, data)
    for key, value in alone.items():
        assert np.asarray(engine.params[key]).tobytes() == np.asarray(value).tobytes(), key


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_gradients_of_the_same_pass_agree_up_to_rounding(optimizer: str) -> None:
    compiled, data = (
        compiled_case("convolutions", ml.CpuBackend("float64")),
        batches("convolutions"),
    )
    alone = train_alone(compiled, OPTIMIZERS[optimizer](), data)
    engine = engine_of(compiled, "convolutions", same_pass=True)
    moved = OPTIMIZERS[optimizer]()
    engine.attach(moved)
    train(engine, moved, data)
    for key, value in alone.items():
        assert engine.params[key] == pytest.approx(value, rel=1e-6, abs=1e-9), key


def test_the_mean_of_the_rows_is_taken_with_reduction_mean() -> None:
    compiled = compiled_case("mlp of rank 3", ml.CpuBackend("float64"))
    data, params = batches("mlp of rank 3", 1)[0], compiled.get_parameters()
    engine = engine_of(compiled, "mlp of rank 3", reduction="mean")
    engine.attach(ml.SGD(), params)
    engine.attach_train_batch(data, 0, 0)
    seeds = np.full((BATCH, 4, 5), 1 / (BATCH * 4 * 5))
    expected = compiled.evaluate(params, data, output_gradients={"losses": seeds})[1]
    for key, value in engine.prepare_gradients().items():
        assert value == pytest.approx(expected[key])


def test_parameters_of_bfloat16_are_trained() -> None:
    compiled = compiled_case("mlp", ml.CpuBackend("bfloat16"))
    data = batches("mlp", 4)
    alone = train_alone(compiled, ml.SGD(0.1), data)
    engine, optimizer = engine_of(compiled, "mlp"), ml.SGD(0.1)
    engine.attach(optimizer)
    train(engine, optimizer, data)
    for key, value in alone.items():
        ours = np.asarray(engine.params[key], dtype=np.float32)
        assert np.array_equal(ours, np.asarray(value, dtype=np.float32))
    engine.attach_train_batch(data[0], 4, 0)
    engine.attach_train_batch(data[1], 4, 1)
    dtypes = {str(value.dtype) for value in engine.prepare_gradients().values()}
    assert dtypes == {"dtype.bfloat16"}


def test_the_log_has_the_inner_products_of_each_sample(tmp_path: Path) -> None:
    compiled, data = compiled_case("mlp"), batches("mlp", 3)
    engine = engine_of(compiled, "mlp", dot_prod_save_path=tmp_path / "logs")
    optimizer, params = ml.SGD(0.1), compiled.get_parameters()
    engine.attach(optimizer, params)
    samples = ml.PerSample(compiled, losses="losses")
    validation = CASES["mlp"].data(np.random.default_rng(2), 4)
    expected = []
    for iteration, batch in enumerate(data):
        made = samples.dots(params, batch, validation)
        losses = engine.attach_train_batch(batch, iteration, np.arange(8) * 10 + iteration)
        assert np.array_equal(losses, made.losses)
        optimizer.step(params, engine.prepare_gradients())
        assert np.array_equal(engine.aggregate_and_log(), made.total)
        expected.append(np.asarray(made.total))
        engine.clear_gradients()
    path = engine.save_dot_product_log(2)
    assert path == tmp_path / "logs" / "dots-00000002.npz"
    with np.load(path) as log:
        assert sorted(log) == ["batch_index", "dots", "iteration"]
        assert np.array_equal(log["dots"], np.concatenate(expected))
        assert log["iteration"].tolist() == [0] * 8 + [1] * 8 + [2] * 8
        assert log["batch_index"][8:16].tolist() == [1, 11, 21, 31, 41, 51, 61, 71]
    with pytest.raises(ml.StateError, match="E0912"):
        engine.save_dot_product_log(3)


def test_means_over_the_validation_samples_can_be_logged() -> None:
    found = {}
    for reduction in ("sum", "mean"):
        compiled = compiled_case("mlp", ml.CpuBackend("float64"))
        engine = engine_of(compiled, "mlp", validation_reduction=reduction)
        engine.attach(ml.SGD())
        engine.attach_train_batch(batches("mlp", 1)[0], 0, 0)
        found[reduction] = engine.aggregate_and_log()
    assert found["mean"] * 4 == pytest.approx(found["sum"])


def test_validation_samples_take_turns() -> None:
    compiled, params = compiled_case("mlp"), compiled_case("mlp").get_parameters()
    engine = ml.GradDotProdEngine(compiled, losses="losses", validation_batch_size=4)
    validation = CASES["mlp"].data(np.random.default_rng(2), 6)
    engine.attach_and_store_valset(validation)
    engine.attach(ml.SGD(), params)
    data, samples = batches("mlp", 1)[0], ml.PerSample(compiled, losses="losses")
    for iteration, rows in enumerate([[0, 1, 2, 3], [4, 5, 0, 1], [2, 3, 4, 5], [0, 1, 2, 3]]):
        engine.attach_train_batch(data, iteration, 0)
        some = {key: value[rows] for key, value in validation.items()}
        assert np.array_equal(engine.aggregate_and_log(), samples.dots(params, data, some).total)
        engine.clear_gradients()


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_log_that_cannot_be_written_leaves_no_part_and_can_be_written_later(
    tmp_path: Path, old: bytes | None
) -> None:
    engine = engine_of(compiled_case("mlp"), "mlp", dot_prod_save_path=tmp_path)
    optimizer = ml.SGD()
    engine.attach(optimizer)
    train(engine, optimizer, batches("mlp", 2))
    path = tmp_path / "dots-00000001.npz"
    if old is not None:
        path.write_bytes(old)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limit[1]))
    try:
        with pytest.raises(ml.InputError) as caught:
            engine.save_dot_product_log(1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert str(caught.value) == (
        f"mithril.InputError[E0831]: {path}: the file cannot be written\n  why : File too large"
    )
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([old] if old else [])
    assert engine.save_dot_product_log(1) == path
    with np.load(path) as log:
        assert len(log["dots"]) == 2 * BATCH


def test_micro_batches_make_the_step_of_their_union() -> None:
    compiled = compiled_case("norms", ml.CpuBackend("float64"))
    data = batches("norms", 1, 12)[0]
    results = []
    for cuts in ([0, 12], [0, 5, 6, 12]):
        engine, optimizer = engine_of(compiled, "norms"), ml.AdamW(1e-2)
        engine.attach(optimizer, compiled.get_parameters())
        for start, end in pairwise(cuts):
            part = {key: value[start:end] for key, value in data.items()}
            engine.attach_train_batch(part, 7, np.arange(start, end))
        gradients = engine.prepare_gradients()
        results.append((gradients, engine.aggregate_and_log()))
    (whole, dots), (parts, other_dots) = results
    assert other_dots == pytest.approx(dots)
    for key, value in whole.items():
        assert parts[key] == pytest.approx(value), key


def test_a_detached_engine_continues_after_it_is_attached_again() -> None:
    compiled, data = compiled_case("mlp"), batches("mlp", 4)
    alone = train_alone(compiled, ml.AdamW(1e-2), data)
    engine, optimizer = engine_of(compiled, "mlp"), ml.AdamW(1e-2)
    engine.attach(optimizer)
    train(engine, optimizer, data[:2])
    engine.attach_train_batch(data[0], 2, 0)  # is dropped
    engine.detach()
    compiled.infer(engine.params, data[3])
    with pytest.raises(ml.StateError, match=r"call attach\(optimizer\) first"):
        engine.attach_train_batch(data[2], 2, 0)
    engine.attach(optimizer)
    train(engine, optimizer, data[2:], first=2)
    for key, value in alone.items():
        assert engine.params[key].tobytes() == value.tobytes()
    assert engine.state_dict()["iteration"].tolist() == np.repeat(np.arange(4), 8).tolist()


def test_a_run_continues_from_a_checkpoint_with_the_same_bits(tmp_path: Path) -> None:
    compiled, data = dropout_model(), batches("mlp", 6)

    def start() -> tuple[ml.GradDotProdEngine, ml.AdamW]:
        engine = ml.GradDotProdEngine(compiled, losses="losses", validation_batch_size=3)
        engine.attach_and_store_valset(CASES["mlp"].data(np.random.default_rng(2), 5))
        return engine, ml.AdamW(1e-2)

    engine, optimizer = start()
    engine.attach(optimizer)
    train(engine, optimizer, data)

    first, optimizer = start()
    first.attach(optimizer)
    train(first, optimizer, data[:3])
    ml.save(tmp_path / "run.safetensors", first.params, optimizer=optimizer)
    ml.save_safetensors(tmp_path / "engine.safetensors", first.state_dict())

    second, optimizer = start()
    saved = ml.load(tmp_path / "run.safetensors")
    optimizer.load_state_dict(saved.optimizer)
    second.attach(optimizer, copy.deepcopy(saved.params))
    second.load_state_dict(ml.load_safetensors(tmp_path / "engine.safetensors"))
    train(second, optimizer, data[3:], first=3)

    for key, value in engine.params.items():
        assert second.params[key].tobytes() == value.tobytes()
    ours, theirs = second.state_dict(), engine.state_dict()
    assert set(ours) == set(theirs) and len(ours) > 3
    for key, value in theirs.items():
        assert np.asarray(ours[key]).tobytes() == np.asarray(value).tobytes(), key
