"""fit with rows that a source has divided."""

from typing import NamedTuple

import numpy as np
import pytest

import mithril as ml


class Process(NamedTuple):
    rank: int
    size: int


def test_rows_for_another_group_than_that_of_the_model_are_refused():
    model = ml.Model()
    model |= ml.Linear(1)(input="x", output="p")
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="p", target="t")
    step = ml.TrainingStep(ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 3]}), ml.SGD(0.1))
    data = ml.data.from_arrays({"x": np.ones((8, 3), np.float32), "t": np.ones((8, 1), np.float32)})
    with pytest.raises(ml.ValueError) as caught:
        ml.fit(step, data.shard(Process(1, 2)), epochs=1, progress=False)
    assert str(caught.value) == (
        "mithril.ValueError[E0416]: fit: the data is sharded for another group than that of the "
        "model\n"
        "  data  : process 1 of 2\n"
        "  model : process 0 of 1\n"
        "  help: compile with group=group, and shard the data for the same group"
    )
