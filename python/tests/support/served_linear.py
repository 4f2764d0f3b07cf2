"""A linear layer that servers of tests serve: its parameters, an input and the answer."""

import numpy as np

import mithril as ml


def network():
    model = ml.Model()
    model |= ml.Linear(dimension=4)(input="x", output="y")
    model.expose_keys("y")
    shapes = {"x": ["N", 3]}
    return ml.compile(model, ml.CpuBackend(), shapes=shapes, inference=True)


COMPILED = network()
PARAMS = COMPILED.get_parameters(seed=1)
X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = COMPILED.bind(PARAMS).evaluate({}, {"x": X})["y"]
