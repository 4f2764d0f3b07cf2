"""Writes the inputs of all peers: python -m benchmarks.peers.prepare WORKLOAD FOLDER.

inputs.npz holds x0, x1, ... and y, the target where it trains; params.npz the weights by the names
of PyTorch; ref.npz the result of PyTorch's eager mode, or the losses of the first steps. Where
results are computed and not trained, model.onnx is the same model. Architectures have a checkpoint
folder of Hugging Face in place of params.npz.
"""

import sys
from pathlib import Path

import numpy as np
import torch

from benchmarks.peers.torch_workloads import (
    STEPS_OF_THE_REFERENCE,
    Problem,
    problem,
    training_step,
)
from benchmarks.peers.workloads import WORKLOADS


def export(asked: Problem, path: Path) -> None:
    with torch.no_grad():
        torch.onnx.export(
            asked.module,
            tuple(asked.inputs),
            str(path),
            dynamo=False,
            opset_version=17,
            do_constant_folding=True,
            input_names=[f"x{index}" for index in range(len(asked.inputs))],
            output_names=["out"],
        )


def prepare(name: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    asked = problem(name)
    arrays = {f"x{index}": x.numpy() for index, x in enumerate(asked.inputs)}
    if asked.target is not None:
        arrays["y"] = asked.target.numpy()
    np.savez(folder / "inputs.npz", **arrays)
    if WORKLOADS[name].is_architecture:
        from benchmarks.peers.torch_architectures import save  # noqa: PLC0415  (slow)

        save(asked.module, folder / "checkpoint")
    else:
        state = asked.module.state_dict()
        weights = {key: value.detach().numpy() for key, value in state.items()}
        np.savez(folder / "params.npz", **weights)
    if asked.target is None:
        with torch.inference_mode():
            out = asked.module(*asked.inputs).numpy()
        export(asked, folder / "model.onnx")
    else:
        step = training_step(name, asked)
        out = np.array([step().item() for _ in range(STEPS_OF_THE_REFERENCE)])
    # Written last: where it is, all is.
    np.savez(folder / "ref.npz", out=out)


if __name__ == "__main__":
    prepare(sys.argv[1], Path(sys.argv[2]))
