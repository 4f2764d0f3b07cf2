"""vmap of loops: the results of each index alone, and of jax.vmap and torch.func."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of
from loop_models import BACKEND, BODIES, data_of, parameters_of

import mithril as ml

ROWS, STEPS = 3, 4


def loop(name="elman", **options):
    make, carry = BODIES[name]
    given = {"carry": carry, "sequences": ["x"], "outputs": ["y", "h_next"]}
    return ml.Scan(make(), **(given | options))


def data_for(name="elman", steps=STEPS):
    make, carry = BODIES[name]
    return data_of(steps, carry, make)


def compiled_of(model, data, backend=BACKEND, **options):
    shapes = {key: list(np.shape(value)) for key, value in data.items()}
    return ml.compile(model, backend, shapes=shapes, data_keys=list(data), **options)


def rows_of(values, mapped, rows=ROWS):
    """Other values for each index of the mapped inputs."""
    draw = np.random.default_rng(7).normal
    return {
        key: np.asarray(value) + 0.3 * draw(size=(rows, *np.shape(value)))
        if key in mapped
        else value
        for key, value in values.items()
    }


def row(values, mapped, i):
    return {key: value[i] if key in mapped else value for key, value in values.items()}


def assert_each_row(make, data, mapped, params=(), rows=None):
    """The mapped model has the outputs and the gradients of the model for each index."""
    rows = rows or rows_of(data, mapped)
    one = compiled_of(make(), data)
    many = compiled_of(ml.vmap(make(), in_axes=dict.fromkeys([*mapped, *params], 0)), rows)
    own = parameters_of(one)
    all_params = rows_of(own, params)
    out = many.evaluate(all_params, rows)
    draw = np.random.default_rng(5).normal
    seeds = {
        key: draw(size=np.shape(value)) for key, value in out.items() if value.dtype == np.float64
    }
    wanted = [key for key, value in data.items() if np.asarray(value).dtype == np.float64] + [*own]
    _, grad = many.evaluate(all_params, rows, output_gradients=seeds, gradient_keys=wanted)
    total = dict.fromkeys(wanted, 0.0)
    for i in range(ROWS):
        expected, expected_grad = one.evaluate(
            row(all_params, params, i),
            row(rows, mapped, i),
            output_gradients={key: value[i] for key, value in seeds.items()},
            gradient_keys=wanted,
        )
        for key, value in expected.items():
            np.testing.assert_allclose(out[key][i], value, rtol=1e-12, atol=1e-12, err_msg=key)
        for key, value in expected_grad.items():
            total[key] = total[key] + np.asarray(value)
            if key in mapped or key in params:
                np.testing.assert_allclose(grad[key][i], value, rtol=1e-10, atol=1e-12, err_msg=key)
    for key in set(wanted) - set(mapped) - set(params):
        np.testing.assert_allclose(grad[key], total[key], rtol=1e-10, atol=1e-11, err_msg=key)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("mapped", [["x"], ["h"], ["x", "h"]])
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_for_each_index(name, mapped, reverse):
    assert_each_row(lambda: loop(name, reverse=reverse), data_for(name), mapped)


@pytest.mark.parametrize("mapped", [[], ["x"]])
@pytest.mark.parametrize(
    "params",
    [["model.linear.weight", "model.linear.bias", "model.linear_1.weight"], ["model.linear.bias"]],
)
def test_an_ensemble_of_recurrent_networks(params, mapped):
    assert_each_row(loop, data_for(), mapped, params)


def test_members_of_an_ensemble_begin_apart():
    many = ml.vmap(loop(), params="*", size=ROWS)
    members = compiled_of(many, data_for()).get_parameters()
    for value in members.values():
        if np.any(value):
            assert not np.array_equal(value[0], value[1])


def test_a_loop_without_steps():
    data = data_for(steps=0)
    rows = rows_of(data, ["h"])
    out = compiled_of(ml.vmap(loop(), in_axes={"h": 0}), rows).evaluate(
        parameters_of(compiled_of(loop(), data)), rows
    )
    np.testing.assert_array_equal(out["h_last"], rows["h"])
    assert np.shape(out["y"]) == (ROWS, 0, 3)


def test_sizes_may_be_open():
    many = ml.compile(
        ml.vmap(loop(), in_axes={"x": 0}),
        BACKEND,
        shapes={"x": [None, None, 3, 2], "h": [3, 4]},
        data_keys=["x", "h"],
    )
    params = parameters_of(many)
    for rows, steps in ((2, 3), (5, 1), (1, 4)):
        data = data_for(steps=steps)
        given = rows_of(data, ["x"], rows)
        out, grad = many.evaluate(params, given, output_gradients={"y": np.ones((rows, steps, 3))})
        one = compiled_of(loop(), data)
        total = dict.fromkeys(params, 0.0)
        for i in range(rows):
            expected, part = one.evaluate(
                params, row(given, ["x"], i), output_gradients={"y": np.ones((steps, 3))}
            )
            np.testing.assert_allclose(out["y"][i], expected["y"], rtol=1e-12, atol=1e-12)
            total = {key: total[key] + np.asarray(part[key]) for key in params}
        for key, value in total.items():
            np.testing.assert_allclose(grad[key], value, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_axes_of_the_steps_and_of_the_indices(axis):
    data = data_for() | {"x": np.moveaxis(data_for()["x"], 0, axis)}
    rows = rows_of(data, ["x"])
    one = compiled_of(loop(axis=axis), data)
    moved = rows | {"x": np.moveaxis(rows["x"], 0, 2)}
    many = compiled_of(ml.vmap(loop(axis=axis), in_axes={"x": 2}, out_axes={"y": 1}), moved)
    params = parameters_of(one)
    out = many.evaluate(params, moved)
    for i in range(ROWS):
        expected = one.evaluate(params, row(rows, ["x"], i))
        np.testing.assert_allclose(np.asarray(out["y"])[:, i], expected["y"], rtol=1e-12)
        np.testing.assert_allclose(out["h_next"][i], expected["h_next"], rtol=1e-12)


@pytest.mark.parametrize("mapped", [["x"], ["x", "lengths"]])
def test_samples_of_different_lengths(mapped):
    data = data_for() | {"lengths": np.array([4, 2, 0])}
    rows = rows_of(data, ["x"])
    if "lengths" in mapped:
        rows["lengths"] = np.array([[4, 2, 0], [1, 1, 3], [0, 4, 4]])
    assert_each_row(lambda: loop(lengths="lengths"), data, mapped, rows=rows)


def test_a_loop_in_a_loop():
    def nested():
        inner = loop(outputs=["y"])
        return ml.Scan(inner, carry={"h": "h_last"}, sequences=["x"], outputs=["y"])

    data = data_for(steps=6)
    data["x"] = data["x"].reshape(2, 3, 3, 2)
    assert_each_row(nested, data, ["x"])
    assert_each_row(nested, data, ["h"], ["scan.model.linear.weight"])


def test_carries_become_batched_one_after_the_other():
    """Each carry reads the one before: the last one has the axis after three steps."""
    x, a, b, c = (ml.IOKey(name, shape=[2]) for name in "xabc")

    def chain():
        step = ml.Model.create(a_next=a * 0.5 + x, b_next=b + a, c_next=c * b, d_next=x * 2.0)
        return ml.Scan(
            step,
            carry={"a": "a_next", "b": "b_next", "c": "c_next"},
            sequences=["x"],
            outputs=["d_next"],
        )

    draw = np.random.default_rng(1).normal
    data = {"x": draw(size=(4, 2))} | {key: draw(size=2) for key in "abc"}
    for mapped in (["a"], ["b"], ["c"], ["x"]):
        assert_each_row(chain, data, mapped)


def test_a_batched_carry_whose_next_value_is_not():
    x, h = ml.IOKey("x", shape=[2]), ml.IOKey("h", shape=[2])

    def shifted():
        step = ml.Model.create(h_next=x * 1.0, y=h + x)
        return ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y"])

    draw = np.random.default_rng(1).normal
    assert_each_row(shifted, {"x": draw(size=(4, 2)), "h": draw(size=2)}, ["h"])


def test_vmap_of_vmap():
    data = data_for()
    x = np.random.default_rng(2).normal(size=(2, ROWS, *data["x"].shape))
    inner = ml.vmap(loop(), in_axes={"x": 0})
    twice = compiled_of(ml.vmap(inner, in_axes={"x": 0}), data | {"x": x})
    one = compiled_of(loop(), data)
    params = parameters_of(one)
    got = twice.evaluate(params, data | {"x": x})["y"]
    for i in range(2):
        for j in range(ROWS):
            expected = one.evaluate(params, data | {"x": x[i, j]})["y"]
            np.testing.assert_allclose(got[i, j], expected, rtol=1e-12, atol=1e-12)


def cost(name="elman"):
    net = ml.Model()
    make, carry = BODIES[name]
    ports = {key: key for key in data_of(1, carry, make)}
    net |= loop(name, outputs=["y"])(**ports, y="y")
    net |= ml.Multiply()(left="y", right="y", output="squares")
    net |= ml.Sum()(input="squares", output="cost")
    net.expose_keys("cost")
    return net


@pytest.mark.parametrize("name", BODIES)
def test_the_gradient_of_each_index(name):
    data, keys = data_for(name), ["x", "h", "*weight"]
    rows = rows_of(data, ["x"])
    one = compiled_of(ml.Gradient(cost(name), of="cost", wrt=keys), data)
    many = compiled_of(
        ml.vmap(ml.Gradient(cost(name), of="cost", wrt=keys), in_axes={"x": 0}), rows
    )
    params = parameters_of(one)
    got = many.evaluate(params, rows)
    for i in range(ROWS):
        for key, value in one.evaluate(params, row(rows, ["x"], i)).items():
            np.testing.assert_allclose(got[key][i], value, rtol=1e-10, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_a_jacobian(mode):
    data = data_for()
    net = ml.Model()
    net |= loop(outputs=[])(x="x", h="h", h_last="out")
    compiled = compiled_of(ml.Jacobian(net, of="out", wrt=["h", "*1.weight"], mode=mode), data)
    params = parameters_of(compiled)
    out = compiled.evaluate(params, data)
    plain = ml.Model()
    plain |= loop(outputs=[])(x="x", h="h", h_last="out")
    one = compiled_of(plain, data)
    weight = next(key for key in params if key.endswith("1.weight"))
    for unit in np.ndindex(3, 4):
        seed = np.zeros((3, 4))
        seed[unit] = 1
        _, grad = one.evaluate(
            params, data, output_gradients={"out": seed}, gradient_keys=["h", weight]
        )
        for key, value in grad.items():
            got = np.asarray(out[f"{key}.jacobian"])[unit]
            np.testing.assert_allclose(got, value, rtol=1e-10, atol=1e-12, err_msg=key)


def unrolled_cost(x, h, weight, bias, recurrent):
    total = 0.0
    for item in x:
        h = (item @ weight.T + bias + h @ recurrent.T).tanh()
        total = total + (h.sum(-1) ** 2).sum()
    return total


def test_a_hessian_is_that_of_torch():
    torch = pytest.importorskip("torch")
    data = data_for()
    keys = ["scan.model.linear.bias", "h"]
    compiled = compiled_of(ml.Hessian(cost(), of="cost", wrt=keys), data)
    params = parameters_of(compiled)
    out = compiled.evaluate(params, data)
    weight, bias, recurrent = (torch.from_numpy(np.asarray(value)) for value in params.values())
    x, h = torch.from_numpy(data["x"]), torch.from_numpy(data["h"])
    by_bias = torch.func.hessian(lambda b: unrolled_cost(x, h, weight, b, recurrent))(bias)
    by_h = torch.func.hessian(lambda h: unrolled_cost(x, h, weight, bias, recurrent))(h)
    for key, value in zip(keys, (by_bias, by_h), strict=True):
        np.testing.assert_allclose(out[f"{key}.hessian"], value, rtol=1e-9, atol=1e-10)


def test_gradients_of_each_index_are_those_of_torch_and_jax():
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    data = data_for()
    rows = rows_of(data, ["x"])
    wrt = ["scan.model.linear.weight"]
    each = ml.vmap(ml.Gradient(cost(), of="cost", wrt=wrt), in_axes={"x": 0})
    compiled = compiled_of(each, rows)
    params = parameters_of(compiled)
    got = compiled.evaluate(params, rows)[f"{wrt[0]}.grad"]
    values = [np.asarray(value) for value in params.values()]
    weight, bias, recurrent = (torch.from_numpy(value) for value in values)
    h = torch.from_numpy(rows["h"])

    def by_weight(x):
        return torch.func.grad(lambda w: unrolled_cost(x, h, w, bias, recurrent))(weight)

    expected = torch.func.vmap(by_weight)(torch.from_numpy(rows["x"]))
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-11)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():

        def scanned(w, x):
            def step(h, item):
                h = jax.numpy.tanh(item @ w.T + values[1] + h @ values[2].T)
                return h, (h.sum(-1) ** 2).sum()

            return jax.lax.scan(step, jax.numpy.asarray(rows["h"]), x)[1].sum()

        gradient = jax.vmap(jax.grad(scanned), (None, 0))
        expected = gradient(jax.numpy.asarray(values[0]), jax.numpy.asarray(rows["x"]))
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("target", TARGETS[2:])
def test_other_backends(target):
    backend, to = backend_of(target)
    rows = rows_of(data_for(), ["x"])

    def model():
        return ml.vmap(ml.Gradient(cost(), of="cost", wrt=["*weight"]), in_axes={"x": 0})

    one, other = compiled_of(model(), rows), compiled_of(model(), rows, backend)
    params = parameters_of(one)
    expected = one.evaluate(params, rows)
    got = other.evaluate(
        to(params),
        to(rows),
    )
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=1e-10, atol=1e-12, err_msg=key)


def noisy():
    step = ml.Model()
    step |= ml.Dropout(0.5)(input="x", output="y")
    return ml.Scan(step, sequences=["x"], outputs=["y"])


@pytest.mark.parametrize("nested", [False, True])
def test_dropout_in_a_loop_draws_for_each_step_and_index(nested):
    made = ml.Scan(noisy(), sequences=["x"], outputs=["y"]) if nested else noisy()
    ones = np.ones((ROWS, 2, STEPS, 64) if nested else (ROWS, STEPS, 64))
    compiled = compiled_of(ml.vmap(made, in_axes={"x": 0}), {"x": ones})
    start = compiled.initial_state_dict
    out, state = compiled.evaluate({}, {"x": ones}, state=start)
    masks = np.asarray(out["y"]).reshape(-1, 64)
    assert len({mask.tobytes() for mask in masks}) == len(masks)
    steps = len(masks) // ROWS
    assert [int(value) for value in state.values()] == [int(v) + steps for v in start.values()]


def test_ops_without_a_rule_are_named():
    step = ml.Model()
    step |= ml.Unique()(input="x", output="y")
    step.set_shapes({"x": [4]})
    distinct = ml.Scan(step, sequences=["x"], outputs=["y"])
    with pytest.raises(ml.ValueError) as caught:
        compiled_of(ml.vmap(distinct, in_axes={"x": 0}), {"x": np.ones((2, 3, 4))})
    assert caught.value.code == "E0427"
    assert "unique" in str(caught.value)


def test_the_length_has_no_index():
    h = ml.IOKey("h", shape=[2])
    counted = ml.Scan(
        ml.Model.create(h_next=h * 0.5), carry={"h": "h_next"}, outputs=[], length=ml.IOKey("n")
    )
    with pytest.raises(ml.TypeError) as caught:
        compiled_of(ml.vmap(counted, in_axes={"n": 0}), {"h": np.ones(2)})
    assert str(caught.value).startswith("mithril.TypeError[E0301]: scan: port 'n': types differ\n")
