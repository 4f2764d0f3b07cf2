"""Generated JAX modules; skipped where JAX is not installed."""

from __future__ import annotations

import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import environment

import mithril as ml

needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="jax is not installed"
)


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", weight="fc.weight", bias="fc.bias")
    model += ml.Relu()
    model += ml.Softmax()(output="y")
    return model


def compiled_network(dtype: Any = ml.float32) -> ml.CompiledModel:
    return ml.compile(network(), ml.CpuBackend(dtype=dtype), shapes={"x": ["N", 4]})


def written(compiled: ml.CompiledModel, folder: Path) -> dict[str, Any]:
    ml.to_jax(compiled, folder / "net.py")
    return runpy.run_path(str(folder / "net.py"))


def test_a_module_is_readable(tmp_path: Path) -> None:
    ml.to_jax(compiled_network(), tmp_path / "net.py")
    text = (tmp_path / "net.py").read_text()
    assert (
        text
        == f"""\
# The model 'net', written by Mithril {ml.__version__}. It needs JAX alone.
#
#     outputs = model(params, data)
#
# All are dicts of arrays. The functions are pure: jax.jit, jax.grad and jax.vmap apply.

import jax
import jax.numpy as jnp
from jax import lax


def model(params, data):
    x = jnp.asarray(data["x"], jnp.float32)  # float32[N, 4]
    fc_weight = jnp.asarray(params["fc.weight"], jnp.float32)  # float32[3, 4]
    fc_bias = jnp.asarray(params["fc.bias"], jnp.float32)  # float32[3]
    linear_output = jnp.matmul(x, fc_weight.T) + fc_bias  # float32[N, 3]
    relu_output = jax.nn.relu(linear_output)  # float32[N, 3]
    y = jax.nn.softmax(relu_output, axis=-1)  # float32[N, 3]
    return {{"y": y}}
"""
    )


def test_file_path_and_codegen_write_the_same(tmp_path: Path) -> None:
    ml.to_jax(compiled_network(), tmp_path / "net.py")
    expected = (tmp_path / "net.py").read_text()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    ml.compile(
        network(),
        ml.CpuBackend(),
        shapes={"x": ["N", 4]},
        file_path=tmp_path / "a" / "net.py",
    )
    ml.codegen(compiled_network(), tmp_path / "b" / "net.py")
    assert (tmp_path / "a" / "net.py").read_text() == expected
    assert (tmp_path / "b" / "net.py").read_text() == expected


def unspelled(name: str) -> Any:
    """An op of a user, which Python computes."""
    return ml.add_op(name, inputs={"input": "*s"}, function=lambda x: x + 1)


@needs_jax
def test_importing_mithril_does_not_import_jax() -> None:
    code = "import sys, mithril; assert not any(name.startswith('jax') for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)


@needs_jax
def test_one_module_runs_several_sizes_and_is_jitted_differentiated_and_mapped(
    tmp_path: Path,
) -> None:
    import jax  # noqa: PLC0415

    compiled = compiled_network()
    model, params = written(compiled, tmp_path)["model"], compiled.get_parameters()
    for count in (1, 3):
        x = np.random.default_rng(count).standard_normal((count, 4)).astype(np.float32)
        seeds = np.linspace(-1, 1, count * 3, dtype=np.float32).reshape(count, 3)
        outputs, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"y": seeds})
        assert np.allclose(model(params, {"x": x})["y"], outputs["y"], atol=1e-6)
        assert np.allclose(jax.jit(model)(params, {"x": x})["y"], outputs["y"], atol=1e-6)

        def cost(params: Any, x: Any = x, seeds: Any = seeds) -> Any:
            return (model(params, {"x": x})["y"] * seeds).sum()

        made = jax.jit(jax.grad(cost))(params)
        for key, gradient in gradients.items():
            assert np.allclose(made[key], gradient, atol=1e-5)
        mapped = jax.vmap(lambda row: model(params, {"x": row[None]})["y"][0])(x)
        assert np.allclose(mapped, outputs["y"], atol=1e-6)


