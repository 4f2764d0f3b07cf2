"""use_checkpointing on loops: the same numbers, with the memory of about two roots of the steps."""

import numpy as np
import pytest

import mithril as ml

N, H = 32, 64


def recurrent_loop(reverse: bool) -> ml.Model:
    step = ml.Model()
    step |= ml.Linear(H)(input="x", weight="w_x", bias="b", output="of_x")
    step |= ml.Linear(H, use_bias=False)(input="h", weight="w_h", output="of_h")
    step |= ml.Tanh()(input=step["of_x"] + step["of_h"], output="h_next")
    step |= ml.Sum(axis=-1)(input="h_next", output="y")
    return ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["y"], reverse=reverse)


def recurrent(length: int, reverse: bool = False) -> ml.Model:
    model, loop = ml.Model(), recurrent_loop(reverse)
    weights = {key: key for key in ("w_x", "b", "w_h")}
    model |= loop(x="x", h="h", y="y", h_last="last", **weights)
    times = np.linspace(1, 2, length)[:, None]
    model |= ml.Buffer()(input=model["last"].sum() + (model["y"] * times).sum(), output="loss")
    return model


def gradients(
    length: int, reverse: bool, backend: ml.CpuBackend, use_checkpointing: bool
) -> tuple[dict, dict]:
    compiled = ml.compile(
        recurrent(length, reverse),
        backend,
        shapes={"x": [length, N, 8], "h": [N, H]},
        data_keys={"x"},
        trainable_keys={"h"},
        use_checkpointing=use_checkpointing,
    )
    random = np.random.default_rng(0)
    params = compiled.get_parameters(seed=0)
    data = {"x": random.normal(size=(length, N, 8))}
    return compiled.evaluate(params, data, output_gradients={"loss": 1.0})


def check(length: int, reverse: bool, backend: ml.CpuBackend) -> None:
    compare(
        gradients(length, reverse, backend, use_checkpointing=False),
        gradients(length, reverse, backend, use_checkpointing=True),
    )


def compare(expected: tuple[dict, dict], got: tuple[dict, dict]) -> None:
    """Outputs, and gradients."""
    for values, others in zip(expected, got, strict=True):
        for key, value in values.items():
            scale = float(np.abs(np.asarray(value)).max(initial=1))
            np.testing.assert_allclose(
                np.asarray(others[key]), np.asarray(value), rtol=0, atol=1e-12 * scale
            )


# 4, 9 and 12 steps make whole segments; 5, 7 and 13 leave some over; loops of 3 are not divided.
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 3, 4, 5, 7, 9, 12, 13])
def test_gradients_of_segments_are_those_of_the_loop(length: int, reverse: bool) -> None:
    check(length, reverse, ml.CpuBackend(ml.float64))


def open_gradients(
    length: int, reverse: bool, backend: ml.CpuBackend, use_checkpointing: bool
) -> tuple[dict, dict]:
    """Of a model whose number of steps is known only when it runs."""
    model, loop = ml.Model(), recurrent_loop(reverse)
    model |= loop(**{key: key for key in loop.input_keys}, y="y", h_last="last")
    model |= ml.Buffer()(input=model["last"].sum() + (model["y"] * model["y"]).sum(), output="loss")
    model.expose_keys("loss", "y")
    compiled = ml.compile(
        model,
        backend,
        shapes={"x": [None, N, 8], "h": [N, H]},
        data_keys={"x"},
        trainable_keys={"h"},
        use_checkpointing=use_checkpointing,
    )
    params = compiled.get_parameters(seed=0)
    data = {"x": np.random.default_rng(0).normal(size=(length, N, 8))}
    return compiled.evaluate(params, data, output_gradients={"loss": 1.0})


# 32 steps are a segment.
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 64, 70])
def test_segments_of_an_open_length(length: int, reverse: bool) -> None:
    backend = ml.CpuBackend(ml.float64)
    compare(
        open_gradients(length, reverse, backend, False),
        open_gradients(length, reverse, backend, True),
    )


def gradients_in_loops(
    length: tuple[int, int],
    backend: ml.CpuBackend,
    use_checkpointing: bool,
    wanted: list[str] | None = None,
):
    """Of a loop in a loop with dropout. Both lengths are known only when it runs."""
    step = ml.Model(name="step")
    step |= ml.Linear(4)(input="x", output="of_x")
    step |= ml.Dropout(0.3)(input=step.of_x + ml.IOKey("h", shape=[2, 4]), output="dropped")
    step |= ml.Tanh()(input="dropped", output="h_next")
    step.expose_keys("h_next")
    inner = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    outer = ml.Model()
    outer |= inner(x="x", h="h", h_last="last", h_next="y")
    outer |= ml.Buffer()(input=outer.last * 0.7, output="h_out")
    outer.expose_keys("h_out", "y")
    loop = ml.Scan(outer, carry={"h": "h_out"}, sequences=["x"], outputs=["y"], reverse=True)
    compiled = ml.compile(
        loop,
        backend,
        shapes={"x": [None, None, 2, 3], "h": [2, 4]},
        data_keys=["x", "h"],
        use_checkpointing=use_checkpointing,
    )
    draw, state = np.random.default_rng(0).normal, compiled.initial_state_dict
    data = {"x": draw(size=(*length, 2, 3)), "h": draw(size=(2, 4))}
    seeds = {"h_last": draw(size=(2, 4)), "y": draw(size=(*length, 2, 4))}
    made = compiled.evaluate(
        compiled.get_parameters(seed=0),
        data,
        output_gradients=seeds,
        gradient_keys=wanted or [*compiled.parameter_keys, "x", "h"],
        state=state,
    )
    return made[:2]


