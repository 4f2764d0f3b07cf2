"""The files of generated modules: packages, types, sizes, and models that cannot be written."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from web_models import CASES, chain
from web_tools import ROOT, TARGETS, needs_node, needs_wasm, node, run, write_module

import mithril as ml


@pytest.fixture(scope="module", params=TARGETS)
def mlp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mlp") / "model"
    return write_module(request.param, CASES["mlp"].compiled(), folder)


@needs_node
@pytest.mark.sampled(2)
def test_packages_are_for_import_and_require_and_their_types_are_strict(
    mlp: Path, tmp_path: Path
) -> None:
    folder = mlp.parent
    modules = tmp_path / "node_modules"
    modules.mkdir()
    shutil.copytree(folder, modules / "mlp")
    use = """createModel().then((model) => {
      console.log(model.evaluate({ x: new Float32Array(24) }).y.length);
    });"""
    (tmp_path / "use.mjs").write_text(f'import {{ createModel }} from "mlp";\n{use}\n')
    (tmp_path / "use.cjs").write_text(f'const {{ createModel }} = require("mlp");\n{use}\n')
    assert node(tmp_path / "use.mjs") == node(tmp_path / "use.cjs") == "12\n"
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("tsc is not installed")
    (tmp_path / "use.ts").write_text(
        """
        import { Adam, createModel, Model, readSafetensors, SGD, type Outputs } from "mlp";
        export async function train(file: ArrayBuffer): Promise<Float32Array> {
          const model: Model = await createModel();
          const report = model.loadStateDict(readSafetensors(file), { strict: false });
          const missing: string[] = report.missing;
          const adam = new Adam(model, { learningRate: 0.1 });
          const { gradients } = model.evaluateGradients({ x: missing.map(Number) });
          new SGD(model, { momentum: 0.9 }).step(gradients);
          const outputs: Outputs = model.trainStep({ x: new Float32Array(24) }, adam);
          // @ts-expect-error - there is no such output
          outputs.z;
          // @ts-expect-error - x is missing
          model.evaluate({});
          return outputs.y;
        }
        """
    )
    command = [tsc, "--strict", "--noEmit", "--target", "es2022", "--module", "node16"]
    checked = subprocess.run(
        [*command, "--moduleResolution", "node16", "use.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("kind", ["model.mjs", "folder"])
def test_the_same_graph_gives_the_same_bytes_without_eval(kind: str, tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        path = tmp_path / name / kind
        path.parent.mkdir()
        ml.to_javascript(CASES["transformer block"].compiled(), path)
        files = sorted(path.parent.rglob("*.*"))
        texts.append([(file.name, file.read_text()) for file in files if file.is_file()])
    assert texts[0] == texts[1]
    assert len(texts[0]) == (2 if kind == "model.mjs" else 6)
    code = "".join(text for _, text in texts[0])
    assert "eval(" not in code
    assert "Function(" not in code
    assert "import(" not in code


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(2)
def test_comments_name_the_shapes_of_all_ports(target: str, tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", weight="fc.weight", bias="bias", output="y")
    model |= ml.CrossEntropy()(input="y", target="label", output="losses")
    model.expose_keys("y", "losses")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"x": [2, 4], "label": [2]}, data_keys={"x", "label"}
    )
    module = write_module(target, compiled, tmp_path / "model")
    head = """//
