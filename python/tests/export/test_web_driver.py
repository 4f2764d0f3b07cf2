"""The driver for pipelines of language models generates text with a package."""

from __future__ import annotations

import io
import json
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from web_models import LENGTH, gpt
from web_tools import ENGINES, has_wasm, needs_node, run_in, write_module

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
    """Returns the path of the package, and the answer of its model to "the gr"."""
    folder = tmp_path_factory.mktemp("driver")
    params = trained()
    compiled = ml.compile(gpt(), ml.CpuBackend(), shapes={"tokens": [1, LENGTH]}, inference=True)
    backends = {}
    for target in ["javascript", "wasm"] if has_wasm() else ["javascript"]:
        made = write_module(target, compiled, folder / target).parent
        backends[target] = {"files": {file.name: file for file in made.iterdir()}}
    for name in ("gpt", "gpt.zip"):
        ml.save_package(folder / name, gpt(), params, backends={"cpu": {}, **backends}, sizes=SIZES)
    ml.write_web_driver(folder / "node_modules" / "mithril-driver")
    return folder, greedy(compiled, params, "the gr")


HEAD = """
const {{ LMError, TorchModel, TorchUtils }} = await import({driver});
const lmError = async (action) => {{
  try {{
    await action();
  }} catch (error) {{
    return `${{error instanceof LMError}} ${{error.message}}`;
  }}
  return "nothing";
}};
const modelPath = {path};
"""


def run(
    package: tuple[Path, str], script: str, engine: str = "node", name: str = "gpt"
) -> list[str]:
    """The lines that a script prints, which loads the package with this name."""
    folder, _ = package
    path = f"new URL({name!r}, folder).{'pathname' if engine == 'node' else 'href'}"
    driver = 'new URL("node_modules/mithril-driver/driver.mjs", folder)'
    return run_in(engine, folder, HEAD.format(driver=driver, path=path) + script)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["gpt", "gpt.zip"])
