"""Recurrent layers: values and gradients of PyTorch's layers, targets, training and files."""

import importlib.util
import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import mithril as ml

BACKEND = ml.CpuBackend(dtype=ml.float64)
INPUTS, HIDDEN = 4, 5
KINDS = ["RNN", "LSTM", "GRU"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"num_layers": 3, "use_bias": False},
    {"num_layers": 2, "bidirectional": True},
    {"batch_first": True, "bidirectional": True},
]
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((kind, options) for kind in KINDS for options in OPTIONS),
    *(("LSTM", options | {"proj_size": 2}) for options in OPTIONS),
    ("RNN", {"nonlinearity": "relu"}),
]


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def data_of(kind: str, options: dict[str, Any], steps: int, samples: int) -> dict[str, np.ndarray]:
    """Data of a layer with initial states and, for more than one step, with lengths."""
    x = draw(steps, samples, INPUTS)
    count = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
    data = {"input": x.swapaxes(0, 1) if options.get("batch_first") else x}
    if options.get("use_initial_state"):
        data["h_0"] = draw(count, samples, options.get("proj_size") or HIDDEN, seed=1)
        if kind == "LSTM":
            data["c_0"] = draw(count, samples, HIDDEN, seed=2)
    if options.get("use_lengths"):
        data["lengths"] = np.maximum(steps - np.arange(samples)[::-1] * 2, 1)
        data["lengths"][0] = steps
    return data


def torch_layer(kind: str, options: dict[str, Any]) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    names = {"use_bias": "bias"}
    given = {
        names.get(key, key): value
        for key, value in options.items()
        if key not in ("use_initial_state", "use_lengths")
    }
    torch.manual_seed(0)
    return getattr(torch.nn, kind)(INPUTS, HIDDEN, **given).double()


def expected_of(layer: Any, data: dict[str, np.ndarray], weights: dict[str, np.ndarray]) -> Any:
    """Outputs of torch, and the gradients of their sum with these weights."""
    torch = pytest.importorskip("torch")
    rnn = pytest.importorskip("torch.nn.utils.rnn")
    leaves = {
        key: torch.tensor(value, requires_grad=True)
        for key, value in data.items()
        if key != "lengths"
    }
    state = tuple(leaves[key] for key in ("h_0", "c_0") if key in leaves)
    x: Any = leaves["input"]
    batch_first = layer.batch_first
    if "lengths" in data:
        lengths = torch.tensor(data["lengths"])
        x = rnn.pack_padded_sequence(x, lengths, batch_first=batch_first, enforce_sorted=False)
    output, last = layer(x, (state if len(state) == 2 else state[0]) if state else None)
    if "lengths" in data:
        steps = data["input"].shape[1 if batch_first else 0]
        output = rnn.pad_packed_sequence(output, batch_first=batch_first, total_length=steps)[0]
    states = last if isinstance(last, tuple) else (last,)
    made = {"output": output} | dict(zip(("h_n", "c_n"), states, strict=False))
    cost = sum((made[key] * torch.tensor(weights[key])).sum() for key in weights)
    cost.backward()
    leaves |= dict(layer.named_parameters())
    gradients = {key: leaf.grad.numpy() for key, leaf in leaves.items()}
    return {key: value.detach().numpy() for key, value in made.items()}, gradients


def parameters_of(layer: Any) -> dict[str, np.ndarray]:
    return {key: value.detach().numpy() for key, value in layer.named_parameters()}


