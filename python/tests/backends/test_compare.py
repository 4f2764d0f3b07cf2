"""ml.compare and `mithril verify`."""

from __future__ import annotations

import ast
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
from mithril import _core

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


@pytest.fixture(scope="session")  # the name of an op can be added once
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


@pytest.mark.parametrize("name", ["s", '"""', 'a"', "a\\", "\\N", "a\nb", "{x}"])
def test_a_reduced_test_takes_any_name(name: str) -> None:
    text = _core._reduced_test("torch", "cpu", name, name, 1, "ml.CpuBackend()", "None")
    shown = ast.get_docstring(ast.parse(text), clean=False)
    assert shown is not None
    assert shown.startswith(f"torch differs from cpu at {name}, the result of {name}; 1 of")


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
    assert done.stdout.startswith("reference, cpu agree on ")


def test_verify_names_open_sizes(model_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "tanh.json"
    net = ml.Model()
    net |= ml.Tanh()(input="x", output="y")
    path.write_text(net.to_json(), encoding="utf-8")
    done = run_verify(path)
    assert done.returncode == 2
    assert done.stderr == (
        "mithril.InputError[E0876]: the sizes of 'x' are not known\n"
        "  help: state them: --shape x=8,4\n"
    )
    done = run_verify(model_file, "--shape", "x=a")
    assert done.returncode == 2
    assert done.stderr == (
        "mithril.ValueError[E0439]: --shape is 'x=a', expected KEY=SIZES\n"
        "  help: write the sizes with commas: x=8,4\n"
    )


@pytest.fixture(params=["package", "package.zip"])
def package(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A package of a model with a norm, whose weights are not those of any seed."""
    net = ml.Model()
    net |= ml.Linear(8, name="fc1")(input=ml.IOKey("x", shape=["N", 4]))
    net += ml.BatchNorm1D(name="norm")
    net += ml.Linear(3, name="fc2")(output="out")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x"])
    rng = np.random.default_rng(7)
    params = {key: rng.random(array.shape) for key, array in compiled.get_parameters().items()}
    state = {key: np.full_like(array, 3) for key, array in compiled.initial_state_dict.items()}
    path = tmp_path / request.param
    ml.save_package(
        path,
        net,
        {key: array.astype(np.float32) for key, array in params.items()},
        state=state,
        data_keys=["x"],
    )
    return path


def test_verify_takes_the_weights_and_the_state_of_a_package(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Any] = []

    def watched(model: ml.Model, backends: Any, params: Any, data: Any, **options: Any) -> Any:
        given.append((params, data, options["state"]))
        return ml.compare(model, backends, params, data, **options)

    monkeypatch.setattr("mithril.cli.verify.compare", watched)
    for inference in ([], ["--inference"]):
        main(["verify", str(package), "--shape", "x=5,4", *inference])
        assert capsys.readouterr().out.startswith("reference, cpu agree on ")
    loaded = ml.load_package(package)
    for params, data, state in given:
        assert list(data) == ["x"]
        for got, expected in ((params, loaded.params), (state, loaded.state)):
            assert list(got) == list(expected)
            assert all(np.array_equal(got[key], expected[key]) for key in expected)


@needs_torch
def test_verify_reduces_a_failure_of_a_package(tmp_path: Path) -> None:
    def scaled(x: Any) -> Any:
        return x * 2 if isinstance(x, np.ndarray) else x * 2.02

    op = ml.add_op("wrong_at_weights", inputs={"x": "*s"}, outputs={"y": "*s"}, function=scaled)
    net = ml.Model()
    net |= ml.Multiply()(left="x", right=ml.IOKey("weight", shape=[3]), output="h")
    net |= op()(x="weight", y="s")
    net |= ml.Add()(left="h", right="s", output="out")
    ml.save_package(tmp_path / "p", net, {"weight": np.float32([1, 2, 4])}, data_keys=["x"])
    folder = tmp_path / "reduced"
    arguments = [str(tmp_path / "p"), "--backends", "cpu", "torch", "--shape", "x=2,3"]
    with pytest.raises(SystemExit) as stopped:
        main(["verify", *arguments, "--reduce", str(folder)])
    assert stopped.value.code == 1
    (weight,) = ml.load_safetensors(folder / "data.safetensors").values()
    np.testing.assert_array_equal(weight, [1, 2, 4])


def test_verify_names_files_that_are_not_there(tmp_path: Path) -> None:
    done = run_verify(tmp_path)
    assert done.returncode == 3
    assert done.stderr == (
        f"mithril.InputError[E0860]: {tmp_path}: this is not a package\n"
        "  it is : an empty folder\n"
        "  why   : it has no file metadata.json\n"
    )
    for missing in ("model.json", "model.zip"):
        done = run_verify(tmp_path / missing)
        assert done.returncode == 3
        assert done.stderr == (
            f"mithril.InputError[E0830]: {tmp_path / missing}: the file cannot be read\n"
            "  why : No such file or directory\n"
        )


@needs_torch
def test_values_are_those_of_the_state() -> None:
    def scaled(x: Any) -> Any:
        return x * 2 if isinstance(x, np.ndarray) else x * 2.02

    op = ml.add_op("wrong_after_norm", inputs={"x": "*s"}, outputs={"y": "*s"}, function=scaled)
    net = ml.Model()
    net |= ml.BatchNorm1D(name="norm")(input="x", output="h")
    net |= op()(x="h", y="out")
    net.expose_keys("out")
    backends: list[Any] = [ml.CpuBackend(), ml.TorchBackend()]
    options: dict[str, Any] = {"shapes": {"x": [5, 4]}, "data_keys": ["x"], "inference": True}
    compiled = ml.compile(net, backends[0], **options)
    state = {
        key: np.full_like(array, 3 if "mean" in key else 1)
        for key, array in compiled.initial_state_dict.items()
    }
    data = {"x": np.ones((5, 4), np.float32)}
    params = compiled.get_parameters()
    (found,) = ml.compare(net, backends, params, data, state=state, **options).differences
    np.testing.assert_allclose(found.expected, np.full((5, 4), -4), rtol=1e-4)


def test_a_state_of_other_keys_is_refused() -> None:
    net = ml.Model()
    net |= ml.BatchNorm1D(name="norm")(input="x", output="out")
    backends = [ml.CpuBackend(reference=True), ml.CpuBackend()]
    options: dict[str, Any] = {"shapes": {"x": [5, 4]}, "data_keys": ["x"], "inference": True}
    compiled = ml.compile(net, backends[0], **options)
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    data = {"x": np.ones((5, 4), np.float32)}
    assert ml.compare(net, backends, params, data, state=state, **options).agrees
    with pytest.raises(ml.StateError, match="E0902"):
        ml.compare(net, backends, params, data, state={"other": np.ones(4)}, **options)
