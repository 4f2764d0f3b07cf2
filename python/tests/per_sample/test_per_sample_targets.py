"""ml.PerSample of ops without a rule for samples, and in generated C++."""

from __future__ import annotations

import ctypes
import re
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
    rows = np.concatenate([np.asarray(value).reshape(3, -1) for value in g.values()], axis=1)
    others = np.concatenate([np.asarray(value).reshape(2, -1) for value in h.values()], axis=1)
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
        gradients = np.asarray(value)
        assert np.asarray(weighted[key]) == pytest.approx(np.tensordot(weights, gradients, 1))
        assert np.asarray(clipped.gradients[key]) == pytest.approx(
            np.tensordot(share, gradients, 1)
        )
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
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("batch", "others"), [(7, 4), (1, 1)])
@pytest.mark.sampled(29)
def test_generated_code_gives_norms_and_dots(
    name: str, batch: int, others: int, tmp_path: Path
) -> None:
    compiled, rng = Compiled(CASES[name], ml.CpuBackend(dtype="float64")), np.random.default_rng(1)
    data, validation = compiled.case.data(rng, batch), compiled.case.data(rng, others)
    samples = compiled.samples()
    ml.codegen(samples, tmp_path / "norms.cpp", data=data)
    ml.codegen(samples, tmp_path / "dots.cpp", data=data, validation=validation)
    norms = samples.norms(compiled.params, data, **compiled.state)
    others_norms = host(samples.norms(compiled.params, validation, **compiled.state).total)
    dots = samples.dots(compiled.params, data, validation, **compiled.state)
    given = {key: host(value) for key, value in {**data, **compiled.params}.items()}
    given |= {key: host(value) for key, value in compiled.state.get("state", {}).items()}
    given |= {f"validation.{key}": value for key, value in validation.items()}
    length = host(norms.total).max()
    product = length * others_norms.sum()
    # What each result is compared with, and the magnitude that rounding is relative to.
    expected = {
        "norms": [(value, length) for value in (*norms.by_key.values(), norms.total)],
        "dots": [
            *((value, product) for value in (*dots.by_key.values(), dots.total)),
            *((value, length) for value in dots.gradients.values()),
            *(
                (value, np.abs(host(value)).max())
                for value in (dots.losses, dots.validation_losses)
            ),
        ],
    }
    for kind, values in expected.items():
        library = tmp_path / f"{kind}.so"
        source = tmp_path / f"{kind}.cpp"
        command = [COMPILER, "-shared", "-fPIC", "-O0", "-std=c++17", source, "-o", library]
        subprocess.run([str(word) for word in command], check=True)
        evaluate = getattr(ctypes.CDLL(str(library)), f"{kind}_evaluate")
        evaluate.restype = ctypes.c_char_p
        made = [np.zeros_like(host(value)) for value, _ in values]
        field = r"^  const \w+\* \w+; +// .*?(\S+) \["  # "// data x [3, 4]"
        inputs = re.findall(field, source.read_text(), re.MULTILINE)
        held = [np.ascontiguousarray(given[key]) for key in inputs]
        assert evaluate(pointers(held), pointers(made), None) is None
        for got, (want, magnitude) in zip(made, values, strict=True):
            assert np.abs(got - host(want)).max() <= 1e-10 * magnitude


def pointers(arrays: list[np.ndarray[Any, Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
