"""tools/gpu, as far as it can be checked without a GPU."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("mithril._torch", reason="torch is not built")

ROOT = Path(__file__).parents[3]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    spec = spec_from_loader("gpu", SourceFileLoader("gpu", str(ROOT / "tools" / "gpu")))
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_compute_sanitizer_has_tests_to_run(script: ModuleType) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", *script.SANITIZED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "test_threads_share_recordings" in done.stdout


def test_a_run_without_a_success_fails(
    script: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = script.Steps()
    steps.skipped.append("there is no GPU")
    assert steps.report() == 1
    assert steps.run("one", sys.executable, "-c", "pass")
    assert steps.report() == 0
    assert not steps.run("two", sys.executable, "-c", "raise SystemExit(1)")
    assert steps.report() == 1
    printed = capsys.readouterr().out
    assert "skipped: there is no GPU" in printed
    assert "FAILED two" in printed
    assert printed.endswith("1 passed, 1 failed\n")
