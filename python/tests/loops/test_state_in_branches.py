"""States of branches and of the bodies of loops with a condition."""

import pickle

import numpy as np
import pytest
from branch_models import TARGETS, backend_of, tail

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
SHAPES = {"h": [5, 4]}


def noisy(name="noisy"):
    """A linear map, batch norm and dropout."""
    step = ml.Model(name=name)
    step |= ml.Linear(4, name=f"{name}_linear")(input="h", output="a")
    step |= ml.BatchNorm1D(name=f"{name}_norm")(input="a", output="b")
    step |= ml.Dropout(0.5, name=f"{name}_dropout")(input="b", output="c")
    step |= ml.Tanh()(input="c", output="h_next")
    step.expose_keys("h_next")
    return step


def plain():
    return ml.Model.create(h_next=ml.IOKey("h") * 0.5)


CHOICES = {
    "then": lambda: (noisy(), plain()),
    "otherwise": lambda: (plain(), noisy()),
    "both": lambda: (noisy("one"), noisy("other")),
}


def compiled_of(model, backend=CPU, shapes=SHAPES, **options):
    return ml.compile(model, backend, shapes=shapes, data_keys=list(shapes), **options)


def tails(values):
    return {tail(key): np.asarray(value) for key, value in values.items()}


def parameters_of(compiled):
    """The same for a part of the same name in any model."""
    params = compiled.get_parameters()
    draw = np.random.default_rng(4).normal
    made = {key: draw(size=tails(params)[key].shape) * 0.7 for key in sorted(tails(params))}
    return {key: made[tail(key)] for key in params}


def assert_close(got, expected, rtol=1e-12):
    got, expected = tails(got), tails(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=rtol, atol=1e-12, err_msg=key)


H = np.random.default_rng(0).normal(size=(5, 4))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_equals_the_chosen_model(name, target):
    """Steps of training that choose one branch and the other. The other one keeps its state."""
    backend, to = backend_of(target)
    both = compiled_of(ml.Cond("chosen", *CHOICES[name]()), backend)
    params = parameters_of(both)
    state = {key: np.asarray(value) for key, value in both.initial_state_dict.items()}
    draw = np.random.default_rng(1).normal
    for chosen in (True, False, False, True):
        alone = compiled_of(CHOICES[name]()[0 if chosen else 1])
        own = {key: tails(params)[tail(key)] for key in alone.parameter_keys}
        own_state = {key: tails(state)[tail(key)] for key in alone.initial_state_dict}
        seeds = {"h_next": draw(size=(5, 4))}
        wanted = ["h", *own]
        given = {"output_gradients": seeds, "gradient_keys": wanted}
        if own_state:
            out, grad, after = alone.evaluate(own, {"h": H}, state=own_state, **given)
        else:
            (out, grad), after = alone.evaluate(own, {"h": H}, **given), {}
        got, got_grad, got_after = both.evaluate(
            to(params),
            to({"h": H, "chosen": np.array(chosen)}),
            output_gradients=to(seeds),
            gradient_keys=["h", *params],
            state=to(state),
        )
        assert_close(got, out)
        assert_close(got_grad, grad, 1e-10)
        assert set(got_after) == set(state)
        assert_close(got_after, tails(state) | tails(after))
        state = {key: np.asarray(value) for key, value in got_after.items()}


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
def test_inference_reads_the_state_and_keeps_it(target, chosen):
    backend, to = backend_of(target)
    both = compiled_of(ml.Cond("chosen", *CHOICES["both"]()), backend, inference=True)
    alone = compiled_of(CHOICES["both"]()[0 if chosen else 1], inference=True)
    params = parameters_of(both)
    draw = np.random.default_rng(1).uniform
    state = {
        key: draw(size=np.shape(value)) if np.ndim(value) else np.asarray(value)
        for key, value in both.initial_state_dict.items()
    }
    out, _ = alone.evaluate(
        {key: tails(params)[tail(key)] for key in alone.parameter_keys},
        {"h": H},
        state={key: tails(state)[tail(key)] for key in alone.initial_state_dict},
    )
    got, after = both.evaluate(
        to(params), to({"h": H, "chosen": np.array(chosen)}), state=to(state)
    )
    assert_close(got, out)
    assert_close(after, state, 0)


