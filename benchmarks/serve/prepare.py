"""Writes the weights and the ONNX files of the workloads.

python -m benchmarks.serve.prepare FOLDER

Needs torch, transformers, onnx and safetensors. The weights are random.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from benchmarks.serve.models import SEED
from benchmarks.serve.modules import Mlp, SentenceEncoder


def export(
    module: nn.Module, example: tuple[torch.Tensor, ...], names: list[str], output: str, path: Path
) -> None:
    axes = {0: "N"} if len(names) == 1 else {0: "N", 1: "L"}
    with torch.no_grad():
        torch.onnx.export(
            module.eval(),
            example,
            str(path),
            dynamo=False,
            opset_version=17,
            input_names=names,
            output_names=[output],
            dynamic_axes={**dict.fromkeys(names, axes), output: {0: "N"}},
        )


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    mlp, encoder = Mlp(), SentenceEncoder(attention="eager")
    save_file(mlp.state_dict(), folder / "mlp.safetensors")
    (folder / "minilm").mkdir(exist_ok=True)
    save_file(encoder.bert.state_dict(), folder / "minilm" / "model.safetensors")
    export(mlp, (torch.zeros(2, 784),), ["x"], "y", folder / "mlp.onnx")
    ids = torch.ones(2, 9, dtype=torch.int64)
    names = ["input_ids", "token_type_ids", "attention_mask"]
    example = (ids, torch.zeros_like(ids), torch.ones(2, 9, dtype=torch.bool))
    export(encoder, example, names, "embedding", folder / "minilm.onnx")


if __name__ == "__main__":
    main()
