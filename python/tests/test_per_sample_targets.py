"""ml.PerSample of ops without a rule for samples, and in generated C++."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from per_sample_models import CASES, Compiled, host

import mithril as ml


def user_model(op: type[ml.Model]) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(5, name="fc")(input="x", output="h")
    model |= op()(x="h", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return ml.compile(
        model, ml.CpuBackend(dtype="float64"), shapes={"x": [None, 8]}, data_keys={"x", "y"}
    )


def test_ops_without_a_rule_run_each_sample_by_itself() -> None:
    cube = ml.add_op(
        "cube_without_rule",
        inputs={"x": "*s"},
        function=lambda x: x**3,
        gradient=lambda x, grad: 3 * x**2 * grad,
    )
    compiled = user_model(cube)
    params, rng = compiled.get_parameters(), np.random.default_rng(0)
    data, validation = CASES["mlp"].data(rng, 3), CASES["mlp"].data(rng, 2)
    samples = ml.PerSample(compiled, losses="losses")
    g = samples.gradients(params, data)
    assert "each sample by itself: there is no rule for samples of cube_without_rule" in (
        samples.explain()
    )
    h = samples.gradients(params, validation)
    rows = np.concatenate([np.asarray(each).reshape(3, -1) for each in g.values()], axis=1)
    others = np.concatenate([np.asarray(each).reshape(2, -1) for each in h.values()], axis=1)
    norms = np.linalg.norm(rows, axis=1)
    assert np.asarray(samples.norms(params, data).total) == pytest.approx(norms)
    pairs = samples.dots(params, data, validation, pairs=True)
    assert np.asarray(pairs.total) == pytest.approx(rows @ others.T)
    dots = samples.dots(params, data, validation)
    assert np.asarray(dots.total) == pytest.approx((rows @ others.T).sum(1))
    weights = np.array([1.0, -2.0, 0.5])
    weighted = samples.weighted_gradients(params, data, weights)
    clipped = samples.clipped_gradients(params, data, float(norms.min()))
    share = norms.min() / norms
    for key, value in g.items():
        each = np.asarray(value)
        assert np.asarray(weighted[key]) == pytest.approx(np.tensordot(weights, each, 1))
        assert np.asarray(clipped.gradients[key]) == pytest.approx(np.tensordot(share, each, 1))
    projected = samples.projections(params, data, rank=5)
    assert np.shape(projected.values)[0] == 3


def test_an_op_without_a_rule_that_mixes_samples_is_refused() -> None:
    centred = ml.add_op(
        "centred_without_rule",
        inputs={"x": "*s"},
        function=lambda x: x - x.mean(0),
        gradient=lambda x, grad: grad - grad.mean(0),
    )
    compiled = user_model(centred)
    samples = ml.PerSample(compiled, losses="losses")
    data = CASES["mlp"].data(np.random.default_rng(0), 3)
    with pytest.raises(ml.GradientError) as caught:
        samples.norms(compiled.get_parameters(), data)
    assert str(caught.value).startswith(
        "mithril.GradientError[E0513]: losses: sample 0 has another loss by itself than in the "
        "batch"
    )


COMPILER = shutil.which("g++") or shutil.which("clang++")


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("name", ["mlp of rank 3", "convolutions", "tied", "attention"])
def test_generated_code_gives_norms_and_dots(name: str, tmp_path: Path) -> None:
    compiled, rng = Compiled(CASES[name], ml.CpuBackend(dtype="float64")), np.random.default_rng(1)
    data, validation = compiled.case.data(rng, 3), compiled.case.data(rng, 2)
    samples = compiled.samples()
    ml.codegen(samples, tmp_path / "norms.cpp", data=data)
    ml.codegen(samples, tmp_path / "dots.cpp", data=data, validation=validation)
    norms = samples.norms(compiled.params, data)
    dots = samples.dots(compiled.params, data, validation)
    keys = compiled.model.data_keys
    given = [data[key] for key in data] + [host(each) for each in compiled.params.values()]
    # In the order of the model's inputs.
    order = {key: i for i, key in enumerate([*data, *compiled.params])}
    inputs = [given[order[key]] for key in compiled.model.input_keys]
    expected = {
        "norms": [*norms.by_key.values(), norms.total],
        "dots": [
            *dots.by_key.values(),
            dots.total,
            *dots.gradients.values(),
            dots.losses,
            dots.validation_losses,
        ],
    }
    for kind, values in expected.items():
        library = tmp_path / f"{kind}.so"
        source = tmp_path / f"{kind}.cpp"
        command = [COMPILER, "-shared", "-fPIC", "-O1", "-std=c++17", source, "-o", library]
        subprocess.run([str(word) for word in command], check=True)
        evaluate = getattr(ctypes.CDLL(str(library)), f"{kind}_evaluate")
        evaluate.restype = ctypes.c_char_p
        made = [np.zeros_like(host(each)) for each in values]
        more = [validation[key] for key in keys] if kind == "dots" else []
        held = [np.ascontiguousarray(each) for each in [*inputs, *more]]
        assert evaluate(pointers(held), pointers(made), None) is None
        for got, want in zip(made, values, strict=True):
            assert got == pytest.approx(host(want), rel=1e-9, abs=1e-9)


def pointers(arrays: list[np.ndarray[Any, Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
