"""The options and errors of the JavaScript driver, its utilities and types."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from web_driver import SIZES, run_driver
from web_tools import needs_node

import mithril as ml


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("driver")
    ml.write_web_driver(made / "node_modules" / "mithril-driver")
    return made


# The option, its value, and what the driver expects.
GENERATION = {
    'stopSequences: "x"': "stopSequences is 'x', expected an array of texts that are not empty",
    'stopSequences: ["a", ""]': (
        "stopSequences is ['a', ''], expected an array of texts that are not empty"
    ),
    "stopSequences: [1]": "stopSequences is [1], expected an array of texts that are not empty",
    "maxTokens: 1.5": "maxTokens is 1.5, expected a whole number",
    'maxTokens: "5"': "maxTokens is '5', expected a whole number",
    "temperature: NaN": "temperature is NaN, expected a number from 0 on",
    "temperature: 5n": "temperature is 5, expected a number from 0 on",
    "topP: null": "topP is null, expected a number above 0 up to 1",
    "topP: {}": "topP is {}, expected a number above 0 up to 1",
    'seed: "a"': "seed is 'a', expected a whole number",
    "maxToken: 5": (
        "generate() has no option 'maxToken' (5), "
        "expected maxTokens, temperature, topP, stopSequences, seed"
    ),
}
TRAINING = {
    "steps: 0": "steps is 0, expected a whole number from 1 on",
    "batchSize: -1": "batchSize is -1, expected a whole number from 1 on",
    "learningRate: 0": "learningRate is 0, expected a number above 0",
    'optimizer: "toString"': "optimizer is 'toString', expected one of adam, sgd",
    "seed: 0.5": "seed is 0.5, expected a whole number",
    "onStep: 3": "onStep is 3, expected a function",
    "epochs: 3": (
        "train() has no option 'epochs' (3), "
        "expected steps, batchSize, learningRate, optimizer, seed, onStep"
    ),
}
CONFIG = {
    "modelPath: 7": "modelPath is 7, expected a path or an address",
    "weights: [1]": "weights is [1], expected a Uint8Array",
    'modelPath: "a", weights: new Uint8Array(1)': (
        "modelPath is 'a', and weights are given: expected one of both"
    ),
    "architecture: 8": "architecture is 8, expected an object",
    'modelPath: "a", architecture: null': "architecture is null, expected an object",
    "architecture: { ...sizes, hiddenSize: 1e12 }": (
        "the network of architecture "
        '{"inputSize":7,"hiddenSize":1000000000000,"outputSize":9,"numLayers":2,"contextLength":5}'
        " cannot be made: Invalid typed array length: 7000000000000"
    ),
    "architecture: {}": ("architecture.inputSize is undefined, expected a whole number from 1 on"),
    "architecture: { ...sizes, numLayers: 0 }": (
        "architecture.numLayers is 0, expected a whole number from 1 on"
    ),
    "architecture: { ...sizes, numLayers: 1e12 }": (
        "architecture.numLayers is 1000000000000, expected at most 1000"
    ),
    "architecture: { ...sizes, depth: 2 }": (
        "architecture has no option 'depth' (2), "
        "expected inputSize, hiddenSize, outputSize, numLayers, contextLength"
    ),
    "architecture: sizes, seed: () => 1": "seed is a function, expected a whole number",
    "architecture: sizes, device: 1": (
        "TorchModel has no option 'device' (1), "
        "expected modelPath, weights, architecture, deviceType, seed"
    ),
}


@needs_node
@pytest.mark.parametrize("call", ["generate", "train", "init"])
def test_wrong_options_are_errors_that_name_them(call: str, folder: Path) -> None:
    cases = {"generate": GENERATION, "train": TRAINING, "init": CONFIG}[call]
    actions = {
        "generate": 'model.generate("a", {{ {} }})',
        "train": "model.train([1, 2, 3], {{ {} }})",
        "init": "networkOf({{ {} }})",
    }
    lines = run_driver(
        folder,
        f"const sizes = {json.dumps(SIZES)};"
        "const model = await networkOf({ architecture: sizes });"
        + "".join(
            f"console.log(await lmError(() => {actions[call].format(case)}));" for case in cases
        ),
    )
    assert lines == [f"true {message}" for message in cases.values()]


@needs_node
def test_wrong_arguments_are_errors(folder: Path) -> None:
    lines = run_driver(
        folder,
        f"""
        const model = await networkOf({{ architecture: {json.dumps(SIZES)} }});
        console.log(await lmError(() => model.generate("a", "b")));
        console.log(await lmError(() => model.generate("a", null)));
        console.log(await lmError(() => new TorchModel(null).init()));
        console.log(await lmError(() => model.train("text")));
        console.log(await lmError(() => model.train(7)));
        console.log(await lmError(() => model.train([1])));
        console.log(await lmError(() => model.train([1, 2, 7])));
        console.log(await lmError(() => model.save("net.pt")));
        const training = model.train([1, 2, 3], {{ steps: 3 }});
        console.log(await lmError(() => model.train([1, 2, 3])));
        model.cleanup();
        console.log(await lmError(() => training));
        """,
    )
    assert lines == [
        "true the options of generate() are 'b', expected an object",
        "true the options of generate() are null, expected an object",
        "true the options of TorchModel are null, expected an object",
        "true a network of inputSize 7 and outputSize 9 learns arrays of tokens; "
        "texts need 256 of both",
        "true the data is 7, expected a text or an array of tokens",
        "true the data has 1 tokens, expected at least 2",
        "true token 2 of the data is 7, expected a whole number below 7",
        "true path is 'net.pt', expected the path of a .safetensors file",
        "true the model is being trained: await train() first",
        "true the model was cleaned up while it was trained",
    ]


@needs_node
def test_errors_keep_causes_of_any_kind(folder: Path) -> None:
    lines = run_driver(
        folder,
        """
        const causes = [new TypeError("a"), "text", 0, null, { cause: 1 }, undefined];
        const kept = causes.map((cause) => new LMError("message", cause).cause);
        console.log(kept.every((cause, i) => Object.is(cause, causes[i])));
        const error = new LMError("message");
        console.log(error.message, error.name, error.cause, error instanceof Error);
        """,
    )
    assert lines == ["true", "message LMError undefined true"]


@needs_node
def test_programs_for_the_original_driver_run(folder: Path) -> None:
    lines = run_driver(
        folder,
        """
        const architecture = { inputSize: 10, hiddenSize: 20, outputSize: 10 };
        const model = new TorchModel({ deviceType: "cpu", architecture });
        console.log(await lmError(() => model.generate("test")));
        await model.init();
        console.log(await model.generate("test prompt"));
        await model.cleanup();
        console.log(await lmError(() => model.generate("test")));
        console.log(await lmError(() => new TorchModel({}).init()));
        console.log(await lmError(() => new TorchModel({}).generate("test")));
        try {
          await new TorchModel({ modelPath: "nonexistent.pt", deviceType: "cpu" }).init();
        } catch (error) {
          console.log(error instanceof LMError, error.cause.code);
        }
        const moved = [];
        TorchUtils.toDevice({ to: (device) => moved.push(device) }, "cpu");
        console.log(moved.join());
        const data = { data: () => new Float32Array([1, 2, 3]) };
        console.log(JSON.stringify(TorchUtils.extractTensorData(data)));
        console.log(TorchUtils.calculateTensorMemory({ numel: () => 100, element_size: () => 4 }));
        const zeros = { shape: [2, 3], dataSync: () => new Float32Array(6) };
        console.log(TorchUtils.calculateTensorMemory(zeros));
        console.log(TorchUtils.extractTensorData(zeros).length);
        """,
    )
    assert lines[1].startswith("Torch model output (shape: 1x10, values: ")
    assert lines[1].count(",") == 10
    assert lines[:1] + lines[2:] == [
        "true the model is not loaded: call init() first",
        "true the model is not loaded: call init() first",
        "true modelPath or architecture is needed: "
        "a package or weights, or the sizes of a new network",
        "true the model is not loaded: call init() first",
        "true ENOENT",
        "cpu",
        "[1,2,3]",
        "400",
        "24",
        "6",
    ]


@needs_node
def test_utilities_make_and_move_tensors(folder: Path) -> None:
    lines = run_driver(
        folder,
        """
        const { createTensor, toDevice, extractTensorData, calculateTensorMemory } = TorchUtils;
        const tensor = createTensor([1, 2, 3, 4], [2, 2]);
        console.log(JSON.stringify(extractTensorData(toDevice(tensor, "cpu"))), tensor.dtype);
        console.log(calculateTensorMemory([2, 3]), calculateTensorMemory([2, 3], "float64"));
        const row = createTensor(new Float32Array([1, 2, 3]));
        console.log(row.shape.join(), row.dtype, row.device, row.requiresGrad);
        const wide = createTensor([0.1], { dtype: "float64", device: "cpu", requiresGrad: true });
        console.log(JSON.stringify(extractTensorData(wide)), wide.dtype, wide.requiresGrad);
        console.log(calculateTensorMemory(wide), calculateTensorMemory(tensor));
        console.log(createTensor([1, 2], [2], { dtype: "int32" }).dtype);
        console.log(await lmError(() => toDevice(tensor, "webgl")));
        console.log(await lmError(() => createTensor([1], [2])));
        console.log(await lmError(() => createTensor([1], { dtype: "half" })));
        console.log(await lmError(() => createTensor([1], { device: "tpu" })));
        console.log(await lmError(() => createTensor([1], { requiresGrad: 1 })));
        console.log(await lmError(() => createTensor([1], { dtype: "int32", requiresGrad: true })));
        console.log(await lmError(() => createTensor([1], { grad: true })));
        console.log(await lmError(() => createTensor(["1"])));
        console.log(await lmError(() => createTensor(1)));
        console.log(await lmError(() => createTensor([1], [-1])));
        console.log(await lmError(() => createTensor([1], 1)));
        console.log(await lmError(() => calculateTensorMemory(5)));
        console.log(await lmError(() => extractTensorData({ shape: [2] })));
        """,
    )
    assert lines == [
        "[1,2,3,4] float32",
        "24 48",
        "3 float32 cpu false",
        "[0.1] float64 true",
        "8 16",
        "int32",
        "true device is 'webgl', which is not available: this driver runs on 'cpu'",
        "true 1 elements do not fill the shape [2]",
        "true dtype is 'half', expected one of float32, float64, int32, uint8",
        "true device is 'tpu', expected one of cpu, webgl, webgpu",
        "true requiresGrad is 1, expected true or false",
        "true requiresGrad is true and dtype is 'int32': only floats have gradients",
        "true createTensor() has no option 'grad' (true), expected dtype, device, requiresGrad",
        "true data[0] is '1', expected a number",
        "true data is 1, expected an array of numbers",
        "true shape is [-1], expected an array of whole numbers",
        "true the options of createTensor() are 1, expected an object",
        "true tensor is 5, expected a tensor",
        'true the tensor {"shape":[2]} has no data',
    ]


@needs_node
@pytest.mark.slow
def test_the_types_are_strict(folder: Path, tmp_path: Path) -> None:
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("tsc is not installed")
    shutil.copytree(folder / "node_modules", tmp_path / "node_modules")
    (tmp_path / "use.ts").write_text(
        f"""
        import {{ GenerationOptions, LMDriver, LMError, TorchModel }} from "mithril-driver";
        import {{ Tensor, TorchModelConfig, TorchUtils }} from "mithril-driver";

        const config: TorchModelConfig = {{ modelPath: "gpt", architecture: {json.dumps(SIZES)} }};
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
            await model.cleanup();
          }}
        }}

        export class Echo implements LMDriver {{
          private options?: GenerationOptions;
          public async init(): Promise<void> {{}}
          public async generate(prompt: string, options?: GenerationOptions): Promise<string> {{
            this.options = options;
            const stops: string[] = this.options?.stopSequences ?? [];
            if (stops.length > 9) throw new LMError("too many stops", new Error("nine"));
            return prompt;
          }}
          public async cleanup(): Promise<void> {{}}
        }}

        export const driver: LMDriver = new TorchModel({{}});
        const architecture = {{ inputSize: 10, hiddenSize: 20, outputSize: 10 }};
        export const network = new TorchModel({{ architecture, deviceType: "cpu" }});
        export async function learn(): Promise<number> {{
          const {{ losses }} = await network.train("text", {{ steps: 3, optimizer: "sgd" }});
          const again: LMDriver = new TorchModel({{ weights: await network.save() }});
          await again.init?.();
          return losses[0];
        }}
        export const why: string | undefined = new LMError("message", 7).cause?.message;

        const row: Tensor = TorchUtils.createTensor([1, 2], {{ dtype: "float64" }});
        const square: Tensor = TorchUtils.createTensor(new Float32Array(4), [2, 2]);
        export const numbers: number[] = TorchUtils.extractTensorData(square);
        export const bytes: number =
          TorchUtils.calculateTensorMemory([2]) + TorchUtils.calculateTensorMemory(row);

        export const typed = network.train(new Uint8Array([1, 2, 3]));
        // @ts-expect-error - the driver takes arrays only
        network.train({{ length: 2, 0: 1, 1: 2 }});
        // @ts-expect-error - the driver takes arrays only
        TorchUtils.createTensor({{ length: 1, 0: 1 }});
        // @ts-expect-error - a text is not an array of numbers
        TorchUtils.createTensor("12", [2]);
        // @ts-expect-error - there is no such device
        new TorchModel({{ deviceType: "tpu" }});
        // @ts-expect-error - a text is not an array of texts
        driver.generate("a", {{ stopSequences: "x" }});
        // @ts-expect-error - its text does not come later
        export const wrong: LMDriver = {{ generate: (prompt: string) => prompt }};
        """
    )
    command = [tsc, "--strict", "--noEmit", "--target", "es2022", "--module", "node16"]
    checked = subprocess.run(
        [*command, "use.ts"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
