"""States in a vmap that differ for each index: each index has its own, with its own axis."""

import ctypes
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from branch_models import TARGETS, backend_of, parameters_of, tail
from generated_cases import TARGETS as WRITTEN
from generated_cpp import GeneratedCpp, needs_compiler
from web_tools import run, write_module

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
ROWS = 3
H = np.random.default_rng(0).normal(size=(ROWS, 5, 4))
H_IN = ml.IOKey("h", shape=[5, 4])


def noisy():
    """A linear map and dropout."""
    step = ml.Model()
    step |= ml.Linear(4)(input="h", output="a")
    step |= ml.Dropout(0.5)(input="a", output="h_next")
    step.set_shapes(h=[5, 4])
    step.expose_keys("h_next")
    return step


def halved():
    return ml.Model.create(h_next=H_IN * 0.5)


def totals():
    """Adds up what it has seen. The state has a tensor as its first value."""
    step = ml.Model()
    step |= ml.Add()(left="total", right="h", output="h_next")
    step.bind_state_keys("total", "h_next", np.arange(20.0).reshape(5, 4))
    step.expose_keys("h_next")
    return step


def counted():
    """A number that fills the state."""
    step = ml.Model()
    step |= ml.Add()(left="count", right=1.0, output="next")
    step |= ml.Multiply()(left="h", right="next", output="h_next")
    step.set_shapes(h=[5, 4], count=[])
    step.bind_state_keys("count", "next", 1.0)
    step.expose_keys("h_next")
    return step


def in_a_loop():
    """A choice in each step of a loop."""
    return ml.Scan(ml.Cond("c", noisy(), halved()), carry={"h": "h_next"}, length=2)


def while_true(most=None):
    body = ml.Model()
    body |= noisy()(h="h", h_next="h_next")
    body |= ml.Add()(left="count", right=1.0, output="count_next")
    body.set_shapes(count=[])
    below = ml.Model.create(below=ml.IOKey("count", shape=[]) < 2.0)
    loop = ml.While(below, body, carry={"h": "h_next", "count": "count_next"}, max_steps=most)
    model = ml.Model()
    first = ml.IOKey("c", shape=[], type=ml.Tensor[bool]).cast(ml.float64)
    model |= loop(h="h", count=first, h_last="h_next")
    model.expose_keys("h_next")
    return model


MODELS = {
    "then": lambda: ml.Cond("c", noisy(), halved()),
    "otherwise": lambda: ml.Cond("c", halved(), noisy()),
    "both": lambda: ml.Cond("c", noisy(), noisy()),
    "a tensor": lambda: ml.Cond("c", totals(), halved()),
    "a number": lambda: ml.Cond("c", halved(), counted()),
    "in a loop": in_a_loop,
    "a bounded loop": lambda: while_true(4),
    "a loop": while_true,
}
CHOSEN = [[True, False, True], [False, False, False], [True, True, False]]


def compiled_of(model, backend=CPU, rows=(), **options):
    shapes = {"h": [*rows, 5, 4], "c": list(rows)}
    return ml.compile(model, backend, shapes=shapes, data_keys=list(shapes), **options)


def mapped(make):
    return ml.vmap(make(), in_axes={"h": 0, "c": 0})


def drawn(compiled):
    """Parameters in the order of their keys."""
    params = parameters_of(compiled)
    return {key: params[key] for key in compiled.parameter_keys}


def arrays(values):
    return {key: np.asarray(value) for key, value in values.items()}


def each_alone(one, params, data, state, seeds):
    """The results of each index: outputs, gradients, and the next state."""
    own = dict(zip(one.parameter_keys, params.values(), strict=True))
    wanted = {} if seeds is None else {"gradient_keys": ["h", *own]}
    results = []
    for i in range(ROWS):
        before = dict(zip(one.initial_state_dict, (v[i] for v in state.values()), strict=True))
        given = {"h": data["h"][i], "c": data["c"][i]}
        if seeds is not None:
            wanted["output_gradients"] = {key: value[i] for key, value in seeds.items()}
        results.append(one.evaluate(own, given, state=before, **wanted))
    return results


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
def test_each_index_is_the_model_with_its_state(name, target):
    backend, to = backend_of(target)
    many = compiled_of(mapped(MODELS[name]), backend, [ROWS], inference=False)
    one = compiled_of(MODELS[name](), inference=False)
    params, state = drawn(many), arrays(many.initial_state_dict)
    assert all(value.shape[0] == ROWS for value in state.values())
    has_gradient = name != "a loop"
    for chosen in CHOSEN:
        data = {"h": H, "c": np.array(chosen)}
        key = many.output_keys[0]
        seeds = {key: np.random.default_rng(1).normal(size=H.shape)} if has_gradient else None
        wanted = {"gradient_keys": ["h", *params]} if has_gradient else {}
        if has_gradient:
            wanted["output_gradients"] = to(seeds)
        got = many.evaluate(to(params), to(data), state=to(state), **wanted)
        alone = each_alone(one, params, data, state, seeds)
        after = arrays(got[-1])
        for i, expected in enumerate(alone):
            np.testing.assert_allclose(
                np.asarray(got[0][key])[i], expected[0][key], rtol=1e-12, atol=1e-12
            )
            for mine, other in zip(after.values(), expected[-1].values(), strict=True):
                np.testing.assert_allclose(mine[i], other, rtol=1e-12)
            if has_gradient:
                np.testing.assert_allclose(
                    np.asarray(got[1]["h"])[i], expected[1]["h"], rtol=1e-10, atol=1e-12
                )
        if has_gradient:
            for path, own in zip(params, one.parameter_keys, strict=True):
                total = sum(np.asarray(grad[own]) for _, grad, _ in alone)
                np.testing.assert_allclose(
                    np.asarray(got[1][path]), total, rtol=1e-10, atol=1e-11, err_msg=path
                )
        state = after


