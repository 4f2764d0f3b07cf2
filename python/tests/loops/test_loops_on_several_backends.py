"""One of several backends runs a whole loop or choice."""

from typing import Any

import numpy as np
import pytest
from loop_models import elman

import mithril as ml


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="a")
    net |= ml.Scan(elman(), carry={"h": "h_next"}, sequences=["x"], outputs=["y"])(
        x="a", h="h", y="y"
    )
    return net


def compiled_with(backends: dict[str, Any], model: ml.Model | None = None) -> ml.CompiledModel:
    shapes = {"x": [4, 3, 2], "h": [3, 4]}
    return ml.compile(model or network(), backends=backends, shapes=shapes)


def text_of(backends: dict[str, Any], model: ml.Model | None = None) -> str:
    with pytest.raises(ml.ConnectionError) as caught:
        compiled_with(backends, model)
    return str(caught.value)


def test_a_part_of_a_loop_on_another_backend_is_an_error() -> None:
    assert text_of({"": ml.CpuBackend(), "scan.model.tanh": ml.CpuBackend()}) == (
        "mithril.ConnectionError[E0145]: scan.model.tanh: one backend runs a whole loop, and "
        "'scan.model.tanh' is in the loop 'scan'\n"
        "  scan.model.tanh : cpu\n"
        "  scan            : cpu\n"
        "  help: place the loop as a whole: give the path 'scan' in backends"
    )


def test_the_body_of_a_loop_on_another_backend_is_an_error() -> None:
    text = text_of({"": ml.CpuBackend(), "scan.model": ml.CpuBackend()})
    assert "'scan.model' is in the loop 'scan'" in text


def test_a_model_that_is_a_loop_is_placed_by_the_empty_path() -> None:
    loop = ml.Scan(elman(), carry={"h": "h_next"}, sequences=["x"], outputs=["y"])
    text = text_of({"": ml.CpuBackend(), "model.tanh": ml.CpuBackend()}, loop)
    assert "'model.tanh' is in the loop ''" in text


def test_a_loop_of_a_recurrent_layer_is_placed_as_a_whole() -> None:
    net = ml.Model()
    net |= ml.GRU(4)(input="x", output="y")
    shapes = {"x": [4, 3, 2]}
    inner = next(part.path for part in net.walk() if part.path.endswith("l0.model"))
    with pytest.raises(ml.ConnectionError, match="is in the loop"):
        ml.compile(net, backends={"": ml.CpuBackend(), inner: ml.CpuBackend()}, shapes=shapes)
    ml.compile(net, backends={"": ml.CpuBackend(), "gru": ml.CpuBackend()}, shapes=shapes)


def test_a_branch_on_another_backend_is_an_error_and_its_condition_is_none() -> None:
    x = ml.IOKey("x")
    net = ml.Model()
    choice = ml.Cond(
        ml.Model.create(c=x.sum() > 0.0), ml.Model.create(y=x.sin()), ml.Model.create(y=x.cos())
    )
    net |= choice(x="x", y="y")
    shapes, main = {"x": [3]}, ml.CpuBackend()

    def compiled(path: str) -> ml.CompiledModel:
        backends = {"": main, path: ml.CpuBackend()}
        return ml.compile(net, backends=backends, shapes=shapes, data_keys=["x"])

    with pytest.raises(ml.ConnectionError) as caught:
        compiled("cond.model_1")
    assert str(caught.value) == (
        "mithril.ConnectionError[E0145]: cond.model_1: one backend runs a whole choice, and "
        "'cond.model_1' is in the choice 'cond'\n"
        "  cond.model_1 : cpu\n"
        "  cond         : cpu\n"
        "  help: place the choice as a whole: give the path 'cond' in backends"
    )
    data = {"x": np.ones(3, np.float32)}
    for path in ("cond", "cond.model"):
        np.testing.assert_allclose(compiled(path).evaluate({}, data)["y"], np.sin(data["x"]))


def test_a_whole_loop_runs_on_another_backend_with_its_hooks() -> None:
    compiled = compiled_with({"": ml.CpuBackend(), "scan": ml.CpuBackend()})
    seen: list[Any] = []
    compiled.register_hook("scan.model.tanh.output", lambda value: seen.append(ml.loop_steps()))
    data = {"x": np.ones((4, 3, 2), np.float32), "h": np.zeros((3, 4), np.float32)}
    compiled.evaluate(compiled.get_parameters(), data)
    assert seen == [(0,), (1,), (2,), (3,)]