def loop(most, make=noisy, **options):
    """Runs the body until it has counted to the limit."""
    body = ml.Model()
    body |= make()(h="h", h_next="h_next")
    body |= ml.Add()(left="count", right=1.0, output="count_next")
    body.set_shapes({"count": []})
    below = ml.Model.create(below=ml.IOKey("count", shape=[]) < ml.IOKey("limit", shape=[]))
    carry = {"h": "h_next", "count": "count_next"}
    return ml.While(below, body, carry=carry, max_steps=most, **options)


LOOP_SHAPES = SHAPES | {"count": [], "limit": []}


def unrolled(steps):
    model, first, before = ml.Model(), noisy(), "h"
    for t in range(steps):
        part = first if t == 0 else first.shared()
        model |= part(h=before, h_next=f"y_{t}")
        before = f"y_{t}"
    model |= ml.Buffer()(input=before, output="h_last")
    model.expose_keys("h_last")
    return model


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_equals_its_steps(target, most):
    """Steps after the end keep the state."""
    backend, to = backend_of(target)
    compiled = compiled_of(loop(most), backend, LOOP_SHAPES, inference=False)
    params = parameters_of(compiled)
    state = {key: np.asarray(value) for key, value in compiled.initial_state_dict.items()}
    seeds = {"h_last": np.random.default_rng(1).normal(size=(5, 4))}
    for steps in (1, 3, 0, 4):
        data = {"h": H, "count": np.array(0.0), "limit": np.array(float(steps))}
        given = {"output_gradients": to(seeds), "gradient_keys": ["h", *params]} if most else {}
        results = compiled.evaluate(to(params), to(data), state=to(state), **given)
        if steps == 0:
            np.testing.assert_array_equal(np.asarray(results[0]["h_last"]), H)
            assert_close(results[-1], state, 0)
            continue
        flat = compiled_of(unrolled(steps))
        own = {key: tails(params)[tail(key)] for key in flat.parameter_keys}
        out, grad, after = flat.evaluate(
            own,
            {"h": H},
            output_gradients=seeds,
            gradient_keys=["h", *own],
            state={key: tails(state)[tail(key)] for key in flat.initial_state_dict},
        )
        assert_close({"h_last": results[0]["h_last"]}, out)
        assert_close(results[-1], after)
        if most:
            assert_close(results[1], grad, 1e-10)
        state = {key: np.asarray(value) for key, value in results[-1].items()}


@pytest.mark.parametrize("most", [None, 4])
def test_a_loop_in_inference_keeps_the_state(most):
    compiled = compiled_of(loop(most), CPU, LOOP_SHAPES, inference=True)
    data = {"h": H, "count": np.array(0.0), "limit": np.array(2.0)}
    start = compiled.initial_state_dict
    _, after = compiled.evaluate(parameters_of(compiled), data, state=start)
    assert_close(after, start, 0)


def nested():
    """A loop in a branch in a loop."""
    inner = ml.Scan(noisy(), carry={"h": "h_next"}, length=2)
    other = ml.Model.create(h_last=ml.IOKey("h") * 0.5)
    choice = ml.Cond(
        ml.Model.create(positive=ml.IOKey("h", shape=[5, 4]).sum() > ml.IOKey("x", shape=[])),
        inner,
        other,
    )
    return ml.Scan(choice, carry={"h": "h_last"}, sequences=["x"])


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_in_a_branch_in_a_loop(target):
    backend, to = backend_of(target)
    shapes = SHAPES | {"x": [3]}
    compiled = compiled_of(nested(), backend, shapes)
    params, start = parameters_of(compiled), compiled.initial_state_dict
    start = {key: np.asarray(value) for key, value in start.items()}
    seeds = {"h_last": np.ones((5, 4))}
    data = {"h": H, "x": np.array([-100.0, 100.0, -100.0])}
    got, got_grad, got_state = compiled.evaluate(
        to(params), to(data), output_gradients=to(seeds), state=to(start)
    )
    first = noisy()
    flat = ml.Model()
    flat |= first(h="h", h_next="a")
    flat |= first.shared()(h="a", h_next="b")
    flat |= plain()(h="b", h_next="c")
    flat |= first.shared()(h="c", h_next="d")
    flat |= first.shared()(h="d", h_next="h_last")
    flat.expose_keys("h_last")
    one = compiled_of(flat)
    out, grad, state = one.evaluate(
        {key: tails(params)[tail(key)] for key in one.parameter_keys},
        {"h": H},
        output_gradients=seeds,
        state={key: tails(start)[tail(key)] for key in one.initial_state_dict},
    )
    assert_close(got, out)
    assert_close(got_grad, grad, 1e-10)
    assert_close(got_state, state)