def test_an_index_that_takes_the_other_branch_keeps_its_state():
    many = compiled_of(mapped(MODELS["then"]), rows=[ROWS])
    (start,) = arrays(many.initial_state_dict).values()
    assert len(set(start)) == ROWS
    params, state = drawn(many), many.initial_state_dict
    for chosen in CHOSEN:
        _, state = many.evaluate(params, {"h": H, "c": np.array(chosen)}, state=state)
    (end,) = arrays(state).values()
    assert list(end - start) == [2, 1, 1]


def test_a_state_that_is_the_same_for_each_index_is_one():
    """The condition is the same for each index."""
    model = ml.vmap(MODELS["then"](), in_axes={"h": 0})
    shapes = {"h": [ROWS, 5, 4], "c": []}
    many = ml.compile(model, CPU, shapes=shapes, data_keys=list(shapes))
    (start,) = many.initial_state_dict.values()
    assert np.shape(start) == ()


def test_a_vmap_of_a_vmap_has_a_state_for_each_index_of_both():
    inner = ml.vmap(MODELS["then"](), in_axes={"h": 0, "c": 0})
    twice = ml.vmap(inner, in_axes={"h": 0, "c": 0})
    shapes = {"h": [2, ROWS, 5, 4], "c": [2, ROWS]}
    many = ml.compile(twice, CPU, shapes=shapes, data_keys=list(shapes))
    one = compiled_of(MODELS["then"]())
    (start,) = arrays(many.initial_state_dict).values()
    assert start.shape == (2, ROWS) and len(set(start.flat)) == 2 * ROWS
    params = drawn(many)
    own = dict(zip(one.parameter_keys, params.values(), strict=True))
    data = {"h": np.stack([H, H * 2.0]), "c": np.array([CHOSEN[0], CHOSEN[2]])}
    (key,) = many.initial_state_dict
    out, state = many.evaluate(params, data, state={key: start})
    (alone,) = one.initial_state_dict
    for i in np.ndindex(2, ROWS):
        given = {"h": data["h"][i], "c": data["c"][i]}
        expected, after = one.evaluate(own, given, state={alone: start[i]})
        np.testing.assert_allclose(out["h_next"][i], expected["h_next"], rtol=1e-12)
        assert int(np.asarray(state[key])[i]) == int(after[alone])


@pytest.mark.parametrize("name", MODELS)
def test_files_and_copies_keep_the_states(name):
    made = mapped(MODELS[name])
    start = compiled_of(made.copy(), rows=[ROWS]).initial_state_dict
    for other in (ml.Model.from_json(made.to_json()), pickle.loads(pickle.dumps(made))):
        assert other == made
        again = compiled_of(other, rows=[ROWS]).initial_state_dict
        assert list(again) == list(start)
        for key, value in start.items():
            np.testing.assert_array_equal(again[key], value)


def test_inference_keeps_the_states():
    many = compiled_of(mapped(MODELS["then"]), rows=[ROWS], inference=True)
    out = many.evaluate(drawn(many), {"h": H, "c": np.array(CHOSEN[0])})
    assert not many.initial_state_dict
    assert np.all(np.asarray(out["h_next"]) != 0)


