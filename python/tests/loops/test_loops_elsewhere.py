"""Loops in files, in training, on other backends, and their errors."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from loop_models import BACKEND, BODIES, data_of, elman, parameters_of

import mithril as ml


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
    # Weights of a package are packed, which is another order of sums.
    np.testing.assert_allclose(
        read.evaluate({}, data)["y"], compiled.evaluate(params, data)["y"], atol=1e-6
    )


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
        np.testing.assert_allclose(value, found[1][key], rtol=1e-13)  # another order of sums


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
    with pytest.raises(ml.ShapeError) as raised:
        two.set_shapes({"x": [5, 3], "z": [6, 3]})
    assert str(raised.value) == (
        "mithril.ShapeError[E0202]: Scan: two dims differ\n"
        '  one side   : 6        given by set_shapes({"z": [6, 3]})\n'
        '  other side : 5        given by set_shapes({"x": [5, 3]})\n'
        '  sequence   : [6, 3]   on z, pattern "*a"\n'
        '  steps      : 5        given by set_shapes({"x": [5, 3]})\n'
        "  help: the sequences of a loop have one length: cut the longer ones, or pad the shorter "
        "ones and give Scan the lengths of the samples: lengths="
    )
    x, z = ml.IOKey("x"), ml.IOKey("z")
    two = ml.Scan(ml.Model.create(y=x * z), sequences=["x", "z"], outputs=["y"])
    compiled = ml.compile(two, ml.CpuBackend(), shapes={"x": [None, 3], "z": [None, 3]})
    with pytest.raises(ml.InputError, match="6") as caught:
        compiled.evaluate({}, {"x": np.zeros((5, 3)), "z": np.zeros((6, 3))})
    assert "5" in str(caught.value)


def test_the_page_about_loops():
    page = Path(__file__).parents[3] / "docs" / "loops.md"
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


def recurrent_losses(batch_first, lengths=("T", "N")):
    """The sums of the last states of an LSTM: a loss for each sample."""
    net = ml.Model()
    layer = ml.LSTM(4, batch_first=batch_first, dropout=0.0)
    net |= layer(input="x", h_n="h")
    net |= ml.Sum(axis=[0, 2])(input="h", output="losses")
    net.expose_keys("losses")
    shape = [*reversed(lengths), 2] if batch_first else [*lengths, 2]
    return ml.compile(net, BACKEND, shapes={"x": shape}, data_keys=["x"])


def test_gradients_of_single_samples_of_a_layer_with_samples_first():
    compiled = recurrent_losses(True)
    params, x = parameters_of(compiled), np.random.default_rng(5).normal(size=(3, 5, 2))
    norms = ml.PerSample(compiled, losses="losses").norms(params, {"x": x})
    for n in range(3):
        _, grad = compiled.evaluate(
            params, {"x": x[n : n + 1]}, output_gradients={"losses": np.ones(1)}
        )
        expected = np.sqrt(sum((np.asarray(value) ** 2).sum() for value in grad.values()))
        np.testing.assert_allclose(norms.total[n], expected, rtol=1e-10)


def test_gradients_of_single_samples_of_a_layer_with_steps_first():
    compiled = recurrent_losses(False)
    samples = ml.PerSample(compiled, losses="losses")
    params, draw = parameters_of(compiled), np.random.default_rng(5).normal
    with pytest.raises(ml.GradientError) as raised:
        samples.norms(params, {"x": draw(size=(5, 3, 2))})
    assert str(raised.value) == (
        "mithril.GradientError[E0510]: losses: no data has the samples of 'losses' along its first "
        "axis\n"
        "  x : [5, 3, 2]\n"
        "  help: put the samples first: batch_first=True of a recurrent layer, axis=1 of Scan, or "
        "a transposition in the model"
    )
    with pytest.raises(ml.GradientError) as raised:  # as many steps as samples
        samples.norms(params, {"x": draw(size=(3, 3, 2))})
    text = str(raised.value)
    assert text.startswith(
        "mithril.GradientError[E0513]: losses: sample 0 has another loss by itself than in the "
        "batch\n"
    )
    assert "  taken from   : the rows of x\n" in text
    assert text.endswith(
        "  help: the model mixes the samples, or draws random numbers for them: use inference "
        "mode. If the rows are not samples, put the samples first (batch_first=True, axis=1 of "
        "Scan), or name the data in shared="
    )


def descent() -> ml.Model:
    """A step of gradient descent on the sum of h^4."""
    h = ml.IOKey("h", shape=[3])
    return ml.Model.create(h_next=h - ml.gradient((h * h * h * h).sum(), h) * 0.1)


def test_a_derivative_in_a_step():
    loop = ml.Scan(descent(), carry={"h": "h_next"}, sequences=[], outputs=[], length=5)
    start = np.array([0.5, -1.0, 0.2])
    compiled = ml.compile(loop, BACKEND, data_keys=["h"])
    expected = start.copy()
    for _ in range(5):
        expected = expected - 0.4 * expected**3
    got = compiled.evaluate({}, {"h": start})["h_last"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_vmap_of_a_loop_with_a_derivative_in_it():
    loop = ml.Scan(descent(), carry={"h": "h_next"}, sequences=[], outputs=[], length=5)
    start = np.array([[0.5, -1.0, 0.2], [0.1, 0.3, -0.7]])
    compiled = ml.compile(
        ml.vmap(loop, in_axes={"h": 0}), BACKEND, data_keys=["h"], shapes={"h": [2, 3]}
    )
    expected = start.copy()
    for _ in range(5):
        expected = expected - 0.4 * expected**3
    got = compiled.evaluate({}, {"h": start})["h_last"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_a_gradient_that_reaches_no_input_is_zero():
    """The carry does not depend on the parameters."""
    step = ml.Model()
    step |= ml.Tanh()(input="h", output="h_next")
    step |= ml.Linear(2)(input="x", output="y")
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y"])
    compiled = ml.compile(loop, BACKEND, shapes={"x": [2, 1, 3], "h": [3]})
    data = {"x": np.ones((2, 1, 3)), "h": np.ones(3)}
    params = compiled.get_parameters()
    _, gradients = compiled.evaluate(params, data, output_gradients={"h_last": np.ones(3)})
    assert not any(np.any(gradient) for gradient in gradients.values())


@pytest.mark.parametrize("names", [("kept", "w"), ("carry", "items"), ("w", "kept")])
def test_names_of_values_in_generated_jax(names):
    """Names that the generated step uses itself."""
    pytest.importorskip("jax")
    x, h = ml.IOKey("x"), ml.IOKey("h")
    one, other = (ml.IOKey(name) for name in names)
    step = ml.Model.create(h_next=h * one + x * other)
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    data = {"x": np.ones((4, 3)), "h": np.ones(3)}
    data |= {names[0]: np.array([2.0, 3.0, 4.0]), names[1]: np.array([5.0, 6.0, 7.0])}
    shapes = {key: list(value.shape) for key, value in data.items()}
    outputs = [
        ml.compile(loop.copy(), backend, shapes=shapes, data_keys=set(data)).evaluate({}, data)
        for backend in (BACKEND, ml.JaxBackend(dtype=ml.float64))
    ]
    np.testing.assert_allclose(outputs[1]["h_last"], outputs[0]["h_last"], rtol=1e-12)


def test_an_edit_that_puts_dropout_into_a_loop_is_refused():
    """Each step would have the same mask."""
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    path = next(part.path for part in loop.walk() if part.class_name == "Tanh")
    edited = loop.edit().replace(path, ml.Dropout(0.5))
    with pytest.raises(ml.ConnectionError, match="each step would draw the same numbers"):
        ml.compile(edited, BACKEND, shapes={"x": [4, 3, 2], "h": [3, 4]})


def test_a_part_in_the_place_of_a_carry_is_refused():
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    edited = loop.edit().remove("scancarry")
    with pytest.raises(ml.ConnectionError, match="in the place of a carry"):
        ml.compile(edited, BACKEND, shapes={"x": [4, 3, 2], "h": [3, 4]})


def test_statements_about_a_carry_are_kept():
    """Its first value is a parameter that begins and is trained as the body says."""
    step = ml.Model()
    h = ml.IOKey("h", shape=[3], differentiable=True)
    step |= ml.Add()(left="x", right=h, output="h_next")
    step.set_initializer("h", ml.initializers.constant(2.0))
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    compiled = ml.compile(loop, BACKEND, data_keys=["x"], shapes={"x": [4, 3]})
    assert compiled.parameter_keys == ["h"]
    np.testing.assert_array_equal(compiled.get_parameters()["h"], np.full(3, 2.0))


@pytest.mark.parametrize(
    "port", ["scanlast.carry", "scanlast.next", "scanlast.carried_0", "scanstack.carried_1"]
)
def test_a_part_between_a_loop_and_its_results_is_refused(port):
    """It would be left out of the loop."""
    make, carry = BODIES["elman"]
    loop = ml.Scan(make(), carry=carry, sequences=["x"], outputs=["y"])
    edited = loop.edit().insert_before(port, ml.Sine())
    with pytest.raises(ml.ConnectionError, match=r"E0130.*'sine\.output'"):
        ml.compile(edited, BACKEND, shapes={"x": [4, 3, 2], "h": [3, 4]})


@pytest.mark.parametrize("port", ["scanlast.carry", "scanlast.next", "scanlast.carried_2"])
def test_a_part_between_a_conditional_loop_and_its_results_is_refused(port):
    x = ml.IOKey("x", shape=[2])
    is_large, halved = (x * x).sum() > 1.0, x * 0.5
    loop = ml.While(
        ml.Model.create(is_large=is_large), ml.Model.create(half=halved), carry={"x": "half"}
    )
    edited = loop.edit().insert_before(port, ml.Sine())
    with pytest.raises(ml.ConnectionError, match=r"E0130.*'sine\.output'"):
        ml.compile(edited, BACKEND, data_keys=["x"])
