"""The network of the JavaScript driver: new, trained, saved and loaded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from web_driver import SIZES, run_driver
from web_models import driver_network
from web_tools import ENGINES, needs_node

import mithril as ml

TEXT = "the graph is the product. targets are ways to run it. "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("driver")
    ml.write_web_driver(made / "node_modules" / "mithril-driver")
    return made


def starts_of(seed: int, count: int, end: int) -> list[int]:
    """Returns where the driver's sequences begin: numbers of mulberry32 below `end`."""
    starts, mask = [], 0xFFFFFFFF
    for _ in range(count):
        seed = (seed + 0x6D2B79F5) & mask
        mixed = ((seed ^ (seed >> 15)) * (1 | seed)) & mask
        mixed ^= (mixed + (((mixed ^ (mixed >> 7)) * (61 | mixed)) & mask)) & mask
        starts.append((mixed ^ (mixed >> 14)) * end >> 32)
    return starts


def compiled_network(sizes: dict[str, int], data: dict[str, np.ndarray]) -> ml.CompiledModel:
    shapes = {key: list(value.shape) for key, value in data.items()}
    return ml.compile(driver_network(sizes), ml.CpuBackend(), shapes=shapes, data_keys={*data})


@needs_node
@pytest.mark.parametrize("width", [8, 6], ids=["four heads", "one head"])
def test_gradients_are_those_of_the_model_in_mithril(width: int, folder: Path) -> None:
    sizes = {**SIZES, "hiddenSize": width}
    tokens = [3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 0]
    lines = run_driver(
        folder,
        f"""
        const model = await networkOf({{ architecture: {json.dumps(sizes)}, seed: 3 }});
        await model.save(path("before.safetensors"));
        const options = {{ steps: 1, batchSize: 4, optimizer: "sgd", learningRate: 1, seed: 6 }};
        console.log((await model.train({tokens}, options)).losses[0]);
        await model.save(path("after.safetensors"));
        """,
    )
    before, after = (ml.load(folder / f"{name}.safetensors").params for name in ("before", "after"))
    length = sizes["contextLength"]
    starts = starts_of(6, 4, len(tokens) - length)
    assert len(set(starts)) > 1
    rows = np.array([tokens[start : start + length + 1] for start in starts])
    data = {"tokens": rows[:, :-1], "next": rows[:, 1:]}
    compiled = compiled_network(sizes, data)
    outputs, gradients = compiled.evaluate(before, data, output_gradients={"loss": 1.0})
    assert float(lines[0]) == pytest.approx(float(outputs["loss"]), rel=1e-5)
    assert set(gradients) == set(before) == set(after)
    for name, gradient in gradients.items():
        found = before[name].astype(np.float64) - after[name]
        np.testing.assert_allclose(found, gradient, rtol=1e-4, atol=2e-6, err_msg=name)


@needs_node
def test_adam_moves_the_weights_as_in_mithril(folder: Path) -> None:
    tokens = [3, 1, 4, 1, 5, 2]  # one sequence
    run_driver(
        folder,
        f"""
        const model = await networkOf({{ architecture: {json.dumps(SIZES)}, seed: 3 }});
        await model.save(path("first.safetensors"));
        await model.train({tokens}, {{ steps: 5, batchSize: 1, learningRate: 0.01 }});
        await model.save(path("last.safetensors"));
        """,
    )
    data = {"tokens": np.array([tokens[:-1]]), "next": np.array([tokens[1:]])}
    compiled = compiled_network(SIZES, data)
    params = ml.load(folder / "first.safetensors").params
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.01), output_gradients={"loss": 1.0})
    for _ in range(5):
        step(params, data)
    found = ml.load(folder / "last.safetensors").params
    width = SIZES["hiddenSize"]
    for name, expected in params.items():
        kept = np.arange(len(expected))
        if name.endswith("attention.bias"):  # softmax does not depend on the biases of keys
            kept = np.delete(kept, np.s_[width : 2 * width])
        np.testing.assert_allclose(found[name][kept], expected[kept], atol=2e-3, err_msg=name)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.sampled(2)
