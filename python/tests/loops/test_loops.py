"""Loops: values and gradients of a loop and of the same steps written out."""

import pickle

import numpy as np
import pytest
from branch_models import TARGETS, backend_of
from loop_models import BACKEND, BODIES, data_of, parameters_of, unrolled

import mithril as ml

LENGTHS = [0, 1, 2, 5]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_equals_its_steps(name, steps, reverse):
    make, carry = BODIES[name]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"], reverse=reverse)
    flat, last = unrolled(make, carry, steps, reverse)
    data = data_of(steps, carry, make)
    keys = list(data)
    shapes = {key: list(value.shape) for key, value in data.items()}
    compiled = ml.compile(loop, BACKEND, data_keys=keys, shapes=shapes)
    expected = ml.compile(flat, BACKEND, data_keys=keys, shapes=shapes)
    params = parameters_of(compiled)
    assert set(params) == set(parameters_of(expected))
    draw = np.random.default_rng(2).normal
    seeds = {"y": draw(size=(steps, 3))} | {f"{key}_last": draw(size=(3, 4)) for key in carry}
    flat_seeds = {f"y_{t}": seeds["y"][t] for t in range(steps)}
    flat_seeds |= {last[key]: seeds[f"{key}_last"] for key in carry}
    wanted = keys + list(params)
    got, got_grad = compiled.evaluate(params, data, output_gradients=seeds, gradient_keys=wanted)
    out, grad = expected.evaluate(params, data, output_gradients=flat_seeds, gradient_keys=wanted)
    for t in range(steps):
        np.testing.assert_allclose(got["y"][t], out[f"y_{t}"], rtol=1e-12, atol=1e-12)
    for key in carry:
        np.testing.assert_allclose(got[f"{key}_last"], out[last[key]], rtol=1e-12, atol=1e-12)
    for key in wanted:
        np.testing.assert_allclose(got_grad[key], grad[key], rtol=1e-10, atol=1e-12, err_msg=key)


def second_order(model, outputs):
    """The gradient of the squares of a gradient, by the input x."""
    whole = ml.Model()
    whole |= model(x="x", h="h", **outputs)
    cost = sum((whole[key] * whole[key]).sum() for key in outputs.values())
    slope = ml.gradient(cost, whole.x)
    whole |= ml.Sum()(input=slope * slope, output="curved")
    whole.expose_keys("curved")
    return whole