@pytest.mark.parametrize(("kind", "options"), VARIANTS)
def test_values_and_gradients_are_those_of_torch(kind: str, options: dict[str, Any]) -> None:
    layer = torch_layer(kind, options)
    params = parameters_of(layer)
    for use_initial_state, use_lengths in itertools.product((False, True), repeat=2):
        own = options | {"use_initial_state": use_initial_state, "use_lengths": use_lengths}
        model = getattr(ml, kind)(HIDDEN, **own)
        compiled = ml.compile(model, BACKEND, shapes={"input": [None, None, INPUTS]})
        assert list(compiled.get_parameters()) == list(params)
        for steps, samples in [(1, 1), (1, 3), (2, 3), (7, 1), (7, 3)]:
            data = data_of(kind, own, steps, samples)
            weights = {
                key: draw(*np.shape(value), seed=3)
                for key, value in compiled.evaluate(params, data).items()
            }
            wanted = [key for key in data if key != "lengths"] + list(params)
            got, got_grad = compiled.evaluate(
                params, data, output_gradients=weights, gradient_keys=wanted
            )
            layer.zero_grad()
            out, grad = expected_of(layer, data, weights)
            assert set(got) == set(out)
            for key, value in out.items():
                np.testing.assert_allclose(got[key], value, rtol=0, atol=1e-12, err_msg=key)
            for key in wanted:
                np.testing.assert_allclose(got_grad[key], grad[key], atol=1e-10, err_msg=key)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_other_backends_agree(backend: str, kind: str) -> None:
    if backend == "torch" and not importlib.util.find_spec("mithril._torch"):
        pytest.skip("the torch backend is not built")
    if backend == "jax":
        pytest.importorskip("jax", reason="jax is not installed")
    other = {"torch": ml.TorchBackend, "jax": ml.JaxBackend}[backend](dtype=ml.float64)
    own = {
        "num_layers": 2,
        "bidirectional": True,
        "batch_first": True,
        "use_initial_state": True,
        "use_lengths": True,
    }
    model = getattr(ml, kind)(HIDDEN, **own)
    shapes = {"input": [None, None, INPUTS]}
    compiled = ml.compile(model, BACKEND, shapes=shapes)
    another = ml.compile(model, other, shapes=shapes)
    params = {key: draw(*np.shape(value)) * 0.5 for key, value in compiled.get_parameters().items()}
    for steps in (4,) if backend == "jax" else (1, 4):
        data = data_of(kind, own, steps, 3)
        out, got = compiled.evaluate(params, data), another.evaluate(params, data)
        for key, value in out.items():
            np.testing.assert_allclose(np.asarray(got[key]), value, atol=1e-12, err_msg=key)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_has_no_effect(kind: str) -> None:
    model = getattr(ml, kind)(HIDDEN, use_lengths=True, bidirectional=True)
    compiled = ml.compile(model, BACKEND, shapes={"input": [None, None, INPUTS]})
    params = compiled.get_parameters()
    x = draw(4, 2, INPUTS)
    x[2:, 1] = np.nan
    data = {"input": x, "lengths": np.array([4, 2])}
    seeds = {"output": np.ones((4, 2, 2 * HIDDEN)), "h_n": np.ones((2, 2, HIDDEN))}
    out, grad = compiled.evaluate(
        params, data, output_gradients=seeds, gradient_keys=["input", *params]
    )
    assert not out["output"][2:, 1].any()
    assert not grad["input"][2:, 1].any()
    assert all(np.isfinite(value).all() for value in (*out.values(), *grad.values()))
    alone = compiled.evaluate(params, {"input": x[:2, 1:], "lengths": np.array([2])})
    np.testing.assert_allclose(out["h_n"][:, 1:], alone["h_n"], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_no_steps_return_the_first_states(kind: str) -> None:
    model = getattr(ml, kind)(HIDDEN, use_initial_state=True)
    compiled = ml.compile(model, BACKEND, shapes={"input": [None, None, INPUTS]})
    data = data_of(kind, {"use_initial_state": True}, 0, 3)
    out = compiled.evaluate(compiled.get_parameters(), data)
    assert out["output"].shape == (0, 3, HIDDEN)
    np.testing.assert_array_equal(out["h_n"], data["h_0"])


@pytest.mark.parametrize("kind", KINDS)
def test_json_and_pickles_keep_the_layer(kind: str) -> None:
    model = ml.Model()
    model |= getattr(ml, kind)(HIDDEN, num_layers=2, dropout=0.5, bidirectional=True)(
        input="x", output="y"
    )
    again = ml.Model.from_json(model.to_json())
    assert again == model
    shapes = {"x": [None, 2, INPUTS]}
    compiled = ml.compile(model, BACKEND, shapes=shapes, inference=True)
    params = compiled.get_parameters()
    data = {"x": draw(3, 2, INPUTS)}
    out = compiled.evaluate(params, data)["y"]
    others = [
        ml.compile(again, BACKEND, shapes=shapes, inference=True),
        pickle.loads(pickle.dumps(compiled)),
    ]
    for other in others:
        np.testing.assert_array_equal(other.evaluate(params, data)["y"], out)


def test_dropout_is_between_layers() -> None:
    model = ml.GRU(HIDDEN, num_layers=2, dropout=0.5)
    shapes = {"input": [None, 2, INPUTS]}
    compiled = ml.compile(model, BACKEND, shapes=shapes)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    assert len(state) == 1
    data = {"input": draw(6, 2, INPUTS)}
    first, state = compiled.evaluate(params, data, state=state)
    second, _ = compiled.evaluate(params, data, state=state)
    whole = ml.compile(ml.GRU(HIDDEN, num_layers=2), BACKEND, shapes=shapes)
    np.testing.assert_array_equal(first["h_n"][0], second["h_n"][0])
    assert not np.array_equal(first["h_n"][1], second["h_n"][1])
    bound = ml.compile(model, BACKEND, shapes=shapes, inference=True)
    np.testing.assert_array_equal(
        bound.evaluate(params, data)["output"], whole.evaluate(params, data)["output"]
    )


def test_a_layer_is_called_like_a_function() -> None:
    x = ml.IOKey("x", shape=[None, 2, INPUTS])
    output, h_n, c_n = ml.LSTM(HIDDEN, use_initial_state=True)(
        x, ml.IOKey("h", shape=[1, 2, HIDDEN]), ml.IOKey("c")
    )
    model = ml.Model.create(output=output, h_n=h_n, c_n=c_n)
    assert model.get_shapes()["output"] == ["T", 2, HIDDEN]
    assert {"x", "h", "c"} < set(model.input_keys)


def test_initial_states_are_data_or_trained() -> None:
    model = ml.GRU(HIDDEN, use_initial_state=True)
    shapes = {"input": [None, 2, INPUTS]}
    assert ml.compile(model, BACKEND, shapes=shapes).data_keys == ["input", "h_0"]
    trained = ml.compile(model, BACKEND, shapes=shapes, trainable_keys=["h_0"])
    assert "h_0" in trained.parameter_keys


def test_a_layer_learns_to_remember() -> None:
    """The first element of a sequence decides the sign of the target."""
    model = ml.Model()
    model |= ml.LSTM(8)(input="x", h_n="h")
    model |= ml.Linear(1)(input="h", output="y")
    model.expose_keys("y")
    trained = ml.TrainModel(model)
    trained.add_loss(ml.SquaredError(), input="y", target="target", reduce_steps=[ml.Mean()])
    compiled = ml.compile(trained, ml.CpuBackend(), shapes={"x": [None, 64, 1]})
    rng = np.random.default_rng(0)
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.01))
    params = compiled.get_parameters()
    losses = []
    for _ in range(250):
        x = rng.normal(size=(rng.integers(3, 7), 64, 1)).astype(np.float32)
        losses.append(float(step(params, {"x": x, "target": np.sign(x[:1])})["final_cost"]))
    assert losses[0] > 0.9
    assert np.mean(losses[-50:]) < 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [ml.float16, ml.bfloat16])
