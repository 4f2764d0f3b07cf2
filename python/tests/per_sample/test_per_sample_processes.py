"""Gradients of single samples in one of several processes are refused."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grad_dot_prod_cases import compiled_case, engine_of
from per_sample_models import CASES
from processes import printed_by

import mithril as ml

TEXT = (
    "mithril.GradientError[E0516]: PerSample: gradients of single samples are computed by one "
    "process, and this is one of several\n"
    "  process group : process 1 of 4\n"
    "  help: call it in a process without a process group, or call "
    "torch.distributed.destroy_process_group() first; the results of parts of a batch can be "
    "concatenated, because each sample has its own"
)
CALLS: dict[str, Callable[..., Any]] = {
    "gradients": lambda s, p, d: s.gradients(p, d),
    "norms": lambda s, p, d: s.norms(p, d),
    "dots": lambda s, p, d: s.dots(p, d, d),
    "weighted_gradients": lambda s, p, d: s.weighted_gradients(p, d, np.ones(3)),
    "clipped_gradients": lambda s, p, d: s.clipped_gradients(p, d, 1.0),
    "projections": lambda s, p, d: s.projections(p, d),
    "verify": lambda s, p, d: s.verify(p, d),
}


def join_group(monkeypatch: pytest.MonkeyPatch, size: int, initialized: bool = True) -> None:
    """Puts a stand-in for torch.distributed in its place, in which this process is number 1."""
    module = types.ModuleType("torch.distributed")
    vars(module).update(
        is_available=lambda: True,
        is_initialized=lambda: initialized,
        get_world_size=lambda: size,
        get_rank=lambda: 1,
    )
    monkeypatch.setitem(sys.modules, "torch.distributed", module)


def text_of(call: Callable[[], object]) -> str:
    with pytest.raises(ml.GradientError) as caught:
        call()
    return str(caught.value)


def test_an_object_is_not_made_in_one_of_several_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = compiled_case("mlp")
    join_group(monkeypatch, 4)
    assert text_of(lambda: ml.PerSample(compiled, losses="losses")) == TEXT
    assert text_of(lambda: engine_of(compiled, "mlp")) == TEXT


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_refused_after_a_process_group_was_made(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = compiled_case("mlp")
    samples, params = ml.PerSample(compiled, losses="losses"), compiled.get_parameters()
    data = CASES["mlp"].data(np.random.default_rng(0), 3)
    join_group(monkeypatch, 4)
    assert text_of(lambda: CALLS[name](samples, params, data)) == TEXT.replace("PerSample", name)


@pytest.mark.parametrize(("size", "initialized"), [(1, True), (4, False)])
def test_one_process_computes_them(
    size: int, initialized: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    join_group(monkeypatch, size, initialized)
    compiled = compiled_case("mlp")
    data = CASES["mlp"].data(np.random.default_rng(0), 3)
    norms = ml.PerSample(compiled, losses="losses").norms(compiled.get_parameters(), data)
    assert norms.total.shape == (3,)


def test_a_group_of_gloo_is_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    if not torch.distributed.is_available():
        pytest.skip("torch without distributed")
    compiled = compiled_case("mlp")
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path / 'store'}", rank=0, world_size=1
    )
    try:
        ml.PerSample(compiled, losses="losses")
        monkeypatch.setattr(torch.distributed, "get_world_size", lambda: 2)
        assert "process 0 of 2" in text_of(lambda: ml.PerSample(compiled, losses="losses"))
    finally:
        monkeypatch.undo()
        torch.distributed.destroy_process_group()
    ml.PerSample(compiled, losses="losses")


def test_the_check_imports_no_torch() -> None:
    program = (
        "import sys, mithril as ml\n"
        "net = ml.Model()\n"
        "net |= ml.Linear(2)(input='x', output='y')\n"
        "net |= ml.SquaredError()(input='y', target='t', output='losses')\n"
        "made = ml.compile(net, ml.CpuBackend(), data_keys=['x', 't'], shapes={'x': ['N', 4]})\n"
        "ml.PerSample(made, losses='losses')\n"
        "print('torch' in sys.modules)\n"
    )
    assert printed_by(program) == "False\n"
