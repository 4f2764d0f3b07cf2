"""Files of tensors."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, overload

def save_safetensors(
    path: str | PathLike[str],
    tensors: Mapping[str, Any],
    *,
    metadata: Mapping[str, str] | None = None,
    max_shard_bytes: int | None = None,
    types: Mapping[str, str] | None = None,
) -> str: ...
@overload
def load_safetensors(
    path: str | PathLike[str], *, return_metadata: Literal[False] = False
) -> dict[str, Any]: ...
@overload
def load_safetensors(
    path: str | PathLike[str], *, return_metadata: Literal[True]
) -> tuple[dict[str, Any], dict[str, str]]: ...