@pytest.mark.sampled(5)
def test_a_package_generates_text(name: str, engine: str, package: tuple[Path, str]) -> None:
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
        engine,
        name,
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
          console.log(await lmError(() => new TorchModel({ modelPath, deviceType }).init()));
        console.log(await lmError(() => new TorchModel().init()));
        console.log(await lmError(() => new TorchModel({ modelPath }).generate("a")));
        const architecture = { hiddenSize: 64 };
        console.log(await lmError(() => new TorchModel({ modelPath, architecture }).init()));
        try {
          await new TorchModel({ modelPath: "/nowhere" }).init();
        } catch (error) {
          console.log(error instanceof LMError, error.cause.code);
        }
        const model = new TorchModel({ modelPath });
        await model.init();
        console.log(await lmError(() => model.generate("a", { temperature: -1 })));
        console.log(await lmError(() => model.generate("a", { topP: 0 })));
        console.log(await lmError(() => model.generate(7)));
        model.cleanup();
        console.log(await lmError(() => model.generate("a")));
        """,
    )
    assert lines == [
        "true deviceType is 'webgl', which is not available: this driver runs on 'cpu'",
        "true deviceType is 'webgpu', which is not available: this driver runs on 'cpu'",
        "true deviceType is 'tpu', expected one of cpu, webgl, webgpu",
        "true modelPath or architecture is needed: "
        "a package or weights, or the sizes of a new network",
        "true the model is not loaded: call init() first",
        "true architecture.hiddenSize is 64, and the model has 32",
        "true ENOENT",
        "true temperature is -1, expected a number from 0 on",
        "true topP is 0, expected a number above 0 up to 1",
        "true the prompt is not a text but 7",
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
        "console.log(await lmError(() => new TorchModel({ modelPath }).init()));",
    )
    assert lines == ["true the file model.safetensors does not match its checksum"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["gpt", "gpt.zip"])
@pytest.mark.slow
def test_cycles_of_init_and_cleanup_keep_their_memory(
    name: str, engine: str, package: tuple[Path, str]
) -> None:
    (grown,) = run(
        package,
        """
        const kept = []; // so that only cleanup() can free their memory
        const cycle = async () => {
          const model = new TorchModel({ modelPath });
          kept.push(model);
          await model.init();
          await model.generate("a", { maxTokens: 1 });
          model.cleanup();
        };
        for (let i = 0; i < 10; ++i) await cycle();
        const before = await used();
        for (let i = 0; i < 100; ++i) await cycle();
        console.log((await used()) - before);
        """,
        engine,
        name,
    )
    assert int(grown) < 5_000_000


def write_bad_archive(package: tuple[Path, str], change: Callable[[bytearray], object]) -> None:
    """Writes bad.zip: the bytes of the archive, changed."""
    folder, _ = package
    content = bytearray((folder / "gpt.zip").read_bytes())
    change(content)
    (folder / "bad.zip").write_bytes(content)


def compress(content: bytearray) -> None:
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(bytes(content))) as given,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in given.namelist():
            made.writestr(name, given.read(name))
    content[:] = file.getvalue()


def add_entry_twice(content: bytearray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = io.BytesIO(bytes(content))
        with zipfile.ZipFile(file, "a") as made:
            made.writestr("metadata.json", "{}")
    content[:] = file.getvalue()


def remove_metadata(content: bytearray) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("other.json", "{}")
    content[:] = file.getvalue()


def cut(content: bytearray) -> None:
    del content[len(content) // 2 :]


def damage_directory(content: bytearray) -> None:
    at = content.index(b"PK\x01\x02")
    content[at : at + 4] = b"PK\x09\x09"


def move_entry_away(content: bytearray) -> None:
    """Moves the first entry behind the end of the file, in its zip64 field."""
    at = content.index(b"PK\x01\x02")
    name_bytes = int.from_bytes(content[at + 28 : at + 30], "little")
    offset = at + 46 + name_bytes + 4 + 16
    content[offset : offset + 8] = (2**62).to_bytes(8, "little")


def lengthen_extra_field(content: bytearray) -> None:
    at = content.index(b"PK\x01\x02")
    name_bytes = int.from_bytes(content[at + 28 : at + 30], "little")
    content[at + 46 + name_bytes + 2 : at + 46 + name_bytes + 4] = (0xFFF0).to_bytes(2, "little")


def encrypt(content: bytearray) -> None:
    content[content.index(b"PK\x01\x02") + 8] |= 1


def damage_end_record(content: bytearray) -> None:
    at = content.index(b"PK\x06\x06")
    content[at : at + 4] = b"PK\x09\x09"


def replace_by_text(content: bytearray) -> None:
    content[:] = b"no archive" * 9


BAD_ARCHIVES = {
    "text": (replace_by_text, "it is not a zip archive"),
    "encrypted": (encrypt, "it is encrypted"),
    "damaged end record": (damage_end_record, "its directory is damaged"),
    "long extra field": (lengthen_extra_field, "its directory is damaged"),
    "empty": (lambda content: content.clear(), "it is not a zip archive"),
    "cut": (cut, "it is not a zip archive"),
    "compressed": (compress, "is compressed; `zip -0` writes entries without compression"),
    "doubled": (add_entry_twice, "the entry metadata.json is there twice"),
    "without metadata": (remove_metadata, "there is no file metadata.json"),
    "damaged directory": (damage_directory, "its directory is damaged"),
    "far entry": (move_entry_away, "a record is not inside of the file"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", BAD_ARCHIVES)
@pytest.mark.sampled(9)
def test_bad_archives_are_lm_errors_with_a_cause(
    name: str, engine: str, package: tuple[Path, str]
) -> None:
    change, why = BAD_ARCHIVES[name]
    write_bad_archive(package, change)
    lines = run(
        package,
        """
        try {
          await new TorchModel({ modelPath }).init();
        } catch (error) {
          console.log(error instanceof LMError);
          console.log(error.message);
          console.log(error.cause.message);
        }
        """,
        engine,
        "bad.zip",
    )
    assert lines[0] == "true"
    assert lines[1].endswith(f"bad.zip' cannot be loaded: {lines[2]}")
    assert why in lines[2]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_changed_entry_is_refused(engine: str, package: tuple[Path, str]) -> None:
    weights = (package[0] / "gpt" / "model.safetensors").read_bytes()

    def change(content: bytearray) -> None:
        content[content.index(weights) + len(weights) - 1] ^= 1

    write_bad_archive(package, change)
    script = "console.log(await lmError(() => new TorchModel({ modelPath }).init()));"
    lines = run(package, script, engine, "bad.zip")
    assert lines == ["true the file model.safetensors does not match its checksum"]