@needs_jax
def test_a_module_needs_jax_alone(tmp_path: Path) -> None:
    compiled = compiled_network()
    ml.to_jax(compiled, tmp_path / "net.py")
    code = (
        "import sys; import net; import numpy as np\n"
        "params = {'fc.weight': np.ones((3, 4)), 'fc.bias': np.zeros(3)}\n"
        "assert net.model(params, {'x': np.ones((2, 4))})['y'].shape == (2, 3)\n"
        "assert 'mithril' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


@needs_jax
def test_a_module_of_float64_asks_for_it(tmp_path: Path) -> None:
    import jax  # noqa: PLC0415

    compiled = compiled_network(ml.float64)
    model, params = written(compiled, tmp_path)["model"], compiled.get_parameters()
    data = {"x": np.linspace(-1, 1, 8).reshape(2, 4)}
    with jax.enable_x64(False), pytest.raises(RuntimeError, match="set jax_enable_x64"):
        model(params, data)
    with jax.enable_x64(True):
        expected = compiled.evaluate(params, data)["y"]
        assert np.allclose(model(params, data)["y"], expected, rtol=0, atol=1e-12)


@needs_jax
@pytest.mark.slow
def test_a_state_goes_in_and_comes_out(tmp_path: Path) -> None:
    import jax  # noqa: PLC0415

    model = ml.Model()
    model |= ml.Linear(5)(input="x")
    model += ml.BatchNorm1D()
    model += ml.Dropout(p=0.5)(output="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 4]})
    names, params = written(compiled, tmp_path), compiled.get_parameters()
    with pytest.raises(RuntimeError, match="set jax_enable_x64"):  # keys have 62 bits
        names["initial_state"]()
    expected_state = compiled.initial_state_dict
    x = np.random.default_rng(0).standard_normal((6, 4)).astype(np.float32)
    with jax.enable_x64(True):
        state = names["initial_state"]()
        for _ in range(2):
            outputs, state = names["model"](params, {"x": x}, state)
            expected, expected_state = compiled.evaluate(params, {"x": x}, state=expected_state)
            assert np.allclose(outputs["y"], expected["y"], atol=1e-5)
            assert set(state) == set(expected_state)
    for key, value in expected_state.items():
        if value.dtype == np.float32:
            assert np.allclose(state[key], value, atol=1e-5)


@needs_jax
def test_frequencies_of_a_rotation_are_in_the_module(tmp_path: Path) -> None:
    rotation = ml.RotaryEmbedding(frequencies=[1.0, 0.25, 0.03])
    compiled = ml.compile(rotation, ml.CpuBackend(), shapes={"input": ["N", 5, 6]})
    x = np.random.default_rng(0).standard_normal((2, 5, 6)).astype(np.float32)
    expected = compiled.evaluate({}, {"input": x})["output"]
    made = written(compiled, tmp_path)["model"]({}, {"input": x})["output"]
    assert np.allclose(made, expected, atol=1e-6)


@needs_jax
def test_names_of_users_become_identifiers(tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Add()(left="lambda", right='a "b"\\\n', output="jnp")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"lambda": [2], 'a "b"\\\n': [2]}, data_keys={"lambda"}
    )
    names = written(compiled, tmp_path)
    made = names["model"]({'a "b"\\\n': np.ones(2)}, {"lambda": np.ones(2)})
    assert made["jnp"].tolist() == [2, 2]


@needs_jax
def test_the_snippets_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    guide = Path(__file__).parents[3] / "docs" / "jax.md"
    names: dict[str, Any] = {}
    for snippet in re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL):
        exec(snippet, names)
    assert set(names["gradients"]) == {"weight", "bias"}
    assert names["outputs"]["y"].shape == (2, 3)


def test_all_nodes_without_a_spelling_are_named(tmp_path: Path) -> None:
    first, second = unspelled("jax_lacks_this"), unspelled("jax_lacks_that")
    model = ml.Model()
    model |= first()(input="x", output="a")
    model |= second()(input="a", output="b")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [2]}, inference=True)
    with pytest.raises(ml.BackendError) as raised:
        ml.to_jax(compiled, tmp_path / "net.py")
    text = str(raised.value)
    assert text.startswith(
        "mithril.BackendError[E1033]: a: there is no JAX for the ops jax_lacks_that, "
        "jax_lacks_this\n"
    )
    assert "  b" in text
    assert not (tmp_path / "net.py").exists()


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ml.BackendError, match="cannot be written"):
        ml.to_jax(compiled_network(), tmp_path / "nowhere" / "net.py")
