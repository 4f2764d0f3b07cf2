"""vmap of choices and of loops with a condition: the results of each index, of JAX and of torch."""

import numpy as np
import pytest
from branch_models import BRANCHES, TARGETS, backend_of
from indexed_branches import ROWS, assert_each_row, compiled_of, countdown, countdown_data, row

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


def choice_data(name, mapped):
    draw = np.random.default_rng(3).normal
    keys = ml.Cond("large", *BRANCHES[name]()).input_keys
    shapes = {"x": (3, 4), "c": (4,)}
    data = {
        key: draw(size=(ROWS, *shape) if key in mapped else shape)
        for key, shape in shapes.items()
        if key in keys
    }
    data["large"] = np.array([True, False, False, True]) if "large" in mapped else np.array(True)
    return data


@pytest.mark.parametrize("mapped", [["x"], ["large"], ["x", "large"]])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BRANCHES)
@pytest.mark.sampled(5)
def test_a_choice_for_each_index(name, target, mapped):
    data = choice_data(name, mapped)
    assert_each_row(lambda: ml.Cond("large", *BRANCHES[name]()), data, mapped, target)


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("mapped", [["c"], ["c", "large"]])
def test_a_branch_that_reads_no_mapped_input(mapped, chosen):
    data = choice_data("one input each", mapped)
    data["large"] = np.full_like(data["large"], chosen)
    assert_each_row(lambda: ml.Cond("large", *BRANCHES["one input each"]()), data, mapped)


@pytest.mark.parametrize("sign", [1.0, -1.0, 0.0])
@pytest.mark.parametrize("target", TARGETS)
def test_the_branch_that_is_not_chosen_makes_no_nan(target, sign):
    """The logarithm of a negative number, and an infinite slope. JAX returns NaN here."""
    backend, to = backend_of(target)
    x, scale = ml.IOKey("x"), ml.IOKey("scale")
    choice = ml.Cond(
        ml.Model.create(positive=x.sum() > 0.0),
        ml.Model.create(y=(ml.Log()(x) + x.sqrt()) * scale),
        ml.Model.create(y=x * scale),
    )
    values = np.array([[1.0, 2.0], [-1.0, -2.0], [0.0, 0.0], [3.0, 4.0]])
    if sign:
        values = (np.abs(values) + 1.0) * sign
    many = compiled_of(ml.vmap(choice, in_axes={"x": 0}), {"x": values, "scale": 2.0}, backend)
    data = {"x": values, "scale": np.array(2.0)}
    out, grad = many.evaluate(
        {}, to(data), output_gradients=to({"y": np.ones((4, 2))}), gradient_keys=["x", "scale"]
    )
    positive = values.sum(axis=1, keepdims=True) > 0
    safe = np.where(positive, values, 1.0)
    y = np.where(positive, np.log(safe) + np.sqrt(safe), values)
    slope = np.where(positive, 1 / safe + 0.5 / np.sqrt(safe), 1.0)
    np.testing.assert_allclose(np.asarray(out["y"]), 2 * y, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(grad["x"]), 2 * slope, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(grad["scale"]), y.sum(), rtol=1e-12)


@pytest.mark.parametrize("mapped", [["h"], ["limit"], ["count"], ["h", "limit", "count"]])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(3)
def test_a_loop_with_a_condition_for_each_index(target, mapped):
    assert_each_row(countdown, countdown_data(mapped), mapped, target, gradients=False)


@pytest.mark.parametrize("mapped", [["h"], ["limit"], ["count"], ["h", "limit", "count"]])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(5)
def test_a_bounded_loop_for_each_index(target, mapped):
    assert_each_row(lambda: countdown(7), countdown_data(mapped), mapped, target)


