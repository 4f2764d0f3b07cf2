"""Batch norm in a vmap: each index has its own statistics, as the model alone."""

from collections.abc import Callable

import numpy as np
import pytest

import mithril as ml

CPU = ml.CpuBackend(ml.float64)
MEMBERS = 3
SHAPES = {1: [6, 4], 2: [6, 4, 3, 2]}


def network(axes: int, **options: object) -> ml.Model:
    norm = ml.BatchNorm1D(4, **options) if axes == 1 else ml.BatchNorm2D(4, **options)
    net = ml.Model()
    net |= norm(input="x", output="n")
    net |= ml.Tanh()(input="n", output="y")
    net.expose_keys("y")
    return net


def compiled_of(model: ml.Model, shape: list, inference: bool, backend: object = CPU):
    return ml.compile(model, backend, shapes={"x": shape}, data_keys=["x"], inference=inference)


def drawn(random: np.random.Generator, values: dict, lead: tuple = ()) -> dict:
    return {key: random.uniform(0.5, 1.5, (*lead, *np.shape(v))) for key, v in values.items()}


def close(got: object, expected: object, what: str) -> None:
    np.testing.assert_allclose(
        np.asarray(got), np.asarray(expected), rtol=1e-10, atol=1e-12, err_msg=what
    )


def alone_of(one: ml.CompiledModel, params: dict, x: np.ndarray, state: dict, seed: object):
    """The output, the gradients (none without a seed), and the next state."""
    before = {key: state[f"model.{key}"] for key in one.initial_state_dict}
    if seed is None:
        out, after = one.evaluate(params, {"x": x}, state=before)
        return out["y"], {}, after
    wanted = {"output_gradients": {"y": seed}, "gradient_keys": ["x", *params]}
    out, grads, after = one.evaluate(params, {"x": x}, state=before, **wanted)
    return out["y"], grads, after


@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("axes", [1, 2])
@pytest.mark.parametrize(
    "mapped",
    [{"in_axes": {"x": 0}}, {"params": "*", "size": 3}, {"in_axes": {"x": 0}, "params": "*"}],
)
def test_each_index_is_the_model_alone(mapped: dict, axes: int, inference: bool) -> None:
    random = np.random.default_rng(axes)
    shape, lead = SHAPES[axes], (MEMBERS,)
    of_x, of_params = "in_axes" in mapped, "params" in mapped
    one = compiled_of(network(axes), shape, inference)
    model = ml.vmap(network(axes), **mapped)
    many = compiled_of(model, [*lead * of_x, *shape], inference)
    params = drawn(random, one.get_parameters(), lead * of_params)
    x = random.normal(size=(*lead * of_x, *shape))
    state = drawn(random, many.initial_state_dict)
    for _ in range(2):
        seeds = None if inference else random.normal(size=(MEMBERS, *shape))
        wanted: dict = {}
        if seeds is not None:
            wanted = {"output_gradients": {"y": seeds}, "gradient_keys": ["x", *params]}
        got = many.evaluate(params, {"x": x}, state=state, **wanted)
        each = [
            alone_of(
                one,
                {key: value[i] if of_params else value for key, value in params.items()},
                x[i] if of_x else x,
                {key: value[i] for key, value in state.items()},
                None if seeds is None else seeds[i],
            )
            for i in range(MEMBERS)
        ]
        close(got[0]["y"], np.stack([y for y, _, _ in each]), "y")
        for key in one.initial_state_dict:
            close(got[-1][f"model.{key}"], np.stack([after[key] for _, _, after in each]), key)
        for key in [] if inference else ["x", *params]:
            grads = np.stack([np.asarray(grads[key]) for _, grads, _ in each])
            has_axis = of_x if key == "x" else of_params
            close(got[1][key], grads if has_axis else grads.sum(0), key)
        state = {key: np.asarray(value) for key, value in got[-1].items()}


def test_the_hessian_of_each_index_is_that_of_the_model_alone() -> None:
    random = np.random.default_rng(5)
    loss = ml.Model()
    loss |= network(1)(x="x", y="y")
    loss |= ml.Power(exponent=3.0)(base="y", output="cubes")
    loss |= ml.Sum()(input="cubes", output="loss")
    loss.expose_keys("loss")
    shape = SHAPES[1]
    second = ml.Hvp(loss, of="loss", wrt=["x"])
    one = ml.compile(second.copy(), CPU, shapes={"x": shape}, data_keys=["x", "x.tangent"])
    many = ml.compile(
        ml.vmap(second, in_axes={"x": 0, "x.tangent": 0}),
        CPU,
        shapes={"x": [MEMBERS, *shape], "x.tangent": [MEMBERS, *shape]},
        data_keys=["x", "x.tangent"],
    )
    data = {"x": random.normal(size=(MEMBERS, *shape))}
    data["x.tangent"] = random.normal(size=(MEMBERS, *shape))
    params = drawn(random, one.get_parameters())
    key = "x.hvp"
    got = many.evaluate(params, data, state=many.initial_state_dict)[0]
    for i in range(MEMBERS):
        here = {name: value[i] for name, value in data.items()}
        alone = one.evaluate(params, here, state=one.initial_state_dict)[0]
        close(np.asarray(got[key])[i], alone[key], key)


def in_a_loop() -> ml.Model:
    return ml.Scan(network(1), carry={"x": "y"}, length=2)


def in_a_branch() -> ml.Model:
    is_positive = ml.Model()
    is_positive |= ml.Sum()(input="x", output="sum")
    is_positive |= ml.Greater()(left="sum", right=0.0, output="condition")
    is_positive.expose_keys("condition")
    doubled = ml.Model()
    doubled |= ml.Multiply()(left="x", right=2.0, output="y")
    return ml.Cond(is_positive, network(1), doubled)


@pytest.mark.parametrize("inner", [in_a_loop, in_a_branch])
def test_each_index_of_a_loop_or_a_branch_is_the_model_alone(inner: Callable) -> None:
    random = np.random.default_rng(7)
    shape = SHAPES[1]
    one = compiled_of(inner(), shape, inference=False)
    many = compiled_of(ml.vmap(inner(), in_axes={"x": 0}), [MEMBERS, *shape], inference=False)
    params = drawn(random, one.get_parameters())
    x = random.normal(size=(MEMBERS, *shape)) + np.array([2.0, -2.0, 3.0])[:, None, None]
    seed = random.normal(size=x.shape)
    (key,) = one.output_keys
    keys = ["x", *params]

    def evaluated(compiled: ml.CompiledModel, x: np.ndarray, seed: np.ndarray):
        state = compiled.initial_state_dict
        wanted = {"output_gradients": {key: seed}, "gradient_keys": keys}
        return compiled.evaluate(params, {"x": x}, state=state, **wanted)

    got = evaluated(many, x, seed)
    alone = [evaluated(one, x[i], seed[i]) for i in range(MEMBERS)]
    close(got[0][key], np.stack([outputs[key] for outputs, _, _ in alone]), key)
    close(got[1]["x"], np.stack([grads["x"] for _, grads, _ in alone]), "x")
    for name in params:
        close(got[1][name], sum(np.asarray(grads[name]) for _, grads, _ in alone), name)
