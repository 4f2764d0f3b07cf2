"""Calls of ml.GradDotProdEngine that are out of order, and arguments that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grad_dot_prod_cases import batches, compiled_case, engine_of, without_validation

import mithril as ml


def prepared() -> ml.GradDotProdEngine:
    engine = engine_of(compiled_case("mlp"), "mlp")
    engine.attach(ml.SGD())
    engine.attach_train_batch(batches("mlp", 1)[0], 3, 0)
    return engine


def logged() -> ml.GradDotProdEngine:
    engine = prepared()
    engine.aggregate_and_log()
    return engine


def with_optimizer() -> ml.GradDotProdEngine:
    engine = without_validation()
    engine.attach(ml.SGD())
    return engine


def attach_batch(engine: ml.GradDotProdEngine, iteration: int = 3) -> None:
    engine.attach_train_batch(batches("mlp", 1)[0], iteration, 0)


def save(engine: ml.GradDotProdEngine, tmp_path: Path) -> None:
    engine._folder = tmp_path
    engine.save_dot_product_log(0)


BATCH_FIRST = "call attach_train_batch(data, iteration, batch_index) first"
END_FIRST = "call prepare_gradients(), aggregate_and_log() and clear_gradients() first"
OUT_OF_ORDER: dict[str, tuple[Any, Any, str, str]] = {
    "params": (
        without_validation,
        lambda e, _: e.params,
        "there are no parameters",
        "call attach(optimizer)",
    ),
    "attach": (
        with_optimizer,
        lambda e, _: e.attach(ml.SGD()),
        "an optimizer is attached already",
        "call detach()",
    ),
    "attach_train_batch": (
        without_validation,
        lambda e, _: attach_batch(e),
        "no optimizer is attached",
        "call attach(optimizer)",
    ),
    "attach_train_batch without validation": (
        with_optimizer,
        lambda e, _: attach_batch(e),
        "there are no validation samples",
        "call attach_and_store_valset(data)",
    ),
    "attach_train_batch of the next iteration": (
        prepared,
        lambda e, _: attach_batch(e, 4),
        "iteration 3 is not finished",
        END_FIRST,
    ),
    "attach_train_batch after logging": (
        logged,
        lambda e, _: attach_batch(e),
        "iteration 3 is not finished",
        END_FIRST,
    ),
    "prepare_gradients": (
        with_optimizer,
        lambda e, _: e.prepare_gradients(),
        "there is no training batch",
        BATCH_FIRST,
    ),
    "aggregate_and_log": (
        with_optimizer,
        lambda e, _: e.aggregate_and_log(),
        "there is no training batch",
        BATCH_FIRST,
    ),
    "aggregate_and_log twice": (
        logged,
        lambda e, _: e.aggregate_and_log(),
        "the step is in the log already",
        "call clear_gradients()",
    ),
    "clear_gradients": (
        prepared,
        lambda e, _: e.clear_gradients(),
        "the inner products of the step are not in the log",
        "call aggregate_and_log()",
    ),
    "save_dot_product_log without a folder": (
        logged,
        lambda e, _: e.save_dot_product_log(0),
        "there is no folder for the log",
        "make the engine with dot_prod_save_path=",
    ),
    "save_dot_product_log": (
        prepared,
        save,
        "the inner products of the step are not in the log",
        "call aggregate_and_log()",
    ),
    "save_dot_product_log of nothing": (
        with_optimizer,
        save,
        "the log is empty",
        "call aggregate_and_log()",
    ),
    "state_dict": (
        logged,
        lambda e, _: e.state_dict(),
        "a step is not finished",
        "call aggregate_and_log() and clear_gradients()",
    ),
}


@pytest.mark.parametrize("call", OUT_OF_ORDER)
def test_calls_out_of_order_name_the_call_that_is_first(call: str, tmp_path: Path) -> None:
    make, use, message, help = OUT_OF_ORDER[call]
    with pytest.raises(ml.StateError) as caught:
        use(make(), tmp_path)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"mithril.StateError[E0912]: {call.split(maxsplit=1)[0]}: {message}"
    assert lines[1].startswith(f"  help: {help}")
    assert not list(tmp_path.iterdir())


def test_an_error_of_order_is_two_lines() -> None:
    with pytest.raises(ml.StateError) as caught:
        with_optimizer().prepare_gradients()
    assert str(caught.value) == (
        "mithril.StateError[E0912]: prepare_gradients: there is no training batch\n"
        "  help: call attach_train_batch(data, iteration, batch_index) first"
    )


def test_validation_samples_of_different_numbers_are_refused() -> None:
    with pytest.raises(ml.InputError) as caught:
        without_validation().attach_and_store_valset({"x": np.zeros((5, 8)), "y": np.zeros((4, 5))})
    assert str(caught.value) == (
        "mithril.InputError[E0840]: attach_and_store_valset: the arrays of 'data' differ in "
        "length\n  'x' : 5\n  'y' : 4\n"
        "  help: name data without a batch axis in shared="
    )


def test_too_few_validation_samples_are_refused() -> None:
    with pytest.raises(ml.ValueError) as caught:
        without_validation().attach_and_store_valset({"x": np.zeros((3, 8)), "y": np.zeros((3, 5))})
    assert str(caught.value) == (
        "mithril.ValueError[E0402]: attach_and_store_valset: there are 3 samples, and "
        "validation_batch_size is 4"
    )


def test_validation_data_with_other_keys_is_refused() -> None:
    engine = with_optimizer()
    engine.attach_and_store_valset({"x": np.zeros((4, 8)), "z": np.zeros((4, 5))})
    with pytest.raises(ml.InputError, match="'z'"):
        attach_batch(engine)


@pytest.mark.parametrize("index", [1.5, [1, 2], "a", np.zeros((8, 1), int)])
def test_batch_indices_of_another_form_are_refused(index: Any) -> None:
    engine = prepared()
    with pytest.raises(ml.TypeError, match="batch_index"):
        engine.attach_train_batch(batches("mlp", 1)[0], 3, index)


def test_arguments_of_other_types_are_refused() -> None:
    with pytest.raises(ml.TypeError, match="an optimizer of torch or of Mithril"):
        without_validation().attach(3)
    with pytest.raises(ml.TypeError, match="validation_batch_size"):
        ml.GradDotProdEngine(compiled_case("mlp"), losses="losses", validation_batch_size=1.5)  # type: ignore[arg-type]
    with pytest.raises(ml.ValueError, match=r"E0402.*validation_batch_size is 0, expected 1"):
        ml.GradDotProdEngine(compiled_case("mlp"), losses="losses", validation_batch_size=0)
    with pytest.raises(ml.TypeError, match="iteration"):
        prepared().attach_train_batch(batches("mlp", 1)[0], "a", 0)  # type: ignore[arg-type]
    with pytest.raises(ml.TypeError, match="batch_index, dots, iteration"):
        without_validation().load_state_dict({"dots": np.zeros(1)})
