"""The driver for pipelines of language models generates text with a package, in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from web_models import LENGTH, gpt
from web_tools import has_wasm, needs_node, node, write_module

import mithril as ml

TEXT = b"the graph is the product. targets are ways to run it. " * 8
SIZES = {"inputSize": 256, "hiddenSize": 32, "outputSize": 256, "numLayers": 1}
ARCHITECTURE = json.dumps(SIZES)


def trained() -> dict[str, np.ndarray]:
    model = ml.Model()
    model |= gpt()(tokens="tokens", logits="logits")
    model |= ml.SwapAxes(axis1=1, axis2=2)(input="logits", output="by_class")
    model |= ml.CrossEntropy()(input="by_class", target="next", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    shapes = {"tokens": [16, LENGTH], "next": [16, LENGTH]}
    compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys={"tokens", "next"})
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=1e-2), output_gradients={"loss": 1.0})
    codes = np.frombuffer(TEXT, np.uint8).astype(np.int64)
    random = np.random.default_rng(0)
    for _ in range(250):
        starts = random.integers(0, len(codes) - LENGTH - 1, 16)
        rows = np.stack([codes[start : start + LENGTH + 1] for start in starts])
        step(params, {"tokens": rows[:, :-1], "next": rows[:, 1:]})
    return {key.removeprefix("model."): value for key, value in params.items()}


def greedy(compiled: ml.CompiledModel, params: dict[str, np.ndarray], prompt: str) -> str:
    codes = list(prompt.encode())
    for _ in range(40):
        tokens = np.zeros((1, LENGTH), np.int64)
        window = codes[-LENGTH:]
        tokens[0, : len(window)] = window
        logits = compiled.evaluate(params, {"tokens": tokens})["logits"]
        codes.append(int(logits[0, len(window) - 1].argmax()))
    return bytes(codes[len(prompt) :]).decode()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The package, and what its model answers to "the gr"."""
    folder = tmp_path_factory.mktemp("driver")
    params = trained()
    compiled = ml.compile(gpt(), ml.CpuBackend(), shapes={"tokens": [1, LENGTH]}, inference=True)
    backends = {}
    for target in ["javascript", "wasm"] if has_wasm() else ["javascript"]:
        made = write_module(target, compiled, folder / target).parent
        backends[target] = {"files": {file.name: file for file in made.iterdir()}}
    ml.save_package(folder / "gpt", gpt(), params, backends={"cpu": {}, **backends}, sizes=SIZES)
    ml.write_web_driver(folder / "node_modules" / "mithril-driver")
    return folder, greedy(compiled, params, "the gr")


def run(package: tuple[Path, str], script: str) -> list[str]:
    folder, _ = package
    file = folder / "run.mjs"
    file.write_text(
        """
        import { LMError, TorchModel, TorchUtils } from "mithril-driver";
        const refused = async (action) => {
          try {
            await action();
          } catch (error) {
            return `${error instanceof LMError} ${error.message}`;
          }
          return "nothing";
        };
        const modelPath = new URL("gpt", import.meta.url).pathname;
        """
        + script
    )
    return node(file).splitlines()


@needs_node
def test_a_package_generates_text(package: tuple[Path, str]) -> None:
    lines = run(
        package,
        f"""
        const architecture = {ARCHITECTURE};
        const model = new TorchModel({{ modelPath, deviceType: "cpu", architecture }});
        await model.init();
        const greedy = {{ maxTokens: 40, temperature: 0 }};
        console.log(JSON.stringify(await model.generate("the gr", greedy)));
        const stopSequences = ["product", "."];
        console.log(JSON.stringify(await model.generate("the gr", {{ ...greedy, stopSequences }})));
        const sampled = {{ maxTokens: 30, temperature: 1.5, topP: 0.95, seed: 4 }};
        const first = await model.generate("the gr", sampled);
        console.log(first === (await model.generate("the gr", sampled)));
        console.log(first === (await model.generate("the gr", {{ ...sampled, seed: 5 }})));
        console.log((await model.generate("", {{ maxTokens: 3 }})).length > 0);
        console.log(await model.generate("the", {{ maxTokens: 0 }}) === "");
        """,
    )
    answer = package[1]
    assert answer.startswith("aph is the product. targets are")
    assert json.loads(lines[0]) == answer
    assert json.loads(lines[1]) == answer[: answer.index("product")]
    assert lines[2:] == ["true", "false", "true", "true"]


