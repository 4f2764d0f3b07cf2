"""Generated modules do more than compute: weights, optimizers, errors, types, memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from web_models import CASES, chain
from web_tools import ENGINES, TARGETS, needs_node, run, write_module

import mithril as ml


@pytest.fixture(scope="module", params=TARGETS)
def mlp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mlp") / "model"
    return write_module(request.param, CASES["mlp"].compiled(), folder)


def softmax_and_others() -> ml.Model:
    model = ml.Model()
    model |= ml.Softmax()(input="x", output="softmax")
    model |= ml.LayerNorm(use_scale=False, use_bias=False)(input="constant", output="norm")
    model |= ml.CrossEntropy()(input="x", target="label", output="losses")
    model |= ml.Relu()(input="x", output="relu")
    return model


@pytest.fixture(scope="module", params=TARGETS)
def stable(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiled = ml.compile(
        softmax_and_others(),
        ml.CpuBackend(),
        shapes={"x": [3, 2], "constant": [1, 4], "label": [3]},
        data_keys={"x", "constant", "label"},
    )
    return write_module(request.param, compiled, tmp_path_factory.mktemp("stable") / "model")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.sampled(3)
def test_results_are_stable_where_they_have_to_be(stable: Path, engine: str) -> None:
    lines = run(
        stable,
        """
        const model = await createModel();
        const x = [1000, 1001, -1000, 1000, -1, 3];
        const outputs = model.evaluate({ x, constant: [7, 7, 7, 7], label: [0, 0, 1] });
        console.log(outputs.softmax.slice(0, 2).join(" "));
        console.log(outputs.norm.join(" "));
        console.log(outputs.losses.join(" "));
        console.log(Object.is(outputs.relu[4], 0));
        """,
        engine,
    )
    numbers = [[float(x) for x in line.split()] for line in lines[:3]]
    assert np.allclose(numbers[0], [0.26894142, 0.73105858], atol=1e-6)
    assert numbers[1] == [0, 0, 0, 0]
    assert np.allclose(numbers[2], [1.3132617, 2000, 0.01815], atol=1e-4)
    assert lines[3] == "true"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("optimizer", ["Adam", "SGD"])
@pytest.mark.sampled(11)
def test_losses_of_training_are_those_of_pytorch(mlp: Path, optimizer: str, engine: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    params = CASES["mlp"].compiled().randomize_params(3)
    x = CASES["mlp"].data()["x"]
    weights = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    layers = sorted({key.split(".")[0] for key in weights}) if "." in next(iter(weights)) else []
    options = (
        {"lr": 0.01, "weight_decay": 0.01}
        if optimizer == "Adam"
        else {"lr": 0.02, "momentum": 0.9, "nesterov": True}
    )
    kind = getattr(torch.optim, optimizer)(list(weights.values()), **options)
    assert layers or len(weights) == 6
    names = list(CASES["mlp"].compiled().parameter_keys)
    expected = []
    for _ in range(200):
        kind.zero_grad()
        y = torch.tensor(x)
        for at, activation in ((0, torch.tanh), (2, torch.nn.functional.gelu), (4, None)):
            y = y @ weights[names[at]].T + weights[names[at + 1]]
            y = activation(y) if activation else y
        loss = (y**2).mean()
        loss.backward()
        kind.step()
        expected.append(loss.item())
    ml.save(mlp.parent / "w.safetensors", params)
    spelled = {"lr": "learningRate", "weight_decay": "weightDecay"}
    given = {spelled.get(key, key): value for key, value in options.items()}
    lines = run(
        mlp,
        f"""
        const model = await createModel();
        model.loadStateDict(readSafetensors(await read("w.safetensors")));
        const optimizer = new {optimizer}(model, {str(given).replace("True", "true")});
        const x = {x.ravel().tolist()};
        for (let step = 0; step < 200; ++step) {{
          const {{ y }} = model.evaluate({{ x }});
          console.log(y.reduce((sum, each) => sum + each * each, 0) / y.length);
          model.trainStep({{ x }}, optimizer, {{ y: y.map((each) => (2 * each) / y.length) }});
        }}
        """,
        engine,
    )
    got = [float(line) for line in lines]
    assert expected[-1] < 0.2 * expected[0]
    assert np.abs(np.array(got) - expected).max() < 1e-3


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_are_views_of_a_file_and_mismatches_are_listed(mlp: Path, engine: str) -> None:
    params = CASES["mlp"].compiled().randomize_params(1)
    first = next(iter(params))
    other = {key: value for key, value in params.items() if key != first}
    other["extra"] = np.ones(2, np.float32)
    wrong = next(iter(other))
    other[wrong] = np.ones((2, 3), np.float32)
    ml.save(mlp.parent / "good.safetensors", params)
    ml.save(mlp.parent / "bad.safetensors", other)
    lines = run(
        mlp,
        f"""
        const model = await createModel();
        const file = await read("good.safetensors");
        const weights = readSafetensors(file);
        console.log(Object.values(weights).every(({{ data }}) => data.buffer === file.buffer));
        console.log(JSON.stringify(model.loadStateDict(weights)));
        const bad = readSafetensors(await read("bad.safetensors"));
        console.log((await refused(() => model.loadStateDict(bad))).replaceAll("\\n", "|"));
        console.log(model.parameters[{first!r}][0] === weights[{first!r}].data[0]);
        console.log(JSON.stringify(model.loadStateDict(bad, {{ strict: false }})));
        const again = readSafetensors(writeSafetensors(model.stateDict()));
        console.log(again[{first!r}].data[1] === weights[{first!r}].data[1]);
        """,
        engine,
    )
    assert lines[:2] == ["true", '{"missing":[],"unexpected":[],"mismatched":[]}']
    size = ", ".join(map(str, params[wrong].shape))
    assert lines[2] == (
        "mithril.StateError[E0901]: the state dict does not fit the model"
        f"|  missing    : {first}|  mismatched : {wrong} [2, 3], expected [{size}]"
        "|  unexpected : extra"
    )
    assert lines[3] == "true"
    assert f'"missing":["{first}"],"unexpected":["extra"]' in lines[4]
    assert lines[5] == "true"


@needs_node
def test_wrong_data_is_named(mlp: Path) -> None:
    lines = run(
        mlp,
        """
        const model = await createModel();
        const x = new Float32Array(24);
        console.log(await refused(() => model.evaluate({})));
        console.log((await refused(() => model.evaluate({ x, z: x }))).split("\\n")[0]);
        console.log(await refused(() => model.evaluate({ x: [1] })));
        console.log(await refused(() => model.evaluate({ x: 1 })));
        console.log(await refused(() => model.evaluateGradients({ x })));
        const unknown = () => model.evaluateGradients({ x }, { z: x });
        console.log((await refused(unknown)).split("\\n")[0]);
        console.log((await refused(() => new Adam(model, { lr: 1 }))).split("\\n")[0]);
        console.log(await refused(() => readSafetensors(new Uint8Array(4))));
        model.dispose();
        console.log(await refused(() => model.evaluate({ x })));
        """,
    )
    assert lines == [
        "mithril.InputError[E0801]: data lacks 'x'",
        "mithril.InputError[E0802]: there is no data input 'z'",
        "mithril.InputError[E0804]: 'x' has 1 elements, expected 24: [4, 6]",
        "mithril.InputError[E0805]: 'x' is not an array, expected one of float32",
        "mithril.InputError[E0808]: there is no output to take the gradients of: expected a scalar "
        "final_cost, or one output that is a scalar",
        "mithril.InputError[E0807]: there is no output 'z'",
        "mithril.InputError[E0802]: Adam has no option 'lr'",
        "mithril.ParseError[E0740]: the file has no header of a safetensors file",
        "mithril.BackendError[E1053]: the model is disposed of",
    ]


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_an_index_out_of_range_is_an_error_and_the_model_stays_usable(
    target: str, tmp_path: Path
) -> None:
    module = write_module(target, CASES["embedding"].compiled(), tmp_path / "model")
    lines = run(
        module,
        """
        const model = await createModel();
        const label = new Int32Array(12);
        const wrong = () => model.evaluate({ label: label.map(() => 9) });
        for (let i = 0; i < 99; ++i) await refused(wrong);
        console.log(await refused(wrong));
        console.log(await refused(() => model.evaluate({ label: [0.5, ...label.slice(1)] })));
        console.log(model.evaluate({ label }).y.length);
        """,
    )
    assert lines == [
        "mithril.BackendError[E1053]: an index is out of range",
        "mithril.InputError[E0805]: 'label' has 0.5, expected a whole number",
        "36",
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.slow
def test_memory_does_not_grow(mlp: Path, engine: str) -> None:
    lines = run(
        mlp,
        """
        const x = new Float32Array(24).fill(0.1);
        const model = await createModel();
        const call = () => model.evaluateGradients({ x }, { y: new Float32Array(12) });
        for (let i = 0; i < 500; ++i) call();
        let before = await used();
        for (let i = 0; i < 10000; ++i) call();
        console.log((await used()) - before);
        const kept = []; // so that only dispose() can free their memory
        const cycle = async () => {
          const other = await createModel();
          kept.push(other);
          other.evaluate({ x });
          other.dispose();
        };
        for (let i = 0; i < 10; ++i) await cycle();
        before = await used();
        for (let i = 0; i < 100; ++i) await cycle();
        console.log((await used()) - before);
        """,
        engine,
    )
    calls, cycles = map(int, lines)
    assert calls < 2_000_000
    assert cycles < 5_000_000


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [4, 1, 0])
@pytest.mark.sampled(2)
def test_states_are_carried_on(target: str, rows: int, tmp_path: Path) -> None:
    compiled = ml.compile(
        chain(ml.BatchNorm1D(), ml.Relu()),
        ml.CpuBackend(),
        shapes={"x": [rows, 3]},
        data_keys={"x"},
    )
    module = write_module(target, compiled, tmp_path / "model")
    data = {"x": np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)}
    params = compiled.randomize_params(0)
    state: Any = compiled.initial_state_dict
    for _ in range(3):
        _, state = compiled.evaluate(params, data, state=state)
    lines = run(
        module,
        f"const length = {3 * rows};"
        """
        const model = await createModel();
        const x = Float32Array.from({ length }, (_, i) => i);
        for (let i = 0; i < 3; ++i) model.evaluate({ x });
        for (const elements of Object.values(model.states)) console.log(elements.join(" "));
        model.resetStates();
        for (const elements of Object.values(model.states)) console.log(elements.join(" "));
        """,
    )
    got = [np.array(line.split(), np.float32) for line in lines]
    saved = dict(state.items())
    assert len(got) == 2 * len(saved)
    for line, value in zip(got, saved.values(), strict=False):
        assert np.allclose(line, np.asarray(value).ravel(), atol=1e-5)
    assert sorted(map(float, np.concatenate(got[len(saved) :]))) == [0, 0, 0, 1, 1, 1]


# Shifts that leave 32 bits, cross the sign and shift all out; results are exact as doubles.
SHIFTED = np.repeat([0, 1, -1, 3, -3, 2**31, -(2**40) - 1, 2**52 + 1, -(2**53) + 1, 2**53], 74)
SHIFTS = {"input": SHIFTED, "shift": np.tile(np.arange(-3, 71), 10)}

# Inputs for which plain operators of JavaScript give something else.
EDGES: dict[str, tuple[Callable[[], ml.Model], dict[str, Any]]] = {
    "a bound near the largest int64": (
        lambda: ml.Clamp(min_val=0, max_val=2**63 - 1),
        {"input": np.array([5, -7])},
    ),
    "bits above the 32nd": (
        ml.BitwiseOr,
        {"left": np.array([2**40, -1]), "right": np.array([1, 2])},
    ),
    "shifts to the left": (ml.ShiftLeft, SHIFTS),
    "shifts to the right": (ml.ShiftRight, SHIFTS),
    "a quotient that is -0": (
        ml.FloorDivide,
        {"numerator": np.array([0, -0.0, 1], np.float32), "denominator": np.float32([-3, 2, 2])},
    ),
    "bools": (
        ml.LogicalAnd,
        {"left": np.array([True, True, False]), "right": np.array([True, False, True])},
    ),
}


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EDGES)
@pytest.mark.sampled(5)
def test_edges_are_those_of_the_cpu_backend(name: str, target: str, tmp_path: Path) -> None:
    layer, data = EDGES[name]
    model = ml.Model()
    model |= layer()(**{key: key for key in data}, output="y")
    shapes = {key: list(value.shape) for key, value in data.items()}
    types = {
        key: ml.Tensor[{"i": int, "f": float, "b": bool}[v.dtype.kind]] for key, v in data.items()
    }
    model.set_types(types)
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=set(data))
    expected = np.asarray(compiled.evaluate({}, data)["y"], dtype=float)
    module = write_module(target, compiled, tmp_path / "model")
    given = {key: [int(x) if v.dtype == bool else float(x) for x in v] for key, v in data.items()}
    text = ", ".join(f"{key}: [{', '.join(map(repr, values))}]" for key, values in given.items())
    printed = run(
        module,
        f"""
        const model = await createModel();
        const {{ y }} = model.evaluate({{ {text} }});
        for (const x of y) console.log(Object.is(x, -0) ? "-0" : Number(x));
        """,
    )
    got = np.array([float(line) for line in printed])
    assert np.array_equal(got, expected)
    assert np.array_equal(np.signbit(got), np.signbit(expected))


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["loop_y", "extends", "copy", "$loop_y", "memory", "y_loop"])
@pytest.mark.sampled(5)
def test_names_of_users_do_not_collide_with_names_of_the_module(
    name: str, target: str, tmp_path: Path
) -> None:
    model = ml.Model()
    model |= ml.Relu()(input=name, output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={name: [2]}, data_keys={name})
    module = write_module(target, compiled, tmp_path / "model")
    script = f"console.log((await createModel()).evaluate({{ [{name!r}]: [-1, 2] }}).y.join());"
    assert run(module, script) == ["0,2"]


@needs_node
@pytest.mark.parametrize(
    "entry",
    [
        {"data_offsets": ["0", 8]},
        {"data_offsets": [[0], 8]},
        {"data_offsets": [-8, 0]},
        {"shape": [-1, -2]},
        {"shape": [0.5, 4]},
        {"shape": 2},
    ],
)
@pytest.mark.sampled(3)
def test_sizes_of_safetensors_are_checked(mlp: Path, entry: dict[str, Any], tmp_path: Path) -> None:
    header = {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **entry}}
    text = json.dumps(header).encode()
    file = tmp_path / "a.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + np.float32([1, 2]).tobytes())
    script = f"""
        const bytes = await read({file.as_uri()!r});
        console.log(await refused(() => readSafetensors(bytes)));
        """
    assert "are not sizes" in run(mlp, script)[0]
