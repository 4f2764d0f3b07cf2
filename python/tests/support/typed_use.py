"""Uses everything that the stubs declare. mypy checks the file; it is never run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import mithril as ml


def expressions(x: ml.Connection) -> ml.Model:
    h: ml.Connection = ml.Linear(4)(x)
    y = (h + x) / 2**h @ x.T - np.ones(3) * (1 - h) // 3
    logic = ~(y > 1) & y.eq(2) | y.ne(x) ^ (y <= 3) & (y == 2) | (y != x)
    shifted = (x.cast(ml.int32) << 2) >> (1 << x.len())
    sizes = x.shape[0] * x.size() + x.size(dim=1)
    moved = x[1:, ..., None].reshape((1, -1)).transpose().sum(axis=0, keepdim=True)
    reduced = moved.mean().max().min().prod().var(axis=(0, 1), correction=1.0)
    elements = abs(-reduced).sqrt().exp().sin().cos().floor().clamp(0, 1).item().tensor()
    print(elements.name, elements.known_shape)
    return ml.Model.create(output=h, logic=logic, shifted=shifted, sizes=sizes, e=elements)


@ml.functional
def block(a: ml.Connection, b: ml.Connection) -> ml.Connection:
    return a + b


def grows(solver: ml.Solver) -> bool:
    rows = solver.shape("image")
    if rows is None or rows[0] is None:
        return False
    solver.set_shape("b", [rows[0] + 1, None])
    if solver.value("b") == 3:
        solver.reject("too small", expected="4", got="3")
    return True


def compose() -> ml.Model:
    x = ml.IOKey("x", shape=["N", None], type=ml.Tensor[float], interval=(0, 1))
    key = ml.IOKey("key", value=3, type=int, differentiable=False)
    net = ml.Model("net")
    net |= ml.Conv2d(filters=8, kernel_size=3, name="stem")(input="image")
    net += ml.Relu()
    net |= expressions(x).connect(x=key)
    net |= block()(a="a", b="b")
    net.set_shapes({"image": [None, 1, 8, 8]}, a=[1, 2])
    net.set_types(image=ml.Tensor[int | float])
    net.set_values(b=ml.Tensor(3.0))
    net.set_differentiability(image=False)
    net.bind_state_keys("a", "b", np.zeros(3))
    net.add_constraint(grows, keys=["image", net.b])
    net.expose_keys("y", z="y")
    net.set_cin("image")
    net.set_cout("y")
    net.merge_connections("a", net.b, name="c")
    net.rename_key("a", "d")
    print(net.count_parameters(), net.count_parameters({"image": [2, 1, 8, 8]}))
    print(net.summary(depth=1, shapes=True, types=True), net.get_shapes()["y"], net.input_keys)
    return net


def run(net: ml.Model) -> None:
    backend = ml.CpuBackend(dtype=ml.float64)
    compiled: ml.CompiledModel = ml.compile(
        net,
        backend,
        shapes={"image": [None, 1, 8, 8], net.a: [1, 2]},
        types={"image": ml.Tensor[float]},
        data_keys={"image", net.b},
        constant_keys={"a": 3, "b": np.ones(3)},
        trainable_keys=["c"],
        frozen=["stem.*"],
        discard_keys=[net.z],
        optimization_level="max",
        debug=True,
        file_path=None,
    )
    ml.codegen(compiled, "model.cpp", data={"image": np.zeros((1, 1, 8, 8))})
    params = compiled.load_state_dict(compiled.get_parameters(seed=1))
    data = {"image": np.zeros((1, 1, 8, 8))}
    outputs = compiled.evaluate(params, data)
    _, gradients = compiled.evaluate(params, data, output_gradients=True)
    _, state = compiled.evaluate(params, data, state=compiled.initial_state_dict)
    ones = {"y": np.ones(3)}
    _, _, state = compiled.evaluate(params, data, output_gradients=ones, state=state)
    compiled.register_hook("y", lambda value: print(value.shape))
    print(outputs["y"].mean(), gradients.keys(), compiled.shapes, compiled.frozen_keys)


def fails() -> str:
    try:
        run(compose())
    except ml.ShapeError as error:
        return f"{error.code} {error.path} {error.facts} {error.help}"
    return ""


class Distance(ml.metrics.SampleEvaluator):
    def score(self, batch: Mapping[str, Any]) -> Any:
        return np.abs(batch["x"] - batch["y"])


def evaluate(step: ml.TrainingStep) -> ml.History:
    ml.data.register("rows", lambda: {"x": np.ones((3, 2))}, replace=True)
    source: ml.data.DataSource = ml.data.load("rows").shuffle(1).to(ml.CpuBackend(), prefetch=1)
    metrics: dict[str, ml.metrics.Evaluator | str] = {
        "accuracy": ml.metrics.Accuracy(),
        "distance": Distance(threshold=0.5),
        "rouge": ml.metrics.create("rouge_l"),
        "bleu": ml.metrics.Bleu(str.split, smoothing="exp"),
        "f1": "f1_score",
    }
    return ml.fit(step, source, epochs=1, validation=source, metrics=metrics)