// Inputs:
//   x: float32[2, 4]
//   label: int64[2]
// Outputs:
//   y: float32[2, 3]
//   losses: float32[2]
"""
    for name in ("model.mjs", "model.cjs"):
        assert head in module.with_name(name).read_text()
    types = module.with_name("model.d.mts").read_text()
    for member in (
        '/** float32[2, 4] */\n  "x": ArrayLike<number>;',
        '/** float32[3, 4] */\n  readonly "fc.weight": Float32Array;',
        '/** float32[3] */\n  "bias": Float32Array;',
        '/** float32[2] */\n  "losses"?: ArrayLike<number>;',
    ):
        assert member in types
    if target == "javascript":
        code = module.read_text()
        assert re.search(r"const x = tensorAt\(.*\);  // \[2, 4\]", code)
        assert re.search(r"const fc_weight = tensorAt\(.*\);  // fc.weight \[3, 4\]", code)


@needs_wasm
@pytest.mark.slow
def test_the_same_graph_gives_the_same_bytes_of_wasm(tmp_path: Path) -> None:
    for name in ("a", "b"):
        ml.to_wasm(CASES["mlp"].compiled(), tmp_path / name / "model")
    first, second = (tmp_path / name / "model" / "model.wasm" for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()


@needs_wasm
@pytest.mark.slow
def test_the_code_of_lenet_is_small(tmp_path: Path) -> None:
    ml.to_wasm(CASES["lenet"].compiled(), tmp_path / "wasm")
    code = [tmp_path / "wasm" / "model.wasm", tmp_path / "wasm" / "model.mjs"]
    assert sum(file.stat().st_size for file in code) < 200_000
    ml.to_javascript(CASES["lenet"].compiled(), tmp_path / "lenet.mjs")
    assert (tmp_path / "lenet.mjs").stat().st_size < 200_000


@needs_node
@needs_wasm
@pytest.mark.slow
def test_the_snippets_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    guide = (ROOT / "docs" / "web.md").read_text()
    names: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(snippet, names)
    printed = []
    for snippet, result in zip(
        re.findall(r"```js\n(.*?)```", guide, re.DOTALL), ("y", "final_cost"), strict=True
    ):
        (tmp_path / "guide.mjs").write_text(
            'import { readFileSync } from "node:fs";\n'
            "const fetch = async (name) => new Response(readFileSync(name));\n"
            f"{snippet}console.log({result}.length);\n"
        )
        printed.append(node(tmp_path / "guide.mjs"))
    assert printed == ["3\n", "1\n"]


@needs_node
@needs_wasm
@pytest.mark.slow
def test_a_page_without_simd_gets_an_error(tmp_path: Path) -> None:
    module = write_module("wasm", CASES["mlp"].compiled(), tmp_path / "model")
    lines = run(
        module,
        """
        WebAssembly.validate = () => false;
        console.log((await refused(() => createModel())).replaceAll("\\n", "|"));
        """,
    )
    assert lines == [
        "mithril.BackendError[E1045]: this page has no WebAssembly SIMD"
        "|  help: update the browser, or use the module that ml.to_javascript writes"
    ]


def test_all_ops_without_javascript_are_reported_at_once(tmp_path: Path) -> None:
    model = ml.Model()
    for name in ("host_sort", "host_sum"):
        op = ml.add_op(name, inputs={"x": "*s"}, function=np.sort)
        model |= op()(x="x", output=f"{name}_output")
    model |= ml.Relu()(input="x", output="relu_output")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"x": [2, 2]}, data_keys={"x"}, inference=True
    )
    with pytest.raises(ml.BackendError) as caught:
        ml.to_javascript(compiled, tmp_path / "model.mjs")
    assert str(caught.value).startswith(
        "mithril.BackendError[E1031]: host_sort_output: there is no JavaScript for the ops "
        "host_sort, host_sum\n"
    )
    assert not list(tmp_path.iterdir())


def test_half_precision_is_refused(tmp_path: Path) -> None:
    compiled = ml.compile(
        chain(ml.Relu(), ml.Tanh()), ml.CpuBackend(dtype=ml.bfloat16), shapes={"x": [2]}
    )
    with pytest.raises(ml.BackendError, match=r"E1032.*JavaScript has no type for bfloat16"):
        ml.to_javascript(compiled, tmp_path / "model.mjs")


def test_a_missing_or_failing_compiler_is_named(tmp_path: Path) -> None:
    compiled = CASES["mlp"].compiled()
    with pytest.raises(ml.BackendError) as caught:
        ml.to_wasm(compiled, tmp_path / "model", compiler="no-such-clang")
    assert str(caught.value).startswith(
        "mithril.BackendError[E1046]: to_wasm: there is no clang\n  compiler : no-such-clang\n"
        "  help: install the Debian packages clang"
    )
    with pytest.raises(ml.BackendError, match="to_wasm: the compiler failed"):
        ml.to_wasm(compiled, tmp_path / "model", compiler="false")
    assert not (tmp_path / "model").exists()


def test_codegen_writes_modules_by_their_names(tmp_path: Path) -> None:
    compiled = CASES["mlp"].compiled()
    ml.to_javascript(compiled, tmp_path / "a.mjs")
    expected = (tmp_path / "a.mjs").read_text()
    (tmp_path / "b").mkdir()
    ml.codegen(compiled, tmp_path / "b" / "a.mjs")
    assert (tmp_path / "b" / "a.mjs").read_text() == expected
    with pytest.raises(ml.BackendError, match=r"E1030.*\n  why : a module is a file NAME\.mjs"):
        ml.to_javascript(compiled, tmp_path / "a.js")
