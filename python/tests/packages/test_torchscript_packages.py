"""Packages of TorchScript on the Torch backend."""

from pathlib import Path

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")


class Inner(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.register_buffer("offset", torch.full((2,), 3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + self.offset


class Outer(torch.nn.Module):
    """Two named inputs, a submodule with a buffer, and two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.table = torch.nn.Embedding(7, 2)

    def forward(self, x: torch.Tensor, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = self.inner(x)
        return y, y * self.table(ids)


INPUTS = [("x", ml.float32, ["N", 4]), ("ids", ml.int64, ["N"])]
OUTPUTS = [("y", ml.float32, ["N", 2]), ("z", ml.float32, ["N", 2])]
DATA = {"x": np.arange(12, dtype=np.float32).reshape(3, 4), "ids": np.array([1, 5, 6])}


@pytest.fixture
def module() -> torch.nn.Module:
    torch.manual_seed(0)
    return Outer().eval()


@pytest.mark.parametrize("name", ["p", "p.zip"])
def test_torchscript_runs_on_the_torch_backend(
    tmp_path: Path, module: torch.nn.Module, name: str
) -> None:
    ml.save_torchscript_package(tmp_path / name, torch.jit.script(module), INPUTS, OUTPUTS)
    package = ml.load_package(tmp_path / name, ml.TorchBackend(), allow_native_code=True)
    assert package.info.backends == ["torch"]
    assert package.info.inputs == INPUTS
    compiled = package.compile()
    got = compiled.evaluate({}, dict(reversed(DATA.items())))
    expected = module(torch.from_numpy(DATA["x"]), torch.from_numpy(DATA["ids"]))
    for key, tensor in zip(("y", "z"), expected, strict=True):
        torch.testing.assert_close(got[key], tensor.detach())
    assert compiled.data_keys == ["x", "ids"] and compiled.output_keys == ["y", "z"]


def test_torchscript_needs_permission(tmp_path: Path, module: torch.nn.Module) -> None:
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(module), INPUTS, OUTPUTS)
    with pytest.raises(ml.BackendError) as caught:
        ml.load_package(tmp_path / "p")
    assert caught.value.code == "E1041"
    trusted = ml.load_package(tmp_path / "p", allow_native_code=True)
    with pytest.raises(ml.BackendError) as caught:
        trusted.compile(ml.CpuBackend())
    assert caught.value.code == "E1040"


def test_torchscript_has_no_graph(tmp_path: Path, module: torch.nn.Module) -> None:
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(module), INPUTS, OUTPUTS)
    compiled = ml.load_package(tmp_path / "p", allow_native_code=True).compile()
    for use in (
        lambda: compiled.register_hook("y", lambda y: None),
        lambda: compiled.save_torchscript(str(tmp_path / "again.pt"), {}, DATA),
        lambda: ml.to_jax(compiled, str(tmp_path / "net.py")),
    ):
        with pytest.raises(ml.BackendError) as caught:
            use()
        assert caught.value.code == "E1048"
        assert "needs the graph of the model, which is native code\n" in str(caught.value)


def test_an_integer_that_the_port_cannot_hold_is_refused(tmp_path: Path) -> None:
    class Same(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x

    ports = [("x", ml.uint8, ["N"])], [("y", ml.uint8, ["N"])]
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(Same()), *ports)
    package = ml.load_package(tmp_path / "p", allow_native_code=True)
    compiled = package.compile(ml.TorchBackend())
    held = compiled.evaluate({}, {"x": np.array([0, 255])})["y"]
    assert held.dtype == torch.uint8 and held.tolist() == [0, 255]
    for lost in (np.array([300]), np.array([-1], np.int8)):
        with pytest.raises(ml.InputError) as caught:
            compiled.evaluate({}, {"x": lost})
        assert caught.value.code == "E0805"
        assert "'x' has values that uint8 cannot hold" in str(caught.value)


def test_wrong_inputs_have_their_own_errors(tmp_path: Path, module: torch.nn.Module) -> None:
    ml.save_torchscript_package(tmp_path / "p", torch.jit.script(module), INPUTS, OUTPUTS)
    package = ml.load_package(tmp_path / "p", allow_native_code=True)
    compiled = package.compile(ml.TorchBackend())
    for changed, code in (
        ({"w": DATA["x"]}, "E0802"),
        ({"x": DATA["x"][0]}, "E0803"),
        ({"x": DATA["x"][:, :3]}, "E0804"),
        ({"x": DATA["x"][:2]}, "E0804"),
        ({"ids": DATA["x"][:, 0]}, "E0805"),
    ):
        with pytest.raises(ml.InputError) as caught:
            compiled.evaluate({}, {**DATA, **changed})
        assert caught.value.code == code
    with pytest.raises(ml.InputError) as caught:
        compiled.evaluate({}, {"x": DATA["x"]})
    assert caught.value.code == "E0801"
    with pytest.raises(ml.BackendError) as refused:
        compiled.evaluate({}, {**DATA, "ids": np.array([1, 5, 700])})
    assert refused.value.code == "E1044"


def compiled_script(path: Path, module: torch.nn.Module, x: list[object], y: list[object]):
    ports = [("x", ml.float32, x)], [("y", ml.float32, y)]
    ml.save_torchscript_package(path, torch.jit.script(module), *ports)
    return ml.load_package(path, allow_native_code=True).compile(ml.TorchBackend())


class First(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:1]


class Writer(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.add_(1)


class Holder(torch.nn.Module):
    """Returns its own parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.weight


def test_sizes_without_a_name_may_differ(tmp_path: Path) -> None:
    compiled = compiled_script(tmp_path / "p", First(), [None], [None])
    assert compiled.evaluate({}, {"x": np.ones(3, np.float32)})["y"].tolist() == [1]


def test_a_script_does_not_write_to_read_only_arrays(tmp_path: Path) -> None:
    compiled = compiled_script(tmp_path / "p", Writer(), ["N"], ["N"])
    x = np.frombuffer(np.ones(3, np.float32).tobytes(), np.float32)
    assert compiled.evaluate({}, {"x": x})["y"].tolist() == [2, 2, 2]
    assert x.tolist() == [1, 1, 1]


def test_results_are_not_parameters_of_the_module(tmp_path: Path) -> None:
    compiled = compiled_script(tmp_path / "p", Holder(), ["N"], [2])
    made = compiled.evaluate({}, {"x": np.ones(3, np.float32)})["y"]
    assert not made.requires_grad
    made.fill_(9)
    assert compiled.evaluate({}, {"x": np.ones(3, np.float32)})["y"].tolist() == [1, 1]


def test_other_arguments_than_stated_are_refused(tmp_path: Path) -> None:
    module = torch.jit.script(First())
    ports = [("z", ml.float32, ["N"])], [("y", ml.float32, [1])]
    ml.save_torchscript_package(tmp_path / "p", module, *ports)
    package = ml.load_package(tmp_path / "p", allow_native_code=True)
    with pytest.raises(ml.ParseError) as caught:
        package.compile(ml.TorchBackend())
    assert caught.value.code == "E0769"
    assert "the model has other inputs than stated" in str(caught.value)


def test_torchscript_that_does_not_fit_is_refused(tmp_path: Path, module: torch.nn.Module) -> None:
    scripted = torch.jit.script(module)
    ml.save_torchscript_package(tmp_path / "p", scripted, INPUTS, OUTPUTS[:1])
    package = ml.load_package(tmp_path / "p", allow_native_code=True)
    with pytest.raises(ml.ParseError) as caught:
        package.compile(ml.TorchBackend()).evaluate({}, DATA)
    assert caught.value.code == "E0769"
    for wrong in (
        [("y", ml.float32, ["N", 3]), OUTPUTS[1]],
        [OUTPUTS[0], ("z", ml.float64, ["N", 2])],
        [OUTPUTS[0], ("z", ml.float32, ["N"])],
    ):
        ml.save_torchscript_package(tmp_path / "p", scripted, INPUTS, wrong)
        package = ml.load_package(tmp_path / "p", allow_native_code=True)
        with pytest.raises(ml.ParseError) as caught:
            package.compile(ml.TorchBackend()).evaluate({}, DATA)
        assert caught.value.code == "E0769"
    (tmp_path / "text.pt").write_text("text")
    ml.save_torchscript_package(tmp_path / "q", tmp_path / "text.pt", INPUTS, OUTPUTS)
    package = ml.load_package(tmp_path / "q", allow_native_code=True)
    with pytest.raises(ml.BackendError) as refused:
        package.compile(ml.TorchBackend())
    text = str(refused.value).replace(f"{tmp_path}/q", "p")
    assert text.startswith(
        "mithril.BackendError[E1044]: p/backends/torch/model.pt: the TorchScript failed"
    )
    with pytest.raises(ml.NameError) as named:
        ml.save_torchscript_package(tmp_path / "r", scripted, INPUTS, OUTPUTS, nmae="r")
    assert named.value.code == "E0605"
