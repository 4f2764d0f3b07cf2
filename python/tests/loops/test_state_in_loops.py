"""States of the bodies of loops: dropout draws in each step, batch norm averages over all steps."""

import pickle

import numpy as np
import pytest
from branch_models import TARGETS, backend_of
from loop_models import BACKEND, parameters_of

import mithril as ml

SHAPES = {"x": [None, 3, 4], "h": [3, 4]}
KEY, MEAN = "model.dropout.key", "model.batchnorm1d.running_mean"


def body() -> ml.Model:
    step = ml.Model()
    step |= ml.Add()(left="x", right="h", output="sum")
    step |= ml.Linear(4)(input="sum", output="a")
    step |= ml.BatchNorm1D()(input="a", output="b")
    step |= ml.Dropout(0.5)(input="b", output="c")
    step |= ml.Tanh()(input="c", output="h_next")
    return step


def loop(make=body, **options) -> ml.Model:
    given = {"carry": {"h": "h_next"}, "sequences": ["x"], "outputs": ["h_next"]}
    return ml.Scan(make(), **(given | options))


def unrolled(steps, make=body) -> ml.Model:
    """Places that advance one state after the other."""
    model, first = ml.Model(), make()
    x, before = ml.IOKey("x"), "h"
    for t in range(steps):
        part = first if t == 0 else first.shared()
        model |= part(x=x[t], h=before, h_next=f"y_{t}")
        before = f"y_{t}"
    return model


def data_of(steps):
    draw = np.random.default_rng(0).normal
    return {"x": draw(size=(steps, 3, 4)), "h": draw(size=(3, 4))}


def compiled_pair(steps, **options):
    given = {"shapes": SHAPES | {"x": [steps, 3, 4]}, "data_keys": ["x", "h"]} | options
    return ml.compile(loop(), BACKEND, **given), ml.compile(unrolled(steps), BACKEND, **given)


def ones(rows, p=0.5, **options):
    """What dropout makes of ones in each step."""
    step = ml.Model()
    step |= ml.Dropout(p, **options)(input="x", output="y")
    return ml.Scan(step, sequences=["x"], outputs=["y"])


def test_each_step_draws_other_numbers():
    compiled = ml.compile(ones(64), BACKEND, shapes={"x": [None, 64]})
    out, state = compiled.evaluate({}, {"x": np.ones((3, 64))}, state=compiled.initial_state_dict)
    masks = np.asarray(out["y"])
    assert set(np.unique(masks)) == {0.0, 2.0}
    assert len({mask.tobytes() for mask in masks}) == 3
    again, _ = compiled.evaluate({}, {"x": np.ones((3, 64))}, state=state)
    assert len({mask.tobytes() for mask in [*masks, *np.asarray(again["y"])]}) == 6


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_loop_equals_its_steps(steps):
    compiled, expected = compiled_pair(steps)
    assert set(compiled.initial_state_dict) == set(expected.initial_state_dict)
    params, data = parameters_of(compiled), data_of(steps)
    state = expected_state = expected.initial_state_dict
    draw = np.random.default_rng(2).normal
    for _ in range(2):
        seeds = {"h_next": draw(size=(steps, 3, 4)), "h_last": draw(size=(3, 4))}
        flat_seeds = {f"y_{t}": seeds["h_next"][t].copy() for t in range(steps)}
        flat_seeds[f"y_{steps - 1}"] += seeds["h_last"]
        wanted = ["x", "h", *params]
        out, grad, state = compiled.evaluate(
            params, data, output_gradients=seeds, gradient_keys=wanted, state=state
        )
        flat, flat_grad, expected_state = expected.evaluate(
            params,
            data,
            output_gradients=flat_seeds,
            gradient_keys=wanted,
            state=expected_state,
        )
        for t in range(steps):
            np.testing.assert_allclose(out["h_next"][t], flat[f"y_{t}"], rtol=1e-12, atol=1e-12)
        for key in wanted:
            np.testing.assert_allclose(grad[key], flat_grad[key], rtol=1e-10, atol=1e-12)
        for key, value in expected_state.items():
            np.testing.assert_allclose(state[key], value, rtol=1e-12, err_msg=key)