@needs_node
def test_mistakes_are_lm_errors_with_their_cause(package: tuple[Path, str]) -> None:
    lines = run(
        package,
        """
        for (const deviceType of ["webgl", "webgpu", "tpu"])
          console.log(await refused(() => new TorchModel({ modelPath, deviceType }).init()));
        console.log(await refused(() => new TorchModel().init()));
        console.log(await refused(() => new TorchModel({ modelPath }).generate("a")));
        const architecture = { hiddenSize: 64 };
        console.log(await refused(() => new TorchModel({ modelPath, architecture }).init()));
        try {
          await new TorchModel({ modelPath: "/nowhere" }).init();
        } catch (error) {
          console.log(error instanceof LMError, error.cause.code);
        }
        const model = new TorchModel({ modelPath });
        await model.init();
        console.log(await refused(() => model.generate("a", { temperature: -1 })));
        console.log(await refused(() => model.generate("a", { topP: 0 })));
        console.log(await refused(() => model.generate(7)));
        model.cleanup();
        console.log(await refused(() => model.generate("a")));
        """,
    )
    assert lines == [
        "true the device 'webgl' is not available: this driver runs models on 'cpu'",
        "true the device 'webgpu' is not available: this driver runs models on 'cpu'",
        "true there is no device 'tpu', expected one of cpu, webgl, webgpu",
        "true modelPath is needed: the folder of a package of a language model",
        "true the model is not loaded: call init() first",
        "true architecture.hiddenSize is 64, and the model has 32",
        "true ENOENT",
        "true temperature is -1, expected a number from 0 on",
        "true topP is 0, expected a number above 0 up to 1",
        "true the prompt is no text but 7",
        "true the model is not loaded: call init() first",
    ]


@needs_node
def test_a_changed_file_is_refused(package: tuple[Path, str], tmp_path: Path) -> None:
    shutil.copytree(package[0], tmp_path / "copy")
    with (tmp_path / "copy" / "gpt" / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x7f")
    lines = run(
        (tmp_path / "copy", ""),
        "console.log(await refused(() => new TorchModel({ modelPath }).init()));",
    )
    assert lines == ["true the file model.safetensors does not match its checksum"]


@needs_node
def test_utilities_make_and_move_tensors(package: tuple[Path, str]) -> None:
    lines = run(
        package,
        """
        const { createTensor, toDevice, extractTensorData, calculateTensorMemory } = TorchUtils;
        const tensor = createTensor([1, 2, 3, 4], [2, 2]);
        console.log(extractTensorData(toDevice(tensor, "cpu")).join(" "), tensor.dtype);
        console.log(calculateTensorMemory([2, 3]), calculateTensorMemory([2, 3], "float64"));
        console.log(await refused(() => toDevice(tensor, "webgl")));
        console.log(await refused(() => createTensor([1], [2])));
        """,
    )
    assert lines == [
        "1 2 3 4 float32",
        "24 48",
        "true the device 'webgl' is not available: this driver runs models on 'cpu'",
        "true 1 elements do not fill the shape [2]",
    ]


@needs_node
def test_cycles_of_init_and_cleanup_keep_their_memory(package: tuple[Path, str]) -> None:
    folder, _ = package
    script = """
    import { TorchModel } from "mithril-driver";
    const modelPath = new URL("gpt", import.meta.url).pathname;
    const cycle = async () => {
      const model = new TorchModel({ modelPath });
      await model.init();
      await model.generate("a", { maxTokens: 1 });
      model.cleanup();
    };
    const used = async () => {
      for (let i = 0; i < 5; ++i) {
        gc();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    for (let i = 0; i < 10; ++i) await cycle();
    const before = await used();
    for (let i = 0; i < 100; ++i) await cycle();
    console.log((await used()) - before);
    """
    (folder / "cycles.mjs").write_text(script)
    assert int(node(folder / "cycles.mjs", flags=("--expose-gc",))) < 5_000_000


@needs_node
def test_the_types_are_strict(package: tuple[Path, str], tmp_path: Path) -> None:
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("tsc is not installed")
    folder, _ = package
    shutil.copytree(folder / "node_modules", tmp_path / "node_modules")
    (tmp_path / "use.ts").write_text(
        f"""
        import {{ LMError, TorchModel, TorchModelConfig, TorchUtils }} from "mithril-driver";
        const config: TorchModelConfig = {{ modelPath: "gpt", architecture: {ARCHITECTURE} }};
        export async function answer(prompt: string): Promise<string> {{
          const model = new TorchModel(config);
          await model.init();
          try {{
            const stopSequences = ["."];
            return await model.generate(prompt, {{ maxTokens: 9, topP: 0.9, stopSequences }});
          }} catch (error) {{
            if (error instanceof LMError) return String(error.cause);
            throw error;
          }} finally {{
            model.cleanup();
          }}
        }}
        export const bytes: number = TorchUtils.calculateTensorMemory([2]);
        // @ts-expect-error - there is no such device
        new TorchModel({{ deviceType: "tpu" }});
        """
    )
    command = [tsc, "--strict", "--noEmit", "--target", "es2022", "--module", "node16"]
    checked = subprocess.run(
        [*command, "use.ts"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