@pytest.mark.parametrize("length", [(0, 3), (1, 33), (33, 32), (64, 2), (3, 0)])
def test_segments_of_open_lengths_in_a_loop(length: tuple[int, int]) -> None:
    backend = ml.CpuBackend(ml.float64)
    compare(gradients_in_loops(length, backend, False), gradients_in_loops(length, backend, True))


@pytest.mark.parametrize("length", [(2, 3), (1, 33), (64, 2)])
def test_a_gradient_that_reads_no_element_of_a_sequence(length: tuple[int, int]) -> None:
    """The number of steps is still that of the sequence."""
    backend = ml.CpuBackend(ml.float64)
    plain = gradients_in_loops(length, backend, False, ["h"])
    compare(plain, gradients_in_loops(length, backend, True, ["h"]))


@pytest.mark.parametrize("name", ["TorchBackend", "JaxBackend"])
def test_segments_of_an_open_length_elsewhere(name: str) -> None:
    pytest.importorskip("torch" if name == "TorchBackend" else "jax")
    backend = getattr(ml, name)(dtype=ml.float64)
    expected = open_gradients(70, True, ml.CpuBackend(ml.float64), False)
    compare(expected, open_gradients(70, True, backend, True))


def test_segments_of_an_open_length_take_little_memory() -> None:
    backend = ml.CpuBackend(ml.float64, memory_limit=3_500_000)
    open_gradients(400, False, backend, True)
    with pytest.raises(ml.OutOfMemoryError, match="E1101"):
        open_gradients(400, False, backend, False)


@pytest.mark.parametrize("name", ["TorchBackend", "JaxBackend"])
def test_gradients_of_segments_are_those_of_the_loop_elsewhere(name: str) -> None:
    pytest.importorskip("torch" if name == "TorchBackend" else "jax")
    check(13, True, getattr(ml, name)(dtype=ml.float64))


# 400 steps keep 2 values of 16 KiB each, which take 13 MB. 20 steps and the carries before 20
# segments take a tenth of it.
@pytest.mark.parametrize("reverse", [False, True])
def test_segments_take_little_memory(reverse: bool) -> None:
    backend = ml.CpuBackend(ml.float64, memory_limit=3_000_000)
    gradients(400, reverse, backend, use_checkpointing=True)
    with pytest.raises(ml.OutOfMemoryError, match="E1101"):
        gradients(400, reverse, backend, use_checkpointing=False)


def nested(kind: str, length: int) -> ml.Model:
    """The loop in a branch, in a branch of a loop, or in a loop."""
    inner = recurrent(length)
    inner.expose_keys("loss")
    zero = ml.Model.create(loss=ml.IOKey("h").sum() * 0.0)
    if kind == "branch":
        return ml.Cond("go", inner, zero)
    body = ml.Model()
    part = ml.Cond("go", inner, zero) if kind == "branch of a loop" else inner
    body |= part(**{key: key for key in part.input_keys}, loss="loss")
    body |= ml.Buffer()(input=ml.IOKey("h") * 0.9 + body["loss"] * 1e-3, output="h_next")
    body.expose_keys("h_next")
    loop = ml.Scan(body, carry={"h": "h_next"}, length=4)
    whole = ml.Model()
    whole |= loop(**{key: key for key in loop.input_keys}, h_last="last")
    whole |= ml.Sum()(input="last", output="loss")
    whole.expose_keys("loss")
    return whole


def nested_gradients(
    kind: str, length: int, backend: ml.CpuBackend, use_checkpointing: bool
) -> tuple[dict, dict]:
    model = nested(kind, length)
    compiled = ml.compile(
        model,
        backend,
        shapes={"x": [length, N, 8], "h": [N, H], "w_h": [H, H], "w_x": [H, 8], "b": [H]},
        data_keys={"x", "h"},
        trainable_keys={"w_h", "w_x", "b"},
        use_checkpointing=use_checkpointing,
    )
    draw = np.random.default_rng(0).normal
    data = {"x": draw(size=(length, N, 8)), "h": draw(size=(N, H)), "go": np.array(True)}
    params = {"w_h": draw(size=(H, H)) * 0.1, "w_x": draw(size=(H, 8)), "b": draw(size=H)}
    data = {key: value for key, value in data.items() if key in compiled.input_keys}
    return compiled.evaluate(params, data, output_gradients={"loss": 1.0})


@pytest.mark.parametrize("target", ["CpuBackend", "TorchBackend", "JaxBackend"])
@pytest.mark.parametrize("kind", ["branch", "branch of a loop", "loop"])
def test_loops_in_branches_and_in_loops(kind: str, target: str) -> None:
    if target != "CpuBackend":
        pytest.importorskip("torch" if target == "TorchBackend" else "jax")
    backend = getattr(ml, target)(dtype=ml.float64)
    outputs, expected = nested_gradients(kind, 13, ml.CpuBackend(ml.float64), False)
    again, got = nested_gradients(kind, 13, backend, True)
    for values, others in ((outputs, again), (expected, got)):
        for key, value in values.items():
            scale = float(np.abs(np.asarray(value)).max(initial=1))
            np.testing.assert_allclose(
                np.asarray(others[key]), np.asarray(value), rtol=0, atol=1e-12 * scale
            )


@pytest.mark.parametrize("kind", ["branch", "branch of a loop", "loop"])
def test_segments_in_branches_and_in_loops_take_little_memory(kind: str) -> None:
    backend = ml.CpuBackend(ml.float64, memory_limit=5_000_000)
    nested_gradients(kind, 400, backend, True)
    with pytest.raises(ml.OutOfMemoryError, match="E1101"):
        nested_gradients(kind, 400, backend, False)
