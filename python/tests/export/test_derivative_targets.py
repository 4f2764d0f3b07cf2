"""Derivatives and vmap in generated C++, JavaScript and WebAssembly: equal to the CPU backend."""

from pathlib import Path

import numpy as np
import pytest
from c_library import Library
from web_tools import needs_node, needs_wasm, run, write_module

import mithril as ml

DATA = {
    "x": np.random.default_rng(1).normal(size=(3, 4)),
    "v": np.random.default_rng(2).normal(size=(3, 4)),
    "rows": np.random.default_rng(3).normal(size=(5, 4)),
}


def derivatives() -> ml.Model:
    """Derivatives of first to third order, a Jacobian and a vmap."""
    x, v = ml.IOKey("x", shape=[3, 4]), ml.IOKey("v", shape=[3, 4])
    weight = np.random.default_rng(4).normal(size=(4, 4))
    value = (ml.Softmax(axis=-1)(ml.Tanh()(x @ weight)) * x).sum()
    product = ml.hvp(value, x, v)
    row = ml.IOKey("row", shape=[4])
    norm = (row * row).sum()
    each = ml.Model.create(jacobian=ml.jacobian(ml.Sine()(row) * norm, row))
    model = ml.Model.create(
        gradient=ml.gradient(value, x),
        hvp=product,
        jvp=ml.jvp(ml.Tanh()(x @ weight), x, v),
        third=ml.gradient((product * v).sum(), x),
    )
    model |= ml.vmap(each, in_axes={"row": 0})(row="rows", jacobian="jacobians")
    model.expose_keys("gradient", "hvp", "jvp", "third", "jacobians")
    return model


def compiled_of(model: ml.Model) -> ml.CompiledModel:
    shapes = {key: list(value.shape) for key, value in DATA.items()}
    return ml.compile(model, ml.CpuBackend(ml.float64), data_keys=set(DATA), shapes=shapes)


def test_generated_cpp(tmp_path: Path) -> None:
    part = derivatives()
    keys = part.output_keys
    model = ml.Model()
    model |= part(**{key: key for key in (*DATA, *keys)})
    rows = [model[key].reshape((-1,)) for key in keys]
    model |= ml.Concat(axis=0)(input=rows, output="all")
    model.expose_keys("all")
    compiled = compiled_of(model)
    ml.build_library(compiled, tmp_path / "model.so", {}, data=DATA)
    library = Library(tmp_path / "model.so")
    opened = library.opened(tmp_path)
    got, expected = library.answer(opened, DATA), compiled.evaluate({}, DATA)["all"]
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-10)
    library.dll.mithril_model_free(opened)


@needs_node
@pytest.mark.parametrize(
    "target", ["javascript", pytest.param("wasm", marks=[needs_wasm, pytest.mark.slow])]
)
def test_modules_for_the_web(target: str, tmp_path: Path) -> None:
    compiled = compiled_of(derivatives())
    module = write_module(target, compiled, tmp_path)
    expected = compiled.evaluate({}, DATA)
    ml.save(tmp_path / "expected.safetensors", {**expected, **DATA})
    lines = run(
        module,
        """
        const { x, v, rows, ...expected } = readSafetensors(await read("expected.safetensors"));
        const model = await createModel();
        const outputs = model.evaluate({ x: x.data, v: v.data, rows: rows.data });
        for (const [name, { data }] of Object.entries(expected)) {
          const far = outputs[name].some((each, k) => !(Math.abs(each - data[k]) < 1e-10));
          console.log(name, far || outputs[name].length !== data.length ? "differs" : "equal");
        }
        """,
    )
    assert sorted(lines) == sorted(f"{name} equal" for name in expected)
