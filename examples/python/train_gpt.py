"""Trains a small GPT-2 from scratch on the documents of this project, byte by byte, by torch.optim.

examples/train_gpt.cpp trains the same model without torch, with the same losses.

python examples/python/train_gpt.py [STEPS [FOLDER]]
torchrun --nproc-per-node 2 examples/python/train_gpt.py
"""

import sys
from pathlib import Path

import numpy as np
import torch

import mithril as ml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "models"))

from gpt2 import Config, gpt2  # noqa: E402

ROWS, LENGTH, BYTES = 8, 64, 256


def read_text(folder):
    """The bytes of the Markdown files of the folder, in the order of their names."""
    paths = sorted(Path(folder).glob("*.md"))
    return np.frombuffer(b"".join(path.read_bytes() for path in paths), np.uint8).astype(np.int64)


def batch_of(text, step):
    """Windows of the text, and the byte that follows each of their bytes."""
    starts = (step * ROWS + np.arange(ROWS)) * 7919 % (len(text) - LENGTH)
    at = starts[:, None] + np.arange(LENGTH)
    return {
        "input_ids": torch.from_numpy(text[at]),
        "attention_mask": torch.ones(ROWS, LENGTH, dtype=torch.bool),
        "targets": torch.from_numpy(text[at + 1]),
    }


def make_model(group):
    part = gpt2(Config(vocab_size=BYTES, n_positions=LENGTH, n_embd=64, n_layer=2, n_head=4))
    net = ml.Model()
    net |= part(input_ids="input_ids", attention_mask="attention_mask", logits="logits")
    net |= ml.Reshape(shape=(-1, BYTES))(input="logits", output="scores")
    net |= ml.Reshape(shape=(-1,))(input="targets", output="next_bytes")
    train = ml.TrainModel(net)
    train.add_loss(ml.CrossEntropy(), input="scores", target="next_bytes")
    return ml.compile(
        train,
        ml.TorchBackend(),
        shapes={"input_ids": [None, LENGTH], "targets": [None, LENGTH]},
        trainable_keys={"model.wpe.weight"},
        group=group,
    )


def main(steps="200", folder=ROOT / "docs"):
    group = ml.distributed.init()
    text = read_text(folder)
    compiled = make_model(group)
    params = {key: torch.as_tensor(value) for key, value in compiled.get_parameters().items()}
    optimizer = torch.optim.AdamW(params.values(), lr=1e-3)
    for step in range(int(steps)):
        rows = group.rows(batch_of(text, step))
        outputs, gradients = compiled.evaluate(params, rows, output_gradients=True)
        for key, gradient in gradients.items():
            params[key].grad = torch.as_tensor(gradient)
        torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
        optimizer.step()
        if group.rank == 0:
            print(f"step {step + 1}  loss {float(outputs['final_cost']):.6f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
