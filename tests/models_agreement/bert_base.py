"""Compares packages of the size of BERT-base, with random weights that PyTorch has written as
safetensors and as TorchScript, with PyTorch."""

import sys
import tempfile
from pathlib import Path

from safetensors.torch import save_file

sys.path.append(str(Path(__file__).parents[2] / "python" / "tests"))

import torch_bert


def differences():
    """Returns a line for each difference."""
    with tempfile.TemporaryDirectory() as folder:
        return torch_bert.disagreements(
            Path(folder), torch_bert.BASE, lambda path, tensors: save_file(tensors, path)
        )