@pytest.mark.parametrize("nested", [False, True])
def test_inference_reads_the_state_and_keeps_it(nested):
    made = loop()
    if nested:
        made = ml.Scan(made, carry={"h": "h_last"}, sequences=["x"], outputs=["h_next"])
    shapes = SHAPES | {"x": [1, 3, 3, 4] if nested else [3, 3, 4]}
    prefix = "scan." if nested else ""
    compiled = ml.compile(made, BACKEND, shapes=shapes, data_keys=["x", "h"], inference=True)
    _, expected = compiled_pair(3, inference=True)
    params, data = parameters_of(expected), data_of(3)
    state = dict(expected.initial_state_dict)
    state[MEAN] = np.arange(4.0)
    assert set(compiled.initial_state_dict) == {prefix + key for key in state}
    given = data | {"x": data["x"].reshape(shapes["x"])}
    out = compiled.evaluate(
        {prefix + key: value for key, value in params.items()},
        given,
        state={prefix + key: value for key, value in state.items()},
    )
    flat = expected.evaluate(params, data, state=state)
    (out, after), (flat, _) = out, flat
    assert {key: np.asarray(value).tolist() for key, value in after.items()} == {
        prefix + key: np.asarray(value).tolist() for key, value in state.items()
    }
    got = np.asarray(out["h_next"]).reshape(3, 3, 4)
    for t in range(3):
        np.testing.assert_allclose(got[t], flat[f"y_{t}"], rtol=1e-12)


def test_no_step_changes_no_state():
    compiled = ml.compile(loop(), BACKEND, shapes=SHAPES, data_keys=["x", "h"])
    before = compiled.initial_state_dict
    _, after = compiled.evaluate(parameters_of(compiled), data_of(0), state=before)
    for key, value in before.items():
        np.testing.assert_array_equal(after[key], value)


def test_a_state_goes_on_for_all_samples():
    """Also beyond the lengths of the sequences."""
    compiled = ml.compile(
        loop(lengths="lengths"), BACKEND, shapes=SHAPES, data_keys=["x", "h", "lengths"]
    )
    data = data_of(4) | {"lengths": np.array([4, 1, 0])}
    start = compiled.initial_state_dict
    out, state = compiled.evaluate(parameters_of(compiled), data, state=start)
    assert int(state[KEY]) == int(start[KEY]) + 4
    assert not np.asarray(out["h_next"])[1:, 1].any()


def test_a_loop_in_a_loop():
    inner = ml.Scan(body(), carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    outer = ml.Scan(inner, carry={"h": "h_last"}, sequences=["x"], outputs=["h_next"])
    flat = loop()
    a = ml.compile(outer, BACKEND, shapes={"x": [2, 3, 3, 4], "h": [3, 4]}, data_keys=["x", "h"])
    b = ml.compile(flat, BACKEND, shapes={"x": [6, 3, 4], "h": [3, 4]}, data_keys=["x", "h"])
    assert f"scan.{KEY}" in a.initial_state_dict
    params, data, start = parameters_of(b), data_of(6), b.initial_state_dict
    seeds = np.random.default_rng(3).normal(size=(6, 3, 4))
    expected, expected_grad, after = b.evaluate(
        params, data, output_gradients={"h_next": seeds}, state=start
    )
    out, grad, state = a.evaluate(
        {f"scan.{key}": value for key, value in params.items()},
        data | {"x": data["x"].reshape(2, 3, 3, 4)},
        output_gradients={"h_next": seeds.reshape(2, 3, 3, 4)},
        state={f"scan.{key}": value for key, value in start.items()},
    )
    got = np.asarray(out["h_next"]).reshape(6, 3, 4)
    np.testing.assert_allclose(got, expected["h_next"], rtol=1e-12)
    for key, value in expected_grad.items():
        np.testing.assert_allclose(grad[f"scan.{key}"], value, rtol=1e-10, atol=1e-12)
    for key, value in after.items():
        np.testing.assert_allclose(state[f"scan.{key}"], value, rtol=1e-12)


def test_two_places_of_a_loop():
    """The second place goes on with the state of the first."""
    first = ones(16)
    model = ml.Model()
    model |= first(x="x", y="a")
    model |= first.shared()(x="x", y="b")
    compiled = ml.compile(model, BACKEND, shapes={"x": [3, 16]})
    one = ml.compile(ones(16), BACKEND, shapes={"x": [6, 16]})
    (key, start), (one_key, _) = (
        *compiled.initial_state_dict.items(),
        *one.initial_state_dict.items(),
    )
    out, state = compiled.evaluate({}, {"x": np.ones((3, 16))}, state={key: start})
    expected, _ = one.evaluate({}, {"x": np.ones((6, 16))}, state={one_key: start})
    both = np.concatenate([out["a"], out["b"]])
    np.testing.assert_array_equal(both, expected["y"])
    assert int(state[key]) == int(start) + 6


def test_the_users_own_state():
    """A body that counts its steps."""
    step = ml.Model()
    step |= ml.Add()(left="count", right=1.0, output="next_count")
    step |= ml.Multiply()(left="x", right="next_count", output="y")
    step.set_shapes({"count": []})
    step.bind_state_keys("count", "next_count", 0.0)
    counting = ml.Scan(step, sequences=["x"], outputs=["y"])
    for model in (counting, pickle.loads(pickle.dumps(counting)), counting.copy()):
        assert model.input_keys == ["x"]
        assert model.output_keys == ["y"]
        compiled = ml.compile(model, BACKEND, shapes={"x": [None]})
        assert list(compiled.initial_state_dict) == ["model.count"]
        out, state = compiled.evaluate({}, {"x": np.ones(3)}, state=compiled.initial_state_dict)
        np.testing.assert_array_equal(out["y"], [1, 2, 3])
        out, state = compiled.evaluate({}, {"x": np.ones(2)}, state=state)
        np.testing.assert_array_equal(out["y"], [4, 5])
        assert float(state["model.count"]) == 5


def test_files_keep_states(tmp_path):
    made = loop()
    again = ml.Model.from_json(made.to_json())
    assert again == made
    options = {"shapes": SHAPES, "data_keys": ["x", "h"]}
    a, b = ml.compile(made, BACKEND, **options), ml.compile(again, BACKEND, **options)
    params, data = parameters_of(a), data_of(3)
    assert a.initial_state_dict.keys() == b.initial_state_dict.keys()
    out, state = a.evaluate(params, data, state=a.initial_state_dict)
    got, got_state = b.evaluate(params, data, state=b.initial_state_dict)
    np.testing.assert_array_equal(got["h_next"], out["h_next"])
    for key, value in state.items():
        np.testing.assert_array_equal(got_state[key], value)


def trained():
    net = ml.Model()
    net |= loop()(x="x", h="h", h_next="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    shapes = SHAPES | {"x": [4, 3, 4], "target": [4, 3, 4]}
    return ml.compile(model, BACKEND, shapes=shapes, data_keys=["h", "x", "target"])


def test_a_step_of_training_draws_other_masks_each_time(tmp_path):
    compiled = trained()
    data = data_of(4) | {"target": np.zeros((4, 3, 4))}
    params = parameters_of(compiled)
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.0))
    costs = [float(step(params, data)["final_cost"]) for _ in range(4)]
    assert len(set(costs)) == 4
    # The same as with evaluate, whose gradients read the same masks.
    state, values = compiled.initial_state_dict, parameters_of(compiled)
    for cost in costs:
        out, _, state = compiled.evaluate(values, data, output_gradients=True, state=state)
        np.testing.assert_allclose(float(out["final_cost"]), cost, rtol=1e-12)


