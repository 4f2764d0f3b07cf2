"""ml.compare and `mithril verify`."""

from __future__ import annotations

import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mithril.__main__ import main
from processes import environment

import mithril as ml

WITH_TORCH = find_spec("torch") is not None and find_spec("mithril._torch") is not None
needs_torch = pytest.mark.skipif(not WITH_TORCH, reason="torch is not built")


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(8, name="fc1")(input="x")
    net += ml.Gelu()
    net += ml.Linear(3, name="fc2")(output="out")
    return net


def compared(backends: list[Any], **options: Any) -> ml.BackendComparison:
    shapes = {"x": [5, 4]}
    params = ml.compile(network(), ml.CpuBackend(), shapes=shapes).get_parameters()
    data = {"x": np.linspace(-1, 1, 20, dtype=np.float32).reshape(5, 4)}
    return ml.compare(network(), backends, params, data, shapes=shapes, **options)


def test_backends_agree_on_outputs_and_gradients() -> None:
    backends: list[Any] = [ml.CpuBackend(reference=True), ml.CpuBackend()]
    if WITH_TORCH:
        backends.append(ml.TorchBackend())
    found = compared(backends)
    assert found.agrees, found
    assert found.nodes > compared(backends, gradients=False).nodes
    assert str(found).endswith(f"agree on {found.nodes} ops\n")


@pytest.fixture(scope="module")
def faulty() -> ml.Model:
    """A model with an op that is wrong on tensors of torch."""

    def scaled(x: Any) -> Any:
        return x * 2 if isinstance(x, np.ndarray) else x * 2.02

    op = ml.add_op("scaled_by_library", inputs={"x": "*s"}, outputs={"y": "*s"}, function=scaled)
    net = ml.Model()
    net |= ml.Tanh()(input="x", output="h")
    net |= op()(x="h", y="s")
    net |= ml.Sigmoid()(input="s", output="out")
    net.expose_keys("out")
    return net


@needs_torch
def test_the_first_node_that_differs_is_named(faulty: ml.Model) -> None:
    data = {"x": np.linspace(-1, 1, 6).reshape(2, 3)}
    backends = [ml.CpuBackend(ml.float64), ml.TorchBackend(dtype=ml.float64)]
    found = ml.compare(
        faulty, backends, {}, data, reduce=True, shapes={"x": [2, 3]}, data_keys=["x"]
    )
    assert not found.agrees
    (difference,) = found.differences
    assert (difference.path, difference.op, difference.backend) == (
        "s",
        "scaled_by_library",
        "torch",
    )
    np.testing.assert_allclose(difference.expected, 2 * np.tanh(data["x"]), rtol=1e-12)
    np.testing.assert_allclose(difference.got, 2.02 * np.tanh(data["x"]), rtol=1e-12)
    assert difference.worst in ((0, 0), (1, 2))
    assert difference.difference == pytest.approx(0.02 * np.tanh(1))
    assert not difference.in_whole_graph
    assert difference.reduced is not None
    assert difference.reduced.nodes == 1
    assert "torch differs from cpu at s, the result of scaled_by_library" in str(found)


@needs_torch
def test_verify_reduces_a_failure_to_json_and_a_test(
    faulty: ml.Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "faulty.json", tmp_path / "reduced"
    path.write_text(faulty.to_json(), encoding="utf-8")
    arguments = [str(path), "--backends", "cpu", "torch", "--shape", "x=2,3"]
    with pytest.raises(SystemExit) as stopped:
        main(["verify", *arguments, "--reduce", str(folder)])
    assert stopped.value.code == 1
    assert "torch differs from cpu at s, the result of scaled_by_library" in capsys.readouterr().out
    model = ml.Model.from_json((folder / "model.json").read_text(encoding="utf-8"))
    data = ml.load_safetensors(folder / "data.safetensors")
    assert list(model.input_keys) == list(data)
    test = runpy.run_path(str(folder / "test_reduced.py"))["test_backends_agree"]
    with pytest.raises(AssertionError, match="torch differs from cpu at output"):
        test()


def test_one_backend_is_refused() -> None:
    with pytest.raises(ml.ValueError, match="E0438"):
        compared([ml.CpuBackend()])


def run_verify(*arguments: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mithril", "verify", *map(str, arguments)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "network.json"
    path.write_text(network().to_json(), encoding="utf-8")
    return path


def test_verify_says_that_backends_agree(model_file: Path) -> None:
    done = run_verify(model_file, "--backends", "reference", "cpu", "--shape", "x=5,4")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cpu, cpu agree on ")


def test_verify_names_open_sizes(model_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "tanh.json"
    net = ml.Model()
    net |= ml.Tanh()(input="x", output="y")
    path.write_text(net.to_json(), encoding="utf-8")
    done = run_verify(path)
    assert done.returncode == 1
    assert done.stderr == (
        "mithril.InputError[E0876]: the sizes of 'x' are not known\n"
        "  help: state them: --shape x=8,4\n"
    )
    done = run_verify(model_file, "--shape", "x=a")
    assert done.returncode == 1
    assert done.stderr == (
        "mithril.ValueError[E0439]: --shape is 'x=a', expected KEY=SIZES\n"
        "  help: write the sizes with commas: x=8,4\n"
    )
