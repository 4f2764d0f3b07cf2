"""`ml.from_torch` for the CPU backend, without the library of the backend on PyTorch."""

import subprocess
import sys

import pytest
from mithril.backends import torch_library

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

PROGRAM = """
import sys
from pathlib import Path

import torch
from mithril.backends import torch_library

import mithril as ml

torch_library.PACKAGE = Path(sys.argv[1])  # a folder without the library
sys.modules["mithril._torch"] = None
try:
    ml.TorchBackend()
except ml.BackendError as error:
    assert error.code == "E1014", error
module = torch.nn.Sequential(
    torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1)
)
x = torch.randn(5, 3)
model, params = ml.from_torch(module.eval(), x, {"input": {0: "N"}})
compiled = ml.compile(model, ml.CpuBackend())
outputs, gradients = compiled.evaluate(
    params, {"input": x}, output_gradients={"output": torch.ones(5, 1)}
)
module(x).sum().backward()
assert torch.allclose(torch.as_tensor(outputs["output"]), module(x), atol=1e-6)
for name, parameter in module.named_parameters():
    assert torch.allclose(torch.as_tensor(gradients[name]), parameter.grad, atol=1e-6), name
print("converted")
"""


@pytest.mark.slow
def test_from_torch_needs_torch_alone(tmp_path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout == "converted\n", result.stderr


def test_without_torch_the_error_names_the_call(monkeypatch) -> None:
    monkeypatch.setattr(torch_library.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ml.BackendError) as caught:
        ml.from_torch(torch.nn.Identity(), torch.ones(2))
    assert str(caught.value) == (
        "mithril.BackendError[E1013]: from_torch needs PyTorch, which is not installed\n"
        "  help: pip install torch"
    )