@pytest.mark.parametrize("steps", [1, 3])
def test_gradients_of_gradients(steps):
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    flat, _ = unrolled(make, carry, steps)
    data = data_of(steps, carry, make)
    shapes = {key: list(value.shape) for key, value in data.items()}
    found = []
    for model, outputs in [
        (loop, {"y": "y"}),
        (flat, {f"y_{t}": f"y_{t}" for t in range(steps)}),
    ]:
        model.set_shapes(shapes)
        compiled = ml.compile(second_order(model, outputs), BACKEND, data_keys=["x", "h"])
        params = parameters_of(compiled)
        found.append(
            compiled.evaluate(
                params, data, output_gradients=True, gradient_keys=["x", "h", *params]
            )
        )
    (got, got_grad), (out, grad) = found
    np.testing.assert_allclose(got["curved"], out["curved"], rtol=1e-10)
    assert len(got_grad) == len(grad) == 5
    for one, other in zip(got_grad.values(), grad.values(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("dtype", [ml.float32, ml.float16, ml.bfloat16])
def test_one_compiled_model_takes_any_length(dtype):
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, ml.CpuBackend(dtype=dtype), shapes={"x": [None, 3, 2], "h": [3, 4]})
    params = compiled.get_parameters()
    for steps in [*LENGTHS, 33]:
        data = {key: value.astype(np.float32) for key, value in data_of(steps, carry, make).items()}
        seeds = {"y": np.ones((steps, 3), np.float32)}
        out, grad = compiled.evaluate(params, data, output_gradients=seeds)
        assert np.asarray(out["y"]).shape == (steps, 3)
        assert set(grad) == set(params)
        if steps == 0:
            np.testing.assert_allclose(
                np.asarray(out["h_last"], np.float32), data["h"], rtol=1e-2, atol=1e-2
            )
            assert all(not np.asarray(value, np.float32).any() for value in grad.values())


def test_the_axis_of_the_steps():
    make, carry = BODIES["elman"]
    first = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y", "h_next"])
    second = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y", "h_next"], axis=1)
    data = data_of(5, carry, make)
    a = ml.compile(first, BACKEND, shapes={"x": [5, 3, 2], "h": [3, 4]})
    b = ml.compile(second, BACKEND, shapes={"x": [3, 5, 2], "h": [3, 4]})
    params = parameters_of(a)
    seeds = {"y": np.random.default_rng(3).normal(size=(5, 3))}
    moved = data | {"x": data["x"].swapaxes(0, 1)}
    out, grad = a.evaluate(params, data, output_gradients=seeds, gradient_keys=["x", "h"])
    got, got_grad = b.evaluate(
        params, moved, output_gradients={"y": seeds["y"].T}, gradient_keys=["x", "h"]
    )
    np.testing.assert_array_equal(np.asarray(got["h_next"]).swapaxes(0, 1), out["h_next"])
    np.testing.assert_array_equal(np.asarray(got["y"]).T, out["y"])
    np.testing.assert_allclose(np.asarray(got_grad["x"]).swapaxes(0, 1), grad["x"], rtol=1e-12)
    np.testing.assert_allclose(got_grad["h"], grad["h"], rtol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["elman", "lstm"])
def test_samples_of_different_lengths(name, reverse, axis):
    make, carry = BODIES[name]
    options = {"carry": carry, "sequences": ["x"], "outputs": ["y", "h_next"]}
    loop = ml.Scan(make(), reverse=reverse, axis=axis, lengths="lengths", **options)
    alone = ml.Scan(make(), reverse=reverse, **options)
    data, lengths = data_of(5, carry, make), np.array([5, 2, 0])
    moved = data | {"x": np.moveaxis(data["x"], 0, axis), "lengths": lengths}
    shapes = {key: list(value.shape) for key, value in moved.items()}
    compiled = ml.compile(pickle.loads(pickle.dumps(loop)), BACKEND, shapes=shapes)
    one = ml.compile(alone, BACKEND, shapes={"x": [None, 1, 2]} | {key: [1, 4] for key in carry})
    params = parameters_of(compiled)
    seeds = {"y": np.random.default_rng(3).normal(size=(5, 3)), "h_last": np.ones((3, 4))}
    wanted = ["x", *carry, *params]
    out, grad = compiled.evaluate(
        params,
        moved,
        output_gradients=seeds | {"y": np.moveaxis(seeds["y"], 0, axis)},
        gradient_keys=wanted,
    )
    total = {key: 0.0 for key in params}
    for n, length in enumerate(lengths):
        row = slice(n, n + 1)
        expected, expected_grad = one.evaluate(
            params,
            {"x": data["x"][:length, row]} | {key: data[key][row] for key in carry},
            output_gradients={"y": seeds["y"][:length, row], "h_last": seeds["h_last"][row]},
            gradient_keys=wanted,
        )
        for key in ("y", "h_next"):
            stack = np.moveaxis(np.asarray(out[key]), axis, 0)[:, n]
            np.testing.assert_allclose(stack[:length], np.asarray(expected[key])[:, 0], rtol=1e-12)
            assert not stack[length:].any()
        for key in carry:
            np.testing.assert_allclose(out[f"{key}_last"][n], expected[f"{key}_last"][0])
            np.testing.assert_allclose(grad[key][n], expected_grad[key][0], rtol=1e-10, atol=1e-12)
        of_x = np.moveaxis(np.asarray(grad["x"]), axis, 0)[:, n]
        np.testing.assert_allclose(of_x[:length], expected_grad["x"][:, 0], rtol=1e-10, atol=1e-12)
        assert not of_x[length:].any()
        total = {key: total[key] + np.asarray(expected_grad[key]) for key in params}
    for key, value in total.items():
        np.testing.assert_allclose(grad[key], value, rtol=1e-10, atol=1e-12)


def counter() -> ml.Model:
    """Adds up integers; it has no sequence."""
    n, total = ml.IOKey("n", type=ml.Tensor[int]), ml.IOKey("total", type=ml.Tensor[int])
    return ml.Model.create(n_next=n + 1, total_next=total + n)


def test_a_loop_of_ints_and_a_length():
    loop = ml.Scan(
        counter(),
        carry={"n": "n_next", "total": "total_next"},
        outputs=["total_next"],
        length=5,
    )
    compiled = ml.compile(loop, ml.CpuBackend(), shapes={"n": [], "total": []})
    out = compiled.evaluate({}, {"n": np.int64(1), "total": np.int64(0)})
    assert int(out["total_last"]) == 15
    np.testing.assert_array_equal(out["total_next"], [1, 3, 6, 10, 15])


def test_the_length_is_that_of_another_tensor():
    h, k = ml.IOKey("h"), ml.IOKey("k")
    step = ml.Model.create(h_next=h * 0.5 + k)
    net = ml.Model()
    net |= ml.Buffer()(input="x", output="same")
    loop = ml.Scan(step, carry={"h": "h_next"}, length=ml.IOKey("n"), outputs=["h_next"])
    net |= loop(h="h", k="k", n=net.same.shape[0], h_next="y")
    shapes = {"x": [None, 2], "h": [2], "k": [2]}
    compiled = ml.compile(net, BACKEND, shapes=shapes, data_keys=["x", "h", "k"])
    for steps in (3, 0, 1):
        data = {"x": np.zeros((steps, 2)), "h": np.ones(2), "k": np.ones(2)}
        expected = [2 - 0.5**n for n in range(1, steps + 1)]
        np.testing.assert_allclose(
            np.asarray(compiled.evaluate({}, data)["y"])[:, 0], np.array(expected)
        )


def test_a_loop_in_a_loop():
    make, carry = BODIES["elman"]
    inner = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    outer = ml.Scan(inner, carry={"h": "h_last"}, sequences=["x"], outputs=["y"])
    flat = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    data = data_of(6, carry, make)
    a = ml.compile(outer, BACKEND, shapes={"x": [2, 3, 3, 2], "h": [3, 4]})
    b = ml.compile(flat, BACKEND, shapes={"x": [6, 3, 2], "h": [3, 4]})
    values = list(parameters_of(b).values())
    seeds = np.random.default_rng(3).normal(size=(6, 3))
    out, grad = a.evaluate(
        dict(zip(a.get_parameters(), values, strict=True)),
        data | {"x": data["x"].reshape(2, 3, 3, 2)},
        output_gradients={"y": seeds.reshape(2, 3, 3)},
    )
    expected, expected_grad = b.evaluate(
        dict(zip(b.get_parameters(), values, strict=True)), data, output_gradients={"y": seeds}
    )
    np.testing.assert_allclose(np.asarray(out["y"]).reshape(6, 3), expected["y"], rtol=1e-12)
    for one, other in zip(grad.values(), expected_grad.values(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_a_loop_asks_for_the_shape_of_a_sequence_of_unknown_rank():
    step = ml.Model()
    step |= ml.Add()(left="x", right="h", output="h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    with pytest.raises(ml.ShapeError) as caught:
        ml.compile(loop, BACKEND, shapes={"h": [2]})
    assert str(caught.value) == (
        "mithril.ShapeError[E0209]: x: the rank of 'x' is not known, and a loop needs it\n"
        "  help: state the shape: shapes of compile, or set_shapes"
    )


@pytest.mark.parametrize("target", TARGETS)
def test_loops_that_differ_in_a_constant_are_two(target: str) -> None:
    """Equal loops are merged, and only equal ones."""
    backend, to = backend_of(target)
    net = ml.Model()
    for name, number in {"a": 2.0, "b": 3.0, "c": 2.0}.items():
        step = ml.Model()
        step |= ml.Add()(left="h", right=np.full(3, number), output="sum")
        step |= ml.Multiply()(left="sum", right="x", output="h_next")
        step.expose_keys("h_next")
        net |= ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])(x="x", h="h", h_last=name)
    x, h = np.random.default_rng(0).normal(size=(4, 3)), np.ones(3)
    shapes = {"x": [4, 3], "h": [3]}
    compiled = ml.compile(net, backend, shapes=shapes, data_keys=list(shapes))
    out = compiled.evaluate({}, to({"x": x, "h": h}))
    for name, number in {"a": 2.0, "b": 3.0, "c": 2.0}.items():
        expected = h
        for row in x:
            expected = (expected + number) * row
        np.testing.assert_allclose(np.asarray(out[name]), expected, rtol=1e-12)
