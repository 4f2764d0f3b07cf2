"""Old names that stay until 0.2 do what the new names do."""

import numpy as np
from mithril.packages.package import PackagePort

import mithril as ml

NUMBERS = {"input": np.array([-1, 2], np.float32)}


def test_register_of_an_engine_is_register_model() -> None:
    engine = ml.Engine()
    engine.register("net", ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": ["N"]}))
    assert engine.infer("net", NUMBERS)["output"].tolist() == [0, 2]


def test_dims_of_a_packaged_port_are_its_shape() -> None:
    port = PackagePort("x", ml.float32, ["N", 4])
    assert port.dims == port.shape == ["N", 4]


def test_the_optimization_level_default_is_standard() -> None:
    shapes = {"input": [2]}
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes=shapes, optimization_level="default")
    assert compiled.evaluate({}, NUMBERS)["output"].tolist() == [0, 2]


def test_a_server_is_an_http_server() -> None:
    assert ml.Server is ml.HttpServer


def test_for_inference_is_bind_with_a_state() -> None:
    compiled = ml.compile(ml.Linear(2), ml.CpuBackend(), shapes={"input": [1, 3]})
    params, data = compiled.get_parameters(), {"input": np.ones((1, 3), np.float32)}
    old, new = compiled.for_inference(params), compiled.bind(params, {})
    assert np.array_equal(old.evaluate({}, data)["output"], new.evaluate({}, data)["output"])
