"""Modules that compute with WebGPU: in headless Chromium, which computes it in software."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from web_browser import needs_chromium
from web_models import chain
from web_tools import IMPORT, ROOT, needs_node, run, run_in_page, write_results
from webgpu_cases import GPU_CASES

import mithril as ml


@cache
def has_adapter(folder: Path) -> bool:
    find = "console.log(Boolean(await navigator.gpu?.requestAdapter()))"
    return run_in_page(folder, find, with_webgpu=True) == ["true"]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder for modules. Skips where the browser has no WebGPU."""
    if not has_adapter(tmp_path):
        pytest.skip("chromium has no adapter for WebGPU")
    return tmp_path


def run_module(module: Path, script: str) -> list[str]:
    """The lines that a script prints, which uses the names of the module and `refused`."""
    return run_in_page(module.parent, IMPORT % module.name + script, with_webgpu=True)


def differences(names: list[str], site: Path) -> dict[str, Any]:
    """The largest difference of each output from that of the CPU backend, by case."""
    (site / "comparison.mjs").write_text((ROOT / "tests/web/comparison.mjs").read_text())
    found = {}
    for number, name in enumerate(names):
        case = GPU_CASES[name]
        ml.to_javascript(case.compiled(), site / f"{number}.mjs", device="webgpu")
        write_results(case, site / f"{number}.safetensors", with_gradients=False)
        script = f"""
            const {{ compare }} = await import(new URL("comparison.mjs", folder));
            const module = await import(new URL("{number}.mjs", folder));
            const result = await compare(module, await read("{number}.safetensors"));
            console.log(JSON.stringify(result.outputs));
            """
        found[name] = json.loads(run_in_page(site, script, with_webgpu=True)[0])
    return found


def check_agreement(names: list[str], site: Path) -> None:
    for name, outputs in differences(names, site).items():
        assert outputs, name
        assert max(outputs.values()) < 1e-5, (name, outputs)


@needs_chromium
def test_layers_agree_with_the_cpu_backend(site: Path) -> None:
    """The other cases are slow, because software compiles shaders of products slowly."""
    check_agreement(["mlp", "attention with a mask", "layer norm of long rows"], site)


@needs_chromium
@pytest.mark.slow
def test_all_models_agree_with_the_cpu_backend(site: Path) -> None:
    check_agreement(list(GPU_CASES), site)


def mlp(**options: Any) -> ml.CompiledModel:
    return ml.compile(
        chain(ml.Linear(3), ml.Relu()), ml.CpuBackend(), data_keys={"x"}, inference=True, **options
    )


@needs_chromium
def test_a_symbolic_batch_takes_its_size_from_an_example(site: Path) -> None:
    compiled = mlp(shapes={"x": ["N", 2]})
    x = np.ones((5, 2), np.float32)
    path = ml.export(compiled, site / "net.mjs", data={"x": x}, device="webgpu")
    lines = run_module(
        path,
        """
        const model = await createModel();
        const { y } = await model.evaluate({ x: Array(10).fill(1) });
        console.log(model.inputs[0].shape.join(), y.join());
        """,
    )
    assert lines == ["5,2 " + ",".join(["0"] * 15)]


@needs_chromium
@pytest.mark.slow
def test_parameters_that_change_are_uploaded(site: Path) -> None:
    ml.to_javascript(mlp(shapes={"x": [1, 2]}), site / "net.mjs", device="webgpu")
    lines = run_module(
        site / "net.mjs",
        """
        const model = await createModel();
        const weights = Object.keys(model.parameters);
        const [bias, weight] = weights.sort((a, b) => model.parameters[a].length -
            model.parameters[b].length);
        model.loadStateDict({ [weight]: [1, 0, 0, 1, 1, 1], [bias]: [0, 0, 0] });
        console.log((await model.evaluate({ x: [2, 3] })).y.join());
        model.parameters[bias][0] = 10;
        console.log((await model.evaluate({ x: [2, 3] })).y.join());
        """,
    )
    assert lines == ["2,3,5", "12,3,5"]


@needs_chromium
@pytest.mark.slow
@pytest.mark.parametrize("rows", [4, 1])
def test_states_are_carried_on(site: Path, rows: int) -> None:
    compiled = ml.compile(
        chain(ml.BatchNorm1D(), ml.Relu()),
        ml.CpuBackend(),
        shapes={"x": [rows, 3]},
        data_keys={"x"},
    )
    ml.to_javascript(compiled, site / "net.mjs", device="webgpu")
    data = {"x": np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)}
    params = compiled.randomize_params(0)
    state: Any = compiled.initial_state_dict
    for _ in range(3):
        _, state = compiled.evaluate(params, data, state=state)
    lines = run_module(
        site / "net.mjs",
        f"const length = {3 * rows};"
        """
        const model = await createModel();
        const x = Float32Array.from({ length }, (_, i) => i);
        for (let i = 0; i < 3; ++i) await model.evaluate({ x });
        for (const elements of Object.values(model.states)) console.log(elements.join(" "));
        """,
    )
    for line, value in zip(lines, state.values(), strict=True):
        assert np.allclose(np.array(line.split(), np.float32), np.ravel(value), rtol=1e-5)


