"""States of the conditions of choices and of loops."""

import pickle

import numpy as np
import pytest
from branch_models import TARGETS, backend_of

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
H = np.random.default_rng(0).normal(size=(5, 4))
STEPS = 6


def drops():
    """True while the sum of what dropout leaves of |h| + 1 is above the limit."""
    model = ml.Model(name="drops")
    model |= ml.Dropout(0.5)(input=ml.IOKey("h", shape=[5, 4]).abs() + 1.0, output="y")
    model |= ml.Buffer()(input=model.y.sum() > ml.IOKey("limit", shape=[]), output="c")
    model.expose_keys("c")
    return model


def drops_too():
    """A body with a state and a parameter."""
    model = ml.Model(name="body")
    model |= ml.Linear(4)(input="h", output="a")
    model |= ml.Dropout(0.2)(input="a", output="b")
    model |= ml.Buffer()(input=ml.Tanh()(model.b) * 0.9, output="h_next")
    model.expose_keys("h_next")
    model.set_shapes(h=[5, 4])
    return model


def plain():
    return ml.Model.create(h_next=ml.IOKey("h", shape=[5, 4]) * 0.5)


def compiled_of(model, backend=CPU):
    keys = [key for key in ("h", "limit") if key in model.input_keys]
    return ml.compile(model, backend, data_keys=keys)


def states(values, part):
    """The value of the only state of this part."""
    (value,) = [value for key, value in values.items() if f"{part}." in f".{key}"]
    return np.asarray(value)


def evaluate_alone(model, params, data, state):
    """The only output of a model, and its next state."""
    compiled = compiled_of(model)
    own = {
        key: next(value for path, value in params.items() if path.endswith(key))
        for key in compiled.parameter_keys
    }
    (key,) = compiled.initial_state_dict
    data = {name: value for name, value in data.items() if name in compiled.input_keys}
    out, after = compiled.evaluate(own, data, state={key: state})
    return np.asarray(next(iter(out.values()))), np.asarray(after[key])


def written_out(params, h, limit, start, most):
    """The carry after the loop, the number of steps, and the states of condition and body."""
    of_condition, of_body = states(start, "drops"), states(start, "body")
    steps = 0
    while most is None or steps < most:
        data = {"h": h, "limit": limit}
        goes_on, of_condition = evaluate_alone(drops(), params, data, of_condition)
        if not goes_on:
            break
        h, of_body = evaluate_alone(drops_too(), params, data, of_body)
        steps += 1
    return h, steps, of_condition, of_body


def weights(compiled):
    draw = np.random.default_rng(3).normal
    made = sorted(compiled.get_parameters().items())
    return {key: draw(size=np.shape(value)) for key, value in made}


@pytest.mark.parametrize("limit", [21.0, 30.0, 60.0])
@pytest.mark.parametrize("most", [None, STEPS])
@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_ends_with_the_first_condition_that_is_false(target, most, limit):
    """Later draws of the condition might be true again. Its state is that of the last draw."""
    backend, to = backend_of(target)
    loop = ml.While(drops(), drops_too(), carry={"h": "h_next"}, max_steps=most)
    assert (loop.input_keys[:2], loop.output_keys) == (["h", "limit"], ["h_last"])
    compiled = compiled_of(loop, backend)
    params, data = weights(compiled), {"h": H * 3, "limit": np.array(limit)}
    state = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    for _ in range(2):
        h, _, of_condition, of_body = written_out(params, data["h"], limit, state, most)
        out, after = compiled.evaluate(to(params), to(data), state=to(state))
        np.testing.assert_allclose(np.asarray(out["h_last"]), h, rtol=1e-12)
        assert states(after, "drops") == of_condition
        assert states(after, "body") == of_body
        state = {key: np.asarray(value) for key, value in after.items()}


