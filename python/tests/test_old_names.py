"""Old names that stay until 0.2 do what the new names do."""

import numpy as np

import mithril as ml


def test_register_of_an_engine_is_register_model() -> None:
    engine = ml.Engine()
    engine.register("net", ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]}))
    assert engine.infer("net", {"input": np.float32([-1, 2])})["output"].tolist() == [0, 2]
