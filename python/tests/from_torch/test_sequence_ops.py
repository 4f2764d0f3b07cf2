"""Ops on sequences and counts: elements that their sizes do not fit are errors."""

from typing import Any

import numpy as np
import pytest

import mithril as ml


def run(model: ml.Model, **data: Any) -> Any:
    arrays = {key: np.asarray(value) for key, value in data.items()}
    compiled = ml.compile(
        model, ml.CpuBackend(dtype=ml.float64), trainable_keys=[], data_keys=list(arrays)
    )
    return compiled.evaluate({}, arrays)


@pytest.mark.parametrize("element", [3, -1])
def test_an_element_without_a_bin(element: int) -> None:
    with pytest.raises(ml.ValueError, match="out of range for size 3"):
        run(ml.Bincount(minlength=3), input=[0, element])


@pytest.mark.parametrize("repeats", [[1, 1], [1, 3], [-1, 4]])
def test_another_sum_of_repeats_than_the_size(repeats: list[int]) -> None:
    with pytest.raises(ml.ValueError, match="out of range for size"):
        run(ml.RepeatInterleave(output_size=3), input=[1.0, 2.0], repeats=repeats)


def test_an_infinite_range_of_a_histogram() -> None:
    with pytest.raises(ml.ValueError, match="index 4 is out of range for size 4"):
        run(ml.Histc(bins=3), input=[1.0, np.inf])


def test_a_computed_quantile_out_of_range() -> None:
    with pytest.raises(ml.ValueError, match="index 3 is out of range for size 3"):
        run(ml.Quantile(), input=[1.0, 2.0, 3.0], q=[-0.5])


def test_ctc_loss_of_a_model() -> None:
    """The loss of one step and one label is -log of its probability."""
    model = ml.Model()
    model |= ml.CTCLoss()(
        log_probs="x", targets="y", input_lengths="steps", target_lengths="count", output="loss"
    )
    x = np.log([[[0.25, 0.5, 0.25]]])
    found = run(model, x=x, y=[[1]], steps=[1], count=[1])
    np.testing.assert_allclose(found["loss"], [-np.log(0.5)])