@pytest.mark.parametrize("target", TARGETS)
def test_the_gradient_of_a_loop_reads_the_same_draws(target):
    """The steps that ran, with their masks, written out."""
    backend, to = backend_of(target)
    loop = ml.While(drops(), drops_too(), carry={"h": "h_next"}, max_steps=STEPS)
    compiled = compiled_of(loop, backend)
    params, seed = weights(compiled), np.random.default_rng(9).normal(size=(5, 4))
    start = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    limit = 30.0
    _, steps, *_ = written_out(params, H * 3, limit, start, STEPS)
    assert 0 < steps < STEPS
    flat, first, before = ml.Model(), drops_too(), "h"
    for t in range(steps):
        part = first if t == 0 else first.shared()
        flat |= part(h=before, h_next=f"y_{t}")
        before = f"y_{t}"
    flat.expose_keys(before)
    one = compiled_of(flat)
    own = {
        key: next(value for path, value in params.items() if path.endswith(key.split("body.")[1]))
        for key in one.parameter_keys
    }
    (key,) = one.initial_state_dict
    _, expected, _ = one.evaluate(
        own,
        {"h": H * 3},
        output_gradients={before: seed},
        gradient_keys=["h", *own],
        state={key: states(start, "body")},
    )
    _, got, _ = compiled.evaluate(
        to(params),
        to({"h": H * 3, "limit": np.array(limit)}),
        output_gradients=to({"h_last": seed}),
        gradient_keys=["h", *params],
        state=to(start),
    )
    for name, value in expected.items():
        tail = name.rpartition("body.")[2]
        (made,) = [made for path, made in got.items() if path.endswith(tail)]
        np.testing.assert_allclose(np.asarray(made), value, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("target", TARGETS)
def test_a_choice_by_a_condition_that_draws(target):
    backend, to = backend_of(target)
    choice = ml.Cond(drops(), drops_too(), plain())
    compiled = compiled_of(choice, backend)
    params = weights(compiled)
    state = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    seen = set()
    for _ in range(8):
        data = {"h": H, "limit": np.array(33.0)}
        chosen, of_condition = evaluate_alone(drops(), params, data, states(state, "drops"))
        of_body = states(state, "body")
        expected = H * 0.5
        if chosen:
            expected, of_body = evaluate_alone(drops_too(), params, data, of_body)
        out, after = compiled.evaluate(to(params), to(data), state=to(state))
        np.testing.assert_allclose(np.asarray(out["h_next"]), expected, rtol=1e-12)
        assert states(after, "drops") == of_condition
        assert states(after, "body") == of_body
        state = {key: np.asarray(value) for key, value in after.items()}
        seen.add(bool(chosen))
    assert seen == {True, False}


def test_a_batch_norm_in_a_condition():
    """In inference its statistics stay, in training they take in each batch of the loop."""
    norm = ml.Model(name="norm")
    norm |= ml.BatchNorm1D(use_scale=False, use_bias=False)(input="h", output="y")
    norm |= ml.Buffer()(input=norm.y.abs().sum() > 1.0, output="c")
    norm.expose_keys("c")
    loop = ml.While(norm, plain(), carry={"h": "h_next"}, max_steps=3)
    compiled = compiled_of(loop)
    start = compiled.initial_state_dict
    _, after = compiled.evaluate({}, {"h": H}, state=start)
    mean = states({key: value for key, value in after.items() if "mean" in key}, "norm")
    expected = np.zeros(4)
    for t in range(3):
        expected = 0.9 * expected + 0.1 * (H * 0.5**t).mean(0)
    np.testing.assert_allclose(mean, expected, rtol=1e-12)
    same = ml.compile(loop.copy(), CPU, data_keys=["h"], inference=True)
    _, kept = same.evaluate({}, {"h": H}, state=start)
    assert all(np.array_equal(kept[key], start[key]) for key in start)


@pytest.mark.parametrize("most", [None, STEPS])
def test_files_and_copies_keep_a_condition_with_a_state(most):
    loop = ml.While(drops(), drops_too(), carry={"h": "h_next"}, max_steps=most)
    again = ml.Model.from_json(loop.to_json())
    assert again == loop
    data = {"h": H, "limit": np.array(30.0)}
    one = compiled_of(loop.copy())
    params, start = weights(one), one.initial_state_dict
    out, _ = one.evaluate(params, data, state=start)
    for other in (again, pickle.loads(pickle.dumps(loop))):
        got, _ = compiled_of(other).evaluate(params, data, state=start)
        np.testing.assert_array_equal(got["h_last"], out["h_last"])


def test_a_flag_has_a_name_of_its_own():
    condition = ml.Model()
    condition |= ml.Dropout(0.5)(input="goes_on", output="y")
    condition |= ml.Buffer()(input=condition.y.sum() > 100.0, output="c")
    condition.expose_keys("c")
    body = ml.Model.create(goes_on_next=ml.IOKey("goes_on", shape=[3]) * 0.5)
    loop = ml.While(condition, body, carry={"goes_on": "goes_on_next"}, max_steps=3)
    assert (loop.input_keys, loop.output_keys) == (["goes_on"], ["goes_on_last"])
    compiled = ml.compile(loop, CPU, data_keys=["goes_on"])
    data = {"goes_on": np.ones(3)}
    out, _ = compiled.evaluate({}, data, state=compiled.initial_state_dict)
    np.testing.assert_array_equal(out["goes_on_last"], data["goes_on"])