def test_checkpoints_keep_states(tmp_path):
    data = data_of(4) | {"target": np.zeros((4, 3, 4))}
    one = trained()
    params = parameters_of(one)
    step = ml.TrainingStep(one, ml.SGD(lr=0.01))
    for _ in range(2):
        step(params, data)
    ml.save(tmp_path / "c.safetensors", params, step=step)
    after = [float(step(params, data)["final_cost"]) for _ in range(2)]
    saved = ml.load(tmp_path / "c.safetensors")
    again = ml.TrainingStep(trained(), ml.SGD(lr=0.01))
    again.state, read = saved.state, saved.params
    assert [float(again(read, data)["final_cost"]) for _ in range(2)] == after


@pytest.mark.parametrize("target", TARGETS[2:])
def test_other_backends(target):
    backend, to = backend_of(target)
    options = {"shapes": SHAPES, "data_keys": ["x", "h"]}
    one, other = ml.compile(loop(), BACKEND, **options), ml.compile(loop(), backend, **options)
    params, data = parameters_of(one), data_of(4)
    seeds = {"h_next": np.random.default_rng(2).normal(size=(4, 3, 4))}
    start = one.initial_state_dict
    out, grad, state = one.evaluate(params, data, output_gradients=seeds, state=start)
    got, got_grad, got_state = other.evaluate(
        to(params),
        to(data),
        output_gradients=to(seeds),
        state=to({key: np.asarray(value) for key, value in start.items()}),
    )
    for results, wanted in ((got, out), (got_grad, grad), (got_state, state)):
        for key, value in wanted.items():
            np.testing.assert_allclose(results[key], value, rtol=1e-10, atol=1e-12, err_msg=key)


def test_fit_trains_and_validates_a_loop_with_a_state():
    """A recurrent network with batch norm and dropout adds up its sequence."""
    net = ml.Model()
    net |= ml.Transpose(axes=[1, 0, 2])(input="rows", output="x")
    net |= loop(outputs=[])(x="x", h=net.x[0] * 0.0, h_last="h")
    net |= ml.Linear(1)(input="h", output="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    compiled = ml.compile(model, BACKEND, shapes={"rows": [None, 3, 4], "target": [None, 1]})
    draw = np.random.default_rng(0).normal

    def data(count):
        x = draw(size=(count, 3, 4)) * 0.1
        return {"rows": x, "target": x.sum(axis=(1, 2))[:, None]}

    step = ml.TrainingStep(compiled, ml.Adam(lr=0.02))
    history = ml.fit(step, data(64), epochs=3, validation=data(16), progress=False)
    losses = [epoch["validation_loss"] for epoch in history.epochs]
    assert losses[-1] < losses[0]
    assert any(key.endswith("running_mean") for key in step.state)