@pytest.mark.parametrize("make", [lambda: ml.Cond("chosen", noisy(), plain()), lambda: loop(3)])
def test_files_and_copies_keep_states(make):
    made = make()
    again = ml.Model.from_json(made.to_json())
    assert again == made
    shapes = SHAPES if "chosen" in made.input_keys else LOOP_SHAPES
    data = {"h": H, "chosen": np.array(True), "count": np.array(0.0), "limit": np.array(2.0)}
    data = {key: value for key, value in data.items() if key in made.input_keys}
    one = compiled_of(made.copy(), CPU, shapes)
    params, start = parameters_of(one), one.initial_state_dict
    out, state = one.evaluate(params, data, state=start)
    for other in (again, pickle.loads(pickle.dumps(made))):
        compiled = compiled_of(other, CPU, shapes)
        assert list(compiled.initial_state_dict) == list(start)
        got, got_state = compiled.evaluate(params, data, state=compiled.initial_state_dict)
        assert_close(got, out, 0)
        assert_close(got_state, state, 0)


def trained():
    net = ml.Model()
    net |= ml.Cond("chosen", *CHOICES["both"]())(h="h", chosen="chosen", h_next="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    return compiled_of(model, CPU, SHAPES | {"target": [5, 4]})


def test_training_and_checkpoints(tmp_path):
    batches = [{"h": H, "target": H * 0.0, "chosen": np.array(t % 3 > 0)} for t in range(6)]
    one = trained()
    params = parameters_of(one)
    step = ml.TrainingStep(one, ml.SGD(lr=0.01))
    state, values = one.initial_state_dict, parameters_of(one)
    for batch in batches[:3]:
        cost = float(step(params, batch)["final_cost"])
        out, grad, state = one.evaluate(values, batch, output_gradients=True, state=state)
        values = {key: value - 0.01 * np.asarray(grad[key]) for key, value in values.items()}
        np.testing.assert_allclose(float(out["final_cost"]), cost, rtol=1e-12)
    ml.save(tmp_path / "c.safetensors", params, step=step)
    after = [float(step(params, batch)["final_cost"]) for batch in batches[3:]]
    saved = ml.load(tmp_path / "c.safetensors")
    again = ml.TrainingStep(trained(), ml.SGD(lr=0.01))
    again.state, read = saved.state, saved.params
    assert [float(again(read, batch)["final_cost"]) for batch in batches[3:]] == after


def test_a_layer_with_a_state_as_a_branch():
    choice = ml.Cond("chosen", ml.Dropout(0.5), ml.Relu())
    compiled = ml.compile(choice, CPU, shapes={"input": [64]}, data_keys=["input"])
    start = compiled.initial_state_dict
    assert list(start) == ["dropout.key"]
    data = {"input": np.ones(64), "chosen": np.array(True)}
    out, state = compiled.evaluate({}, data, state=start)
    assert set(np.unique(out["output"])) == {0.0, 2.0}
    data["chosen"] = np.array(False)
    out, same = compiled.evaluate({}, data, state=state)
    assert np.all(np.asarray(out["output"]) == 1.0)
    assert int(same["dropout.key"]) == int(state["dropout.key"]) == int(start["dropout.key"]) + 1