@needs_chromium
@pytest.mark.slow
def test_errors_name_what_is_wrong_and_the_model_stays_usable(site: Path) -> None:
    compiled = GPU_CASES["embedding"].compiled()
    ml.to_javascript(compiled, site / "net.mjs", device="webgpu")
    lines = run_module(
        site / "net.mjs",
        """
        const model = await createModel();
        const label = new Int32Array(12);
        console.log(await refused(() => model.evaluate({ label: label.map(() => 9) })));
        console.log(await refused(() => model.evaluate({ label: [2 ** 31, ...label.slice(1)] })));
        console.log(await refused(() => model.evaluate({})));
        const first = model.evaluate({ label });
        console.log(await refused(() => model.evaluate({ label })));
        console.log((await first).y.length, (await model.evaluate({ label })).y.length);
        console.log(await refused(() => model.evaluateGradients({ label })));
        model.dispose();
        console.log(await refused(() => model.evaluate({ label })));
        """,
    )
    assert lines == [
        "mithril.BackendError[E1053]: an index is out of range",
        "mithril.InputError[E0805]: 'label' has 2147483648, expected an int of 32 bits",
        "mithril.InputError[E0801]: data lacks 'label'",
        "mithril.BackendError[E1053]: the model is being evaluated: await evaluate() first",
        "36 36",
        "mithril.BackendError[E1053]: the model 'net' has no gradients",
        "mithril.BackendError[E1053]: the model is disposed of",
    ]


@needs_node
def test_a_host_without_webgpu_is_told_of_the_other_modules(tmp_path: Path) -> None:
    ml.to_javascript(mlp(shapes={"x": [1, 2]}), tmp_path / "net.mjs", device="webgpu")
    lines = run(
        tmp_path / "net.mjs",
        """
        Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
        console.log(await refused(createModel));
        navigator.gpu = { requestAdapter: async () => null };
        console.log(await refused(createModel));
        """,
    )
    assert lines[0] == (
        "mithril.BackendError[E1045]: there is no WebGPU here: navigator.gpu is undefined"
    )
    assert "ml.to_wasm" in lines[1]
    assert lines[2] == "mithril.BackendError[E1045]: WebGPU finds no adapter here"


def test_ops_without_a_kernel_are_refused_at_once(tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Cholesky()(input="x", output="a")
    model |= ml.Det()(input="x", output="b")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [3, 3]}, data_keys={"x"})
    with pytest.raises(
        ml.BackendError, match=r"E1031.*there is no WebGPU for the ops cholesky, det"
    ):
        ml.to_javascript(compiled, tmp_path / "net.mjs", device="webgpu")
    assert not (tmp_path / "net.mjs").exists()


def test_doubles_are_refused(tmp_path: Path) -> None:
    compiled = ml.compile(
        chain(ml.Linear(3), ml.Relu()),
        ml.CpuBackend(dtype=ml.float64),
        shapes={"x": [1, 2]},
        data_keys={"x"},
    )
    with pytest.raises(ml.BackendError, match=r"E1032.*WebGPU has no type for float64"):
        ml.to_javascript(compiled, tmp_path / "net.mjs", device="webgpu")


def test_only_modules_of_javascript_have_a_device(tmp_path: Path) -> None:
    compiled = mlp(shapes={"x": [1, 2]})
    with pytest.raises(ml.NameError, match=r"E0630.*JavaScript has no device 'gpu'"):
        ml.to_javascript(compiled, tmp_path / "net.mjs", device="gpu")
    with pytest.raises(ml.ValueError, match=r"E0493.*the target 'cpp' takes no device"):
        ml.export(compiled, tmp_path / "net.cpp", device="webgpu")


def test_the_page_lists_all_ops_with_a_kernel() -> None:
    ops = set(re.findall(r"MITHRIL_OP\((\w+),", (ROOT / "mithril/ops/list.inc").read_text()))
    files = {path.stem for path in (ROOT / "codegen/webgpu/kernels").glob("*.js")}
    page = (ROOT / "docs/web.md").read_text()
    listed = re.search(r"Kernels of WebGPU: (.*?)\.\n", page, re.DOTALL)
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed[1]) == sorted(files & ops)
