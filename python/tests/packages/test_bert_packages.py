"""Packages of a small BERT that PyTorch has written agree with PyTorch on every backend. `make
models` does the same for the size of BERT-base."""

from pathlib import Path

import pytest

import mithril as ml

torch_bert = pytest.importorskip("torch_bert", reason="torch is not installed")


def test_cpu_torch_and_torchscript_agree_with_pytorch(tmp_path: Path) -> None:
    assert torch_bert.disagreements(tmp_path, torch_bert.SMALL, ml.save_safetensors) == []


def test_a_difference_is_found(tmp_path: Path) -> None:
    def save(path, tensors):
        key = "encoder.layer.1.output.LayerNorm.bias"
        ml.save_safetensors(path, {**tensors, key: tensors[key] + 1e-3})

    found = torch_bert.disagreements(tmp_path, torch_bert.SMALL, save)
    assert len(found) > 4
    assert not any(line.startswith("TorchScript") for line in found)
