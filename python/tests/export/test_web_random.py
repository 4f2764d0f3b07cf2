"""Random numbers and keys of generated modules are those of the CPU backend, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from web_tools import ENGINES, TARGETS, needs_node, run, write_module

import mithril as ml

READ = "const tensors = async (name) => readSafetensors(await read(name));\n"


def evaluations(compiled: ml.CompiledModel, data: dict[str, Any], times: int) -> Any:
    """The outputs of each evaluation, and the last state."""
    outputs, state = [], compiled.initial_state_dict
    for _ in range(times):
        found, state = compiled.evaluate({}, data, state=state)
        outputs.append(found)
    return outputs, state


def drawn(name: str) -> tuple[ml.Model, dict[str, Any]]:
    model = ml.Model()
    if name == "dropout":
        model |= ml.Dropout(0.3, seed=5)(input="x", output="y")
        return model, {"x": np.linspace(-2, 2, 3 * 1001, dtype=np.float32).reshape(3, 1001)}
    if name == "normal":
        model |= ml.Randn(shape=(7, 301), key=2)(output="y")
    elif name == "ints":
        model |= ml.RandInt(shape=(999,), key=3, low=-(2**40), high=2**41)(output="y")
    else:
        model |= ml.RandInt(shape=(999,), key=4, low=-7, high=12, dtype=ml.int32)(output="y")
    return model, {}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["dropout", "normal", "ints", "short ints"])
@pytest.mark.sampled(9)
def test_numbers_and_keys_are_those_of_the_cpu_backend(
    name: str, target: str, engine: str, tmp_path: Path
) -> None:
    model, data = drawn(name)
    shapes = {key: list(value.shape) for key, value in data.items()}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=set(data))
    outputs, state = evaluations(compiled, data, 3)
    expected = {f"y{i}": found["y"] for i, found in enumerate(outputs)}
    module = write_module(target, compiled, tmp_path)
    ml.save(tmp_path / "expected.safetensors", {**expected, **data})
    lines = run(
        module,
        READ
        + """
        const { x, ...expected } = await tensors("expected.safetensors");
        const model = await createModel();
        const first = Object.values(model.states)[0][0];
        const data = x ? { x: x.data } : {};
        for (const i of [0, 1, 2]) {
          const { y } = model.evaluate(data);
          console.log(y.every((each, k) => each === Number(expected[`y${i}`].data[k])));
        }
        console.log(String(Object.values(model.states)[0][0]));
        model.resetStates();
        console.log(Object.values(model.states)[0][0] === first, typeof first);
        """,
        engine,
    )
    (key,) = (int(np.asarray(value)) for value in state.values())
    assert key > 2**53
    assert lines == ["true", "true", "true", str(key), "true bigint"]


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_a_key_is_saved_and_loaded_with_all_its_bits(target: str, tmp_path: Path) -> None:
    model, data = drawn("dropout")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3, 1001]}, data_keys={"x"})
    _, state = evaluations(compiled, data, 2)
    ml.save(tmp_path / "state.safetensors", {f"state:{k}": np.asarray(v) for k, v in state.items()})
    ml.save(tmp_path / "data.safetensors", data)
    _, expected = evaluations(compiled, data, 5)
    module = write_module(target, compiled, tmp_path)
    run(
        module,
        READ
        + f"""
        import {{ writeFile }} from "node:fs/promises";
        const model = await createModel();
        model.loadStateDict(await tensors("state.safetensors"));
        const {{ x }} = await tensors("data.safetensors");
        for (let i = 0; i < 3; ++i) model.evaluate({{ x: x.data }});
        const file = writeSafetensors(model.stateDict());
        await writeFile({str(tmp_path / "next.safetensors")!r}, file);
        """,
    )
    saved = ml.load(tmp_path / "next.safetensors")
    assert {key: int(np.asarray(value)) for key, value in saved.params.items()} == {
        f"state:{key}": int(np.asarray(value)) for key, value in expected.items()
    }


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("key", [0, -1, 2**31, 2**53 + 1, -(2**63), 2**63 - 1])
@pytest.mark.sampled(7)
def test_keys_that_come_in_may_have_64_bits(key: int, target: str, tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Add()(left="key", right="offset", output="sum")
    model |= ml.Multiply()(left="sum", right=ml.Tensor(2**60 + 1), output="product")
    model |= ml.PrimitiveRandn()(shape=(50,), key="product", output="y")
    model |= ml.Multiply()(left="sum", right="factors", output="narrow")
    model.set_types(dict.fromkeys(["key", "offset", "factors"], ml.Tensor[int]))
    shapes = {"key": [], "offset": [], "factors": [2]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=set(shapes))
    data = {"key": np.array(key), "offset": np.array(1), "factors": np.array([0, 0])}
    expected = np.asarray(compiled.evaluate({}, data)["y"])
    module = write_module(target, compiled, tmp_path / "model")
    line, narrow = run(
        module,
        f"""
        const model = await createModel();
        const {{ y, narrow }} = model.evaluate({{ key: [{key}n], offset: [1], factors: [0, 0] }});
        console.log(y.join(" "));
        console.log(narrow.join(" "));
        """,
    )
    assert np.array_equal(np.array(line.split(), np.float32), expected)
    assert narrow == "0 0"


def regression() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(16)(input="x", output="hidden")
    model |= ml.Dropout(0.4, seed=1)(input="hidden", output="kept")
    model |= ml.Linear(2)(input="kept", output="predicted")
    model |= ml.SquaredError()(input="predicted", target="target", output="errors")
    model |= ml.Mean()(input="errors", output="loss")
    model.expose_keys("kept", "loss")
    return model


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(5)
def test_a_model_with_dropout_trains_with_the_masks_of_the_cpu_backend(
    target: str, engine: str, tmp_path: Path
) -> None:
    compiled = ml.compile(
        regression(),
        ml.CpuBackend(),
        shapes={"x": [20, 4], "target": [20, 2]},
        data_keys={"x", "target"},
    )
    random = np.random.default_rng(0)
    x = random.standard_normal((20, 4)).astype(np.float32)
    data = {"x": x, "target": x[:, :2] * 2 - x[:, 2:]}
    params = compiled.randomize_params(2)
    ml.save(tmp_path / "given.safetensors", {**params, **{f"data:{k}": v for k, v in data.items()}})
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.002), output_gradients={"loss": 1.0})
    expected = []
    for _ in range(60):
        outputs = step(params, data)
        mask = "".join("01"[int(value != 0)] for value in np.asarray(outputs["kept"]).ravel())
        expected.append((float(outputs["loss"]), mask))
    module = write_module(target, compiled, tmp_path)
    lines = run(
        module,
        READ
        + """
        const given = await tensors("given.safetensors");
        const model = await createModel();
        model.loadStateDict(given, { strict: false });
        const optimizer = new SGD(model, { learningRate: 0.002 });
        const data = { x: given["data:x"].data, target: given["data:target"].data };
        for (let i = 0; i < 60; ++i) {
          const { kept, loss } = model.trainStep(data, optimizer, { loss: [1] });
          console.log(loss[0], Array.from(kept, (each) => Number(each !== 0)).join(""));
        }
        """,
        engine,
    )
    got = [line.split() for line in lines]
    assert [mask for _, mask in got] == [mask for _, mask in expected]
    assert len({mask for _, mask in expected}) == 60
    losses = np.array([loss for loss, _ in expected])
    assert np.allclose([float(loss) for loss, _ in got], losses, rtol=1e-4)
    assert losses[-10:].mean() < 0.5 * losses[:10].mean()


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_states_that_are_ints_may_come_from_kernels_and_go_to_them(
    target: str, tmp_path: Path
) -> None:
    model = ml.Model()
    model |= ml.FloorDivide()(numerator="count", denominator="x", output="quotients")
    model |= ml.Sum()(input="quotients", output="sum")
    model |= ml.Add()(left="count", right=2**53, output="next_large")
    model |= ml.Cast(dtype=ml.float64)(input="large", output="y")
    model.set_types(dict.fromkeys(["count", "large", "x"], ml.Tensor[int]))
    model.bind_state_keys("count", "sum", ml.Tensor(90))
    model.bind_state_keys("large", "next_large", ml.Tensor(0))
    model.expose_keys("y", "quotients")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3]}, data_keys={"x"})
    data = {"x": np.array([1, 2, -3])}
    outputs, state = evaluations(compiled, data, 3)
    module = write_module(target, compiled, tmp_path / "model")
    lines = run(
        module,
        """
        const model = await createModel();
        for (let i = 0; i < 3; ++i) {
          const { y, quotients } = model.evaluate({ x: [1, 2, -3] });
          console.log(y.join(" "), quotients.join(" "));
        }
        for (const key of ["count", "large"]) console.log(String(model.states[key][0]));
        """,
    )
    for found, line in zip(outputs, lines, strict=False):
        numbers = np.concatenate([np.ravel(found["y"]), np.ravel(found["quotients"])])
        assert [float(word) for word in line.split()] == numbers.tolist()
    assert [int(line) for line in lines[3:]] == [
        int(np.asarray(state[k])) for k in ("count", "large")
    ]


@needs_node
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_views_have_the_classes_that_the_types_declare(target: str, tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Linear(2)(input="x", output="hidden")
    model |= ml.Dropout(0.5)(input="hidden", output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [2, 3]}, data_keys={"x"})
    module = write_module(target, compiled, tmp_path)
    declared = (tmp_path / "model.d.ts").read_text()
    lines = run(
        module,
        """
        const model = await createModel();
        for (const views of [model.parameters, model.states])
          for (const [key, view] of Object.entries(views))
            console.log(`  readonly "${key}": ${view.constructor.name};`);
        """,
    )
    assert len(lines) == 3
    assert lines[2].endswith("BigInt64Array;")
    assert all(line in declared for line in lines)
