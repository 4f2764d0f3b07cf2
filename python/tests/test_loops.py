"""Loops: values and gradients of a loop and of the same steps written out."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

LENGTHS = [0, 1, 2, 5]
BACKEND = ml.CpuBackend(dtype=ml.float64)


def elman() -> ml.Model:
    step = ml.Model()
    step |= ml.Linear(4)(input="x", output="a")
    step |= ml.Linear(4, use_bias=False)(input="h", output="b")
    step |= ml.Add()(left="a", right="b", output="sum")
    step |= ml.Tanh()(input="sum", output="h_next")
    step |= ml.Sum(axis=-1)(input="h_next", output="y")
    return step


def lstm() -> ml.Model:
    x, h, c = ml.IOKey("x"), ml.IOKey("h"), ml.IOKey("c")
    gates = ml.Linear(16)(ml.Concat(axis=-1)([x, h]))
    i, f, o = (ml.Sigmoid()(gates[..., 4 * k : 4 * k + 4]) for k in range(3))
    c_next = f * c + i * ml.Tanh()(gates[..., 12:])
    h_next = o * ml.Tanh()(c_next)
    return ml.Model.create(h_next=h_next, c_next=c_next, y=h_next.sum(axis=-1))


def normalized() -> ml.Model:
    """Reductions, a softmax, and an input that every step reads."""
    x, h, scale = ml.IOKey("x"), ml.IOKey("h"), ml.IOKey("scale")
    mixed = ml.Softmax(axis=-1)(ml.Linear(4)(x) + h) * scale
    h_next = (mixed - mixed.mean(axis=-1, keepdim=True)) + h * 0.5
    return ml.Model.create(h_next=h_next, y=h_next.exp().sum(axis=-1))


BODIES = {
    "elman": (elman, {"h": "h_next"}),
    "lstm": (lstm, {"h": "h_next", "c": "c_next"}),
    "normalized": (normalized, {"h": "h_next"}),
}


def unrolled(make, carry, steps, reverse=False):
    """The steps written out, with the ports of the loop, but "y_0", "y_1", ... for its stack."""
    model, body = ml.Model(), make()
    x = ml.IOKey("x")
    before = {key: key for key in carry}
    order = range(steps)[::-1] if reverse else range(steps)
    last = {}
    for n, t in enumerate(order):
        part = body if n == 0 else body.shared()
        names = {next_: f"{key}_{t}" for key, next_ in carry.items()}
        shared = {"scale": "scale"} if "scale" in body.input_keys else {}
        model |= part(x=x[t], y=f"y_{t}", **before, **names, **shared)
        before = last = {key: f"{key}_{t}" for key in carry}
    return model, last


def data_of(steps, carry, make, seed=0):
    draw = np.random.default_rng(seed).normal
    data = {"x": draw(size=(steps, 3, 2))} | {key: draw(size=(3, 4)) for key in carry}
    if "scale" in make().input_keys:
        data["scale"] = draw(size=(3, 4))
    return data


def parameters_of(compiled, seed=1):
    draw = np.random.default_rng(seed).normal
    return {
        key: draw(size=np.asarray(value).shape) * 0.5
        for key, value in compiled.get_parameters().items()
    }


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


def test_packages_keep_loops(tmp_path):
    make, carry = BODIES["lstm"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    shapes = {"x": ["T", 3, 2], "h": [3, 4], "c": [3, 4]}
    with pytest.raises(ml.ShapeError, match="rank of 'h' is not known"):
        ml.compile(loop, BACKEND)
    loop.set_shapes(shapes)
    compiled = ml.compile(loop, ml.CpuBackend())
    params, data = compiled.get_parameters(), data_of(4, carry, make)
    ml.save_package(tmp_path / "loop", loop, params)
    read = ml.load_package(tmp_path / "loop").compile(ml.CpuBackend())
    np.testing.assert_array_equal(
        read.evaluate({}, data)["y"], compiled.evaluate(params, data)["y"]
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


def test_files_keep_loops(tmp_path):
    make, carry = BODIES["lstm"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"], reverse=True)
    again = pickle.loads(pickle.dumps(loop))
    data = data_of(4, carry, make)
    shapes = {"x": [None, 3, 2], "h": [3, 4], "c": [3, 4]}
    a, b = (ml.compile(model, BACKEND, shapes=shapes) for model in (loop, again))
    params = parameters_of(a)
    np.testing.assert_array_equal(a.evaluate(params, data)["y"], b.evaluate(params, data)["y"])
    c = pickle.loads(pickle.dumps(a))
    np.testing.assert_array_equal(c.evaluate(params, data)["y"], a.evaluate(params, data)["y"])
    bound = a.bind(params)
    np.testing.assert_allclose(
        bound.evaluate({}, data)["y"], a.evaluate(params, data)["y"], rtol=1e-12
    )
    assert "scan" in loop.summary().lower()


def test_checkpointing_and_training():
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    net = ml.Model()
    net |= loop(x="x", h="h", y="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    data = data_of(6, carry, make) | {"target": np.full((6, 3), 0.25)}
    found = []
    for checkpointing in (False, True):
        compiled = ml.compile(
            model,
            BACKEND,
            shapes={"x": [6, 3, 2], "h": [3, 4], "target": [6, 3]},
            data_keys=["h", "x", "target"],
            use_checkpointing=checkpointing,
        )
        params = parameters_of(compiled)
        found.append(compiled.evaluate(params, data, output_gradients=True)[1])
        step = ml.TrainingStep(compiled, ml.Adam(lr=0.05))
        costs = [float(step(params, data)["final_cost"]) for _ in range(60)]
        assert costs[-1] < costs[0] * 0.2
    for key, value in found[0].items():
        np.testing.assert_array_equal(value, found[1][key])


def test_a_carry_that_changes():
    grows = ml.Model()
    grows |= ml.Concat(axis=-1)(input=["h", "x"], output="h_next")
    grows.set_shapes({"h": [3, 4], "x": [3, 2]})
    with pytest.raises(ml.ShapeError, match=r"changes the shape of the carry") as caught:
        ml.Scan(grows, carry={"h": "h_next"}, sequences=["x"])
    assert "[3, 4]" in str(caught.value)
    assert "[3, 6]" in str(caught.value)
    compares = ml.Model()
    compares |= ml.Greater()(left="h", right="x", output="h_next")
    compares.set_types({"h": ml.Tensor[float]})
    with pytest.raises(ml.TypeError, match="changes the type of the carry"):
        ml.Scan(compares, carry={"h": "h_next"}, sequences=["x"])


def test_wrong_names_and_lengths():
    with pytest.raises(ml.NameError, match="hh"):
        ml.Scan(elman(), carry={"hh": "h_next"}, sequences=["x"])
    with pytest.raises(ml.NameError, match="h_nxt"):
        ml.Scan(elman(), carry={"h": "h_nxt"}, sequences=["x"])
    with pytest.raises(ml.NameError, match="z"):
        ml.Scan(elman(), carry={"h": "h_next"}, sequences=["x"], outputs=["z"])
    with pytest.raises(ml.ValueError, match="twice"):
        ml.Scan(elman(), carry={"h": "h_next"}, sequences=["h"])
    with pytest.raises(ml.ValueError, match="needs a length"):
        ml.Scan(elman(), carry={"h": "h_next"})
    with pytest.raises(ml.ValueError, match="no result"):
        ml.Scan(elman(), sequences=["x"])
    with pytest.raises(ml.ValueError, match="negative"):
        ml.Scan(elman(), carry={"h": "h_next"}, sequences=["x"], length=-1)
    x, z = ml.IOKey("x"), ml.IOKey("z")
    two = ml.Scan(ml.Model.create(y=x * z), sequences=["x", "z"], outputs=["y"])
    with pytest.raises(ml.ShapeError):
        two.set_shapes({"x": [5, 3], "z": [6, 3]})
    x, z = ml.IOKey("x"), ml.IOKey("z")
    two = ml.Scan(ml.Model.create(y=x * z), sequences=["x", "z"], outputs=["y"])
    compiled = ml.compile(two, ml.CpuBackend(), shapes={"x": [None, 3], "z": [None, 3]})
    with pytest.raises(ml.InputError, match="6") as caught:
        compiled.evaluate({}, {"x": np.zeros((5, 3)), "z": np.zeros((6, 3))})
    assert "5" in str(caught.value)


def test_a_body_that_keeps_a_state():
    step = ml.Model()
    step |= ml.Add()(left="x", right="h", output="sum")
    step |= ml.Dropout(0.5)(input="sum", output="h_next")
    with pytest.raises(ml.ConnectionError, match="keeps a state") as caught:
        ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    assert caught.value.code == "E0132"


def test_hooks_see_no_step():
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, BACKEND, shapes={"x": [4, 3, 2], "h": [3, 4]})
    seen = []
    compiled.register_hook("y", lambda value: seen.append(np.asarray(value).shape))
    compiled.evaluate(parameters_of(compiled), data_of(4, carry, make))
    assert seen == [(4, 3)]
    with pytest.raises(ml.Error):
        compiled.register_hook("model.linear.output", lambda value: None)


def test_debugging_shows_loops(capfd):
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, BACKEND, shapes={"x": [4, 3, 2], "h": [3, 4]}, debug=True)
    compiled.evaluate(parameters_of(compiled), data_of(4, carry, make))
    assert "scan" in capfd.readouterr().err


def test_the_page_about_loops():
    page = Path(__file__).parents[2] / "docs" / "loops.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    names = {"ml": ml, "np": np}
    for block in blocks:
        exec(block, names)
    assert np.asarray(names["out"]["h_next"]).shape == (5, 2, 4)
    assert np.asarray(names["out"]["h_last"]).shape == (2, 4)


def outputs_and_gradients(compiled, params, data, seeds, to=np.asarray):
    out, grad = compiled.evaluate(
        {key: to(value) for key, value in params.items()},
        {key: to(value) for key, value in data.items()},
        output_gradients={key: to(value) for key, value in seeds.items()},
    )
    return {key: np.asarray(value) for key, value in [*out.items(), *grad.items()]}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("target", ["torch", "torch, eager", "jax"])
def test_other_backends(target, name, reverse):
    make, carry = BODIES[name]
    if target == "jax":
        pytest.importorskip("jax")
        backend, to = ml.JaxBackend(), np.float32
    else:
        torch = pytest.importorskip("torch")
        backend = ml.TorchBackend(eager_mode="eager" in target)

        def to(value):
            return torch.tensor(np.asarray(value, np.float32))

    def loop():
        return ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"], reverse=reverse)

    shapes = {key: list(value.shape) for key, value in data_of(1, carry, make).items()}
    shapes["x"] = [None, 3, 2]
    options = {"shapes": shapes, "data_keys": list(shapes)}
    one, other = ml.compile(loop(), BACKEND, **options), ml.compile(loop(), backend, **options)
    params = parameters_of(one)
    for steps in (0, 1, 4):
        data = data_of(steps, carry, make)
        seeds = {"y": np.random.default_rng(4).normal(size=(steps, 3))}
        expected = outputs_and_gradients(one, params, data, seeds)
        got = outputs_and_gradients(other, params, data, seeds, to)
        for key, value in expected.items():
            np.testing.assert_allclose(got[key], value, rtol=2e-4, atol=2e-4, err_msg=key)


@pytest.mark.parametrize("ending", ["cpp", "mjs"])
def test_targets_without_loops(tmp_path, ending):
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, ml.CpuBackend(), shapes={"x": [4, 3, 2], "h": [3, 4]})
    with pytest.raises(ml.BackendError, match="for the op scan") as caught:
        ml.codegen(compiled, tmp_path / f"model.{ending}")
    assert caught.value.code == "E1031"


def test_gradients_of_single_samples():
    make, carry = BODIES["elman"]
    net = ml.Model()
    net |= ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"], axis=1)(x="x", h="h", y="y")
    net |= ml.Sum(axis=1)(input="y", output="losses")
    compiled = ml.compile(
        net, BACKEND, shapes={"x": [None, 5, 2], "h": [None, 4]}, data_keys=["x", "h"]
    )
    params, draw = parameters_of(compiled), np.random.default_rng(5).normal
    data = {"x": draw(size=(3, 5, 2)), "h": draw(size=(3, 4))}
    norms = ml.PerSample(compiled, losses="losses").norms(params, data)
    for n in range(3):
        one = {key: value[n : n + 1] for key, value in data.items()}
        _, grad = compiled.evaluate(params, one, output_gradients={"losses": np.ones(1)})
        expected = np.sqrt(sum((np.asarray(value) ** 2).sum() for value in grad.values()))
        np.testing.assert_allclose(norms.total[n], expected, rtol=1e-10)