def test_a_new_network_learns_a_text_and_is_loaded_again(engine: str, folder: Path) -> None:
    lines = run_driver(
        folder,
        f"""
        const architecture = {{
          inputSize: 256, hiddenSize: 16, outputSize: 256, contextLength: 16,
        }};
        const model = await networkOf({{ architecture, seed: 1 }});
        const losses = [];
        const answer = await model.train({(TEXT * 4)!r}, {{
          steps: 120, batchSize: 4, learningRate: 0.02, seed: 2,
          onStep: ({{ loss }}) => losses.push(loss),
        }});
        console.log(answer.losses.join() === losses.join(), losses.length);
        const mean = (some) => some.reduce((sum, loss) => sum + loss, 0) / some.length;
        console.log(mean(losses.slice(0, 5)), mean(losses.slice(-5)));
        const greedy = {{ maxTokens: 20, temperature: 0 }};
        const text = await model.generate("the gr", greedy);
        console.log(JSON.stringify(text));
        const again = await networkOf({{ weights: await model.save(), architecture }});
        console.log((await again.generate("the gr", greedy)) === text);
        console.log(await lmError(async () => new TorchModel({{
          weights: (await model.save()).slice(0, 900),
        }}).init()));
        """,
        engine,
    )
    assert lines[0] == "true 120"
    first, last = (float(number) for number in lines[1].split())
    assert first > 3
    assert last < 1.2
    assert json.loads(lines[2]).startswith("aph")
    assert lines[3] == "true"
    assert lines[4].startswith("true the weights cannot be loaded: mithril.ParseError[E074")


@needs_node
def test_a_saved_file_is_a_model_path(folder: Path) -> None:
    lines = run_driver(
        folder,
        f"""
        const architecture = {json.dumps(SIZES)};
        const model = await networkOf({{ architecture }});
        await model.save(path("net.safetensors"));
        const modelPath = path("net.safetensors");
        const again = await networkOf({{ modelPath, architecture }});
        console.log((await again.generate("a")) === (await model.generate("a")));
        const wrong = {{ ...architecture, hiddenSize: 9 }};
        console.log(await lmError(() => networkOf({{ modelPath, architecture: wrong }})));
        await again.cleanup();
        console.log(await lmError(() => again.save()));
        """,
    )
    assert lines == [
        "true",
        "true architecture.hiddenSize is 9, and the model has 8",
        "true the model is not loaded: call init() first",
    ]
    weights = ml.load(folder / "net.safetensors").params
    ml.save(folder / "net.safetensors", {**weights, "norm.bias": np.zeros(3, np.float32)})
    script = 'console.log(await lmError(() => networkOf({ modelPath: path("net.safetensors") })));'
    assert run_driver(folder, script) == [
        "true the weight 'norm.bias' is float32 [3], expected float32 [8]"
    ]
    del weights["norm.bias"]
    ml.save(folder / "net.safetensors", weights)
    assert run_driver(folder, script) == [
        "true the weights are of no network of this driver: 'norm.bias' is missing"
    ]


@needs_node
def test_seeds_make_equal_networks_and_equal_trainings(folder: Path) -> None:
    lines = run_driver(
        folder,
        f"""
        const architecture = {json.dumps(SIZES)};
        const bytesOf = async (seed, trainSeed) => {{
          const model = await networkOf({{ architecture, seed }});
          const tokens = [1, 2, 3, 4, 5, 6, 0, 2, 4, 6, 1, 3, 5];
          await model.train(tokens, {{ steps: 2, batchSize: 2, seed: trainSeed }});
          return (await model.save()).join();
        }};
        console.log((await bytesOf(1, 1)) === (await bytesOf(1, 1)));
        console.log((await bytesOf(1, 1)) === (await bytesOf(1, 2)));
        console.log((await bytesOf(1, 1)) === (await bytesOf(2, 1)));
        """,
    )
    assert lines == ["true", "false", "false"]