def test_a_total_in_a_loop():
    """Each index adds up its own elements."""
    step = ml.Model()
    step |= ml.Add()(left="total", right="x", output="next_total")
    step.bind_state_keys("total", "next_total", 0.0)
    step |= ml.Buffer()(input="next_total", output="y")
    step.set_shapes({"x": [], "total": []})
    step.expose_keys("y")
    loop = ml.vmap(ml.Scan(step, sequences=["x"], outputs=["y"]), in_axes={"x": 0})
    x = np.arange(6.0).reshape(2, 3)
    many = ml.compile(loop, CPU, shapes={"x": [2, 3]}, data_keys=["x"])
    out, state = many.evaluate({}, {"x": x}, state=many.initial_state_dict)
    np.testing.assert_array_equal(out["y"], np.cumsum(x, axis=1))
    (total,) = state.values()
    np.testing.assert_array_equal(total, x.sum(axis=1))


def test_random_numbers_from_the_key_of_each_index():
    draws = ml.Model()
    draws |= ml.Randn(shape=(4,), key=3)(output="n")
    draws |= ml.RandInt(shape=(4,), low=0, high=1000, key=4)(output="i")
    draws |= ml.Multiply()(left="h", right="n", output="y")
    draws |= ml.Multiply()(left="h", right="i", output="z")
    draws.expose_keys("y", "z")
    choice = ml.Cond("c", draws, ml.Model.create(y=ml.IOKey("h") * 1.0, z=ml.IOKey("h") * 2.0))
    shapes = {"h": [ROWS, 4], "c": [ROWS]}
    many = ml.compile(
        ml.vmap(choice, in_axes={"h": 0, "c": 0}), CPU, shapes=shapes, data_keys=list(shapes)
    )
    one = ml.compile(choice.copy(), CPU, shapes={"h": [4], "c": []}, data_keys=["h", "c"])
    data = {"h": np.ones((ROWS, 4)), "c": np.array(CHOSEN[0])}
    state = many.initial_state_dict
    out, after = many.evaluate({}, data, state=state)
    for i in range(ROWS):
        own = dict(zip(one.initial_state_dict, (v[i] for v in state.values()), strict=True))
        expected, then = one.evaluate({}, {"h": np.ones(4), "c": data["c"][i]}, state=own)
        for key, value in expected.items():
            np.testing.assert_array_equal(np.asarray(out[key])[i], value)
        assert [int(v[i]) for v in after.values()] == [int(v) for v in then.values()]


def evaluations(compiled):
    """The outputs of evaluations, one after the other."""
    state, outputs = compiled.initial_state_dict, []
    for chosen in CHOSEN:
        data = {"input": np.ones((ROWS, 8), np.float32), "c": np.array(chosen)}
        out, state = compiled.evaluate({}, data, state=state)
        outputs.append(np.asarray(out["output"]).ravel().tolist())
    return outputs


def dropped():
    shapes = {"input": [ROWS, 8], "c": [ROWS]}
    model = ml.vmap(ml.Cond("c", ml.Dropout(0.5), ml.Relu()), in_axes={"input": 0, "c": 0})
    return ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=list(shapes))


@pytest.mark.parametrize("target", [each for each in WRITTEN if each.values != ("cpp",)])
def test_modules_carry_the_states(target: str, tmp_path: Path):
    module = write_module(target, dropped(), tmp_path / "model")
    lines = run(
        module,
        f"""
        const model = await createModel();
        const input = new Float32Array({ROWS * 8}).fill(1);
        for (const chosen of {json.dumps(CHOSEN)}) {{
          const c = Uint8Array.from(chosen, Number);
          console.log(JSON.stringify(Array.from(model.evaluate({{ input, c }}).output)));
        }}
        """,
    )
    assert [json.loads(line) for line in lines] == evaluations(dropped())


@needs_compiler
@pytest.mark.slow
def test_generated_cpp_returns_the_next_states(tmp_path: Path):
    compiled = dropped()
    (key,) = arrays(compiled.initial_state_dict).values()
    cpp, outputs = GeneratedCpp(compiled, tmp_path), []
    x, y, after = np.ones((ROWS, 8), np.float32), np.zeros((ROWS, 8), np.float32), key.copy()
    for chosen in CHOSEN:
        key, c = after.copy(), np.array(chosen)
        structs = [(ctypes.c_void_p * 3)(*(each.ctypes.data for each in (c, x, key)))]
        structs.append((ctypes.c_void_p * 2)(y.ctypes.data, after.ctypes.data))
        cpp.library.net_evaluate.restype = ctypes.c_char_p
        assert cpp.library.net_evaluate(*structs, None) is None
        outputs.append(y.ravel().tolist())
        assert list(after - key) == [int(each) for each in chosen]
    assert outputs == evaluations(compiled)


def test_the_paths_of_states_are_those_of_the_parts():
    """Two parts of one class have names of their own."""
    choice = ml.Cond("c", noisy(), noisy())
    keys = list(compiled_of(choice).initial_state_dict)
    assert [tail(key) for key in keys] == ["dropout.key", "dropout.key"]
    assert keys == ["model.dropout.key", "model_1.dropout.key"]