def test_half_precision(dtype: Any, kind: str) -> None:
    model = getattr(ml, kind)(HIDDEN, num_layers=2, use_lengths=True)
    shapes = {"input": [None, None, INPUTS]}
    data = data_of(kind, {"use_lengths": True}, 4, 3)
    exact = ml.compile(model, BACKEND, shapes=shapes)
    params = exact.get_parameters()
    half = ml.compile(model, ml.CpuBackend(dtype=dtype), shapes=shapes)
    out, got = exact.evaluate(params, data), half.evaluate(params, data)
    for key, value in out.items():
        np.testing.assert_allclose(np.asarray(got[key], np.float32), value, atol=0.02)


@pytest.mark.parametrize("dtype", [ml.float64, ml.float32, ml.bfloat16])
@pytest.mark.parametrize("kind", KINDS)
def test_bound_weights_are_those_of_every_step(kind: str, dtype: Any) -> None:
    """Bound weights are packed once, outside of the loop."""
    model = getattr(ml, kind)(32, num_layers=2, bidirectional=True)
    compiled = ml.compile(model, ml.CpuBackend(dtype=dtype), shapes={"input": [None, 24, INPUTS]})
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    for steps in (1, 6, 3):
        data = {"input": draw(steps, 24, INPUTS)}
        expected = compiled.evaluate(params, data)
        for key, value in bound.evaluate({}, data).items():
            np.testing.assert_allclose(
                np.asarray(value, np.float64),
                np.asarray(expected[key], np.float64),
                atol={ml.float64: 1e-13, ml.float32: 1e-6, ml.bfloat16: 2e-2}[dtype],
            )


SHAPES: list[tuple[dict[str, list[Any]], str]] = [
    ({"input": [None, 3]}, "E0201]: input: ranks differ"),
    ({"c_0": [1, 3, HIDDEN + 1]}, "E0202]: c_0: two dims differ"),
    ({"h_0": [2, 3, HIDDEN]}, "E0202]: h_0: two dims differ"),
    ({"weight_ih_l0": [4 * HIDDEN, INPUTS + 1]}, "E0202]: weight_ih_l0: two dims differ"),
    ({"lengths": [4]}, "E0202]: lengths: two dims differ"),
]


@pytest.mark.parametrize(("shapes", "message"), SHAPES)
def test_errors_name_the_port(shapes: dict[str, list[Any]], message: str) -> None:
    model = ml.LSTM(HIDDEN, use_initial_state=True, use_lengths=True)
    with pytest.raises(ml.ShapeError) as caught:
        ml.compile(model, BACKEND, shapes={"input": [None, 3, INPUTS]} | shapes)
    assert str(caught.value).split("\n")[0] == f"mithril.ShapeError[{message}"


def test_a_state_of_another_batch_is_an_error() -> None:
    options = {"use_initial_state": True}
    compiled = ml.compile(
        ml.GRU(HIDDEN, **options), BACKEND, shapes={"input": [None, None, INPUTS]}
    )
    data = data_of("GRU", options, 2, 3) | {"h_0": np.zeros((1, 2, HIDDEN))}
    with pytest.raises(ml.InputError) as caught:
        compiled.evaluate(compiled.get_parameters(), data)
    assert str(caught.value) == (
        "mithril.InputError[E0804]: 'h_0' has 2 in dim 1, expected N = 3\n"
        "  expected : [1, N, 5]\n"
        "  got      : [1, 2, 5]\n"
        "  help: 'input' has 3 in dim 1, and sizes of one name must be equal"
    )
