"""Files of tensors."""

from ._core import load_safetensors, save_safetensors

__all__ = ["load_safetensors", "save_safetensors"]