def test_a_loop_in_an_index_that_has_ended():
    """The inner loop of such an index would run for ever."""
    y = ml.IOKey("y")
    inner = ml.While(
        ml.Model.create(goes_on=y < 10.0),
        ml.Model.create(y_next=y + y),
        carry={"y": "y_next"},
    )
    step = ml.Model()
    step |= inner(y="x", y_last="x_next")
    loop = ml.While(
        ml.Model.create(goes_on=(ml.IOKey("x") > 0.0) & (ml.IOKey("x") < 10.0)),
        step,
        carry={"x": "x_next"},
    )
    starts = np.array([0.0, 1.0, 3.0, -1.0])
    many = compiled_of(ml.vmap(loop, in_axes={"x": 0}), {"x": starts}, inference=True)
    np.testing.assert_array_equal(
        many.evaluate({}, {"x": starts})["x_last"], [0.0, 16.0, 12.0, -1.0]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_loops_are_those_of_jax(target):
    jax = pytest.importorskip("jax")
    backend, to = backend_of(target)
    data = countdown_data(["h", "limit"])
    in_axes = {"h": 0, "limit": 0}
    many = compiled_of(ml.vmap(countdown(), in_axes=in_axes), data, backend, inference=True)
    got = many.evaluate({}, to(data))

    def run(h, limit):
        return jax.lax.while_loop(
            lambda carry: (carry[0] ** 2).sum() > limit,
            lambda carry: (jax.numpy.sin(carry[0]) * 0.8, carry[1] + 1.0),
            (h, 0.0),
        )

    with jax.enable_x64(True):
        h, count = jax.vmap(run)(*(jax.numpy.asarray(data[key]) for key in ("h", "limit")))
    np.testing.assert_allclose(np.asarray(got["h_last"]), h, rtol=1e-12)
    np.testing.assert_array_equal(np.asarray(got["count_last"]), count)


@pytest.mark.parametrize("mapped", [["x"], ["h"], ["large"], ["x", "large"]])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(3)
def test_choices_in_loops_and_loops_in_choices(target, mapped):
    draw = np.random.default_rng(9).normal
    x, h = ml.IOKey("x", shape=[3]), ml.IOKey("h", shape=[3])

    def inner():
        return ml.Scan(
            ml.Model.create(h_next=(x * h).sin() + h),
            carry={"h": "h_next"},
            sequences=["x"],
            outputs=[],
        )

    def nested():
        turned = ml.Model.create(h_last=ml.IOKey("h", shape=[3]).cos())
        choice = ml.Cond(
            ml.Model.create(positive=ml.IOKey("h", shape=[3]).sum() > 0.0),
            inner(),
            turned,
        )
        outer = ml.Cond("large", choice, ml.Model.create(h_last=ml.IOKey("h", shape=[3]) * 0.5))
        return ml.Scan(outer, carry={"h": "h_last"}, sequences=["x"])

    data = {"x": draw(size=(3, 2, 3)), "h": draw(size=3), "large": np.array(True)}
    for key in mapped:
        shape = np.shape(data[key])
        value = draw(size=(ROWS, *shape))
        data[key] = value > 0.2 if key == "large" else value

    assert_each_row(nested, data, mapped, target)


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("target", TARGETS)
def test_sizes_may_be_open(target, rows):
    backend, to = backend_of(target)
    many = ml.compile(
        ml.vmap(countdown(4), in_axes={"h": 0, "limit": 0}),
        backend,
        shapes={"h": ["N", 3], "limit": ["N"], "count": []},
        data_keys=["h", "limit", "count"],
    )
    data = countdown_data(["h", "limit"])
    data = {key: value[:rows] if key in ("h", "limit") else value for key, value in data.items()}
    one = compiled_of(countdown(4), countdown_data([]))
    got = np.asarray(many.evaluate({}, to(data))["h_last"])
    assert got.shape == (rows, 3)
    for i in range(rows):
        expected = one.evaluate({}, row(data, ["h", "limit"], i))["h_last"]
        np.testing.assert_allclose(got[i], expected, rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_vmap_of_vmap_of_a_choice(target):
    backend, to = backend_of(target)
    x = ml.IOKey("x", shape=[2])
    choice = ml.Cond(
        ml.Model.create(positive=x.sum() > 0.0), ml.Model.create(y=x.sin()), ml.Model.create(y=x**3)
    )
    values = np.random.default_rng(4).normal(size=(3, 5, 2))
    twice = ml.vmap(ml.vmap(choice, in_axes={"x": 0}), in_axes={"x": 0})
    compiled = compiled_of(twice, {"x": values}, backend)
    out, grad = compiled.evaluate(
        {},
        to({"x": values}),
        output_gradients=to({"y": np.ones_like(values)}),
        gradient_keys=["x"],
    )
    positive = values.sum(-1, keepdims=True) > 0
    np.testing.assert_allclose(
        np.asarray(out["y"]), np.where(positive, np.sin(values), values**3), rtol=1e-12
    )
    np.testing.assert_allclose(
        np.asarray(grad["x"]), np.where(positive, np.cos(values), 3 * values**2), rtol=1e-12
    )


def random_model(seed):
    """A choice between random functions of x [2, 3] and w [3], or a bounded loop over one."""
    random = np.random.default_rng(seed)

    def function(name):
        x, w = ml.IOKey("x", shape=[2, 3]), ml.IOKey("w", shape=[3])
        made = [x, x * w]
        for _ in range(int(random.integers(1, 5))):
            some = made[random.integers(len(made))]
            other = made[random.integers(len(made))]
            rule = random.integers(6)
            made.append(
                [
                    lambda a, b: a.sin(),
                    lambda a, b: a * b * 0.3,
                    lambda a, b: a + b,
                    lambda a, b: ml.Softmax(axis=-1)(a),
                    lambda a, b: a @ (b.transpose((1, 0)) @ a) * 0.1,
                    lambda a, b: a - b.mean(axis=0, keepdim=True),
                ][rule](some, other)
            )
        return ml.Model.create(**{name: ml.Buffer()(made[-1])})

    def condition():
        x, w = ml.IOKey("x", shape=[2, 3]), ml.IOKey("w", shape=[3])
        return ml.Model.create(go=(x * w if random.integers(2) else x).sum() > random.normal())

    kind = random.integers(4)
    if kind == 0:
        return ml.Cond(condition(), function("y"), function("y"))
    if kind == 1:
        return ml.While(condition(), function("y"), carry={"x": "y"}, max_steps=3)
    if kind == 2:
        inner = ml.Cond(condition(), function("y"), function("y"))
        return ml.Cond(condition(), inner, function("y"))
    step = ml.Cond(condition(), function("y"), function("y"))
    return ml.Scan(step, carry={"x": "y"}, length=2)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sampled(5)
def test_random_choices(seed):
    random = np.random.default_rng(100 + seed)
    mapped = [["x"], ["w"], ["x", "w"]][seed % 3]
    data = {"x": random.normal(size=(2, 3)), "w": random.normal(size=3)}
    keys = random_model(seed).input_keys
    mapped = [key for key in mapped if key in keys] or ["x"]
    data = {
        key: random.normal(size=(ROWS, *value.shape)) if key in mapped else value
        for key, value in data.items()
        if key in keys
    }
    target = TARGETS[seed % len(TARGETS)]
    assert_each_row(lambda: random_model(seed), data, mapped, target)


def test_ops_without_a_rule_in_a_branch_are_named():
    x = ml.IOKey("x", shape=[3])
    first = ml.Model()
    first |= ml.Unique()(input="x", output="values")
    first |= ml.Sum()(input="values", output="y")
    first.expose_keys("y")
    choice = ml.Cond("c", first, ml.Model.create(y=x.sum()))
    with pytest.raises(ml.ValueError, match="an op unique: it has no batching rule") as raised:
        ml.compile(ml.vmap(choice, in_axes={"x": 0}), CPU, data_keys=["x"], shapes={"x": [2, 3]})
    assert raised.value.code == "E0427"


@pytest.mark.parametrize("target", TARGETS)
def test_ints_and_bools_of_a_choice(target):
    backend, to = backend_of(target)
    x, n = ml.IOKey("x", shape=[3]), ml.IOKey("n", shape=[3], type=ml.Tensor[int])
    choice = ml.Cond(
        "c",
        ml.Model.create(positive=x > 0.0, more=n + 1, same=ml.Buffer()(n)),
        ml.Model.create(positive=x < 1.0, more=n * n, same=n - 1),
    )
    draw = np.random.default_rng(0).normal
    data = {
        "x": draw(size=(4, 3)),
        "n": np.arange(12).reshape(4, 3),
        "c": np.array([True, False, True, False]),
    }
    mapped = ml.vmap(choice, in_axes={"x": 0, "n": 0, "c": 0})
    out = compiled_of(mapped, data, backend, inference=True).evaluate({}, to(data))
    c, x, n = data["c"][:, None], data["x"], data["n"]
    np.testing.assert_array_equal(np.asarray(out["positive"]), np.where(c, x > 0, x < 1))
    np.testing.assert_array_equal(np.asarray(out["more"]), np.where(c, n + 1, n * n))
    np.testing.assert_array_equal(np.asarray(out["same"]), np.where(c, n, n - 1))


def test_an_ensemble_of_choices():
    net = ml.Cond("c", ml.Linear(2, name="first"), ml.Linear(2, name="second"))
    data = {"input": np.random.default_rng(0).normal(size=(3, 2)), "c": np.arange(4) % 2 == 0}
    compiled = compiled_of(ml.vmap(net, params="*", in_axes={"c": 0}), data)
    params = compiled.get_parameters()
    out = compiled.evaluate(params, data)["output"]
    for i, chosen in enumerate(data["c"]):
        layer = "first" if chosen else "second"
        weight, bias = (np.asarray(params[f"{layer}.{key}"])[i] for key in ("weight", "bias"))
        np.testing.assert_allclose(out[i], data["input"] @ weight.T + bias, rtol=1e-12)


def noisy_choice():
    """Dropout in one branch, and a loop with dropout in the other."""
    step = ml.Model()
    step |= ml.Dropout(0.5)(input="h", output="a")
    step |= ml.Buffer()(input=step.a * 0.5, output="h_next")
    step.expose_keys("h_next")
    loop, first, second = ml.Scan(step, carry={"h": "h_next"}, length=2), ml.Model(), ml.Model()
    first |= ml.Dropout(0.5)(input="x", output="y")
    second |= loop(h="x", h_last="y")
    second.expose_keys("y")
    return ml.Cond("large", first, second)


@pytest.mark.parametrize("large", [True, False])
@pytest.mark.parametrize("target", TARGETS)
def test_branches_draw_for_each_index(target, large):
    """The key of the branch that runs advances as it does without a vmap. The gradient reads the
    same mask."""
    backend, to = backend_of(target)
    shapes = {"x": [ROWS, 64], "large": []}
    compiled = ml.compile(
        ml.vmap(noisy_choice(), in_axes={"x": 0}), backend, shapes=shapes, data_keys=["x", "large"]
    )
    alone = ml.compile(noisy_choice(), CPU, shapes={"x": [64]}, data_keys=["x", "large"])
    start = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    data = {"x": np.ones((ROWS, 64)), "large": np.array(large)}
    out, grad, after = compiled.evaluate(
        to({}),
        to(data),
        output_gradients=to({"y": np.ones((ROWS, 64))}),
        gradient_keys=["x"],
        state=to(start),
    )
    masks = np.asarray(out["y"])
    assert set(np.unique(masks)) <= {0.0, 1.0, 2.0}
    assert len({mask.tobytes() for mask in masks}) == ROWS
    np.testing.assert_array_equal(np.asarray(grad["x"]), masks)
    _, expected = alone.evaluate(
        {},
        {"x": np.ones(64), "large": np.array(large)},
        state={key.removeprefix("cond."): value for key, value in start.items()},
    )
    assert {key: int(np.asarray(value)) for key, value in after.items()} == {
        f"cond.{key}": int(value) for key, value in expected.items()
    }


@pytest.mark.parametrize("limit", [0.0, 2.0])
@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_with_one_condition_draws_for_each_index(target, limit):
    """Its key advances as it does without a vmap."""
    backend, to = backend_of(target)

    def counted():
        body = ml.Model(name="body")
        body |= ml.Dropout(0.5)(input="h", output="dropped")
        body |= ml.Buffer()(input=body.dropped * 0.5, output="h_next")
        body |= ml.Buffer()(input=ml.IOKey("n", shape=[]) + 1.0, output="n_next")
        body.expose_keys("h_next", "n_next")
        goes_on = ml.Model.create(goes_on=ml.IOKey("n", shape=[]) < ml.IOKey("limit", shape=[]))
        return ml.While(goes_on, body, carry={"h": "h_next", "n": "n_next"})

    keys, shapes = ["h", "n", "limit"], {"n": [], "limit": []}
    compiled = ml.compile(
        ml.vmap(counted(), in_axes={"h": 0}), backend, shapes={"h": [ROWS, 64]}, data_keys=keys
    )
    alone = ml.compile(counted(), CPU, shapes={"h": [64]} | shapes, data_keys=keys)
    start = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    numbers = {"n": np.array(0.0), "limit": np.array(limit)}
    out, after = compiled.evaluate(
        to({}), to(numbers | {"h": np.ones((ROWS, 64))}), state=to(start)
    )
    rows = np.asarray(out["h_last"])
    assert set(np.unique(rows)) <= {0.0, 1.0}
    assert len({row.tobytes() for row in rows}) == (ROWS if limit else 1)
    np.testing.assert_array_equal(np.asarray(out["n_last"]), np.full(ROWS, limit))
    (value,), (state,) = after.values(), start.values()
    (key,) = alone.initial_state_dict
    _, expected = alone.evaluate({}, numbers | {"h": np.ones(64)}, state={key: state})
    assert int(np.asarray(value)) == int(expected[key])
