"""Trains a small convolutional network on real digits, with NumPy arrays.

python examples/python/train_digits.py [epochs] [path of the package]
"""

import os
import struct
import sys
from pathlib import Path

import numpy as np
from terminal import curve, pictures

import mithril as ml

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).parents[1] / "data" / "digits.bin"


def load_digits():
    """Images [1797, 1, 8, 8] from 0 to 1, and labels; examples/data/README.md tells the format."""
    raw = DATA.read_bytes()
    count, height, width = struct.unpack_from("<3I", raw, 8)
    pixels = np.frombuffer(raw, np.uint8, count * height * width, 20)
    labels = np.frombuffer(raw, np.uint8, count, 20 + pixels.size)
    images = pixels.reshape(count, 1, height, width).astype(np.float32) / 16
    return images, labels.astype(np.int64)


def network():
    net = ml.Model()
    net |= ml.Conv2d(filters=16, kernel_size=3, padding=1)(input="image")
    net += ml.Relu()
    net += ml.MaxPool2D(kernel_size=2)
    net += ml.Conv2d(filters=32, kernel_size=3, padding=1)
    net += ml.Relu()
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(10)(output="logits")
    return net


def show_predictions(logits, images, labels):
    """The first images, and what the model sees in them."""
    captions = [
        f"predicted {found}" + ("" if found == label else f", is {label}")
        for found, label in zip(logits[:4].argmax(1), labels[:4], strict=True)
    ]
    print(pictures(images, captions))


def short(path):
    """The path from the current directory, if it is in it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def show_next_commands(package):
    python = short(sys.executable)
    commands = {
        f"{python} -m mithril package inspect {package}": "what the package has",
        f"{python} -m mithril serve {package}": "serves it over HTTP",
        f"{python} {short(ROOT / 'examples/python/own_ops.py')}": "an op of your own",
    }
    width = max(map(len, commands))
    print("Next:")
    for command, what in commands.items():
        print(f"  {command:<{width}}  # {what}")


def main():
    shown = network()
    shown.set_shapes(image=["N", 1, 8, 8])
    print(shown.summary())

    model = ml.Model()
    model |= network()(image="image", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]}, data_keys={"image", "label"}
    )

    images, labels = load_digits()
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1437], order[1437:]
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=3e-3), output_gradients={"loss": 1.0})
    shuffle = np.random.default_rng(1)

    epochs, batch = int(sys.argv[1]) if len(sys.argv) > 1 else 12, 32
    losses: list[float] = []
    for epoch in range(epochs):
        shuffle.shuffle(train)
        steps, right = len(losses), 0
        for start in range(0, len(train), batch):
            rows = train[start : start + batch]
            data = {"image": images[rows], "label": labels[rows]}
            outputs = step(params, data)
            losses.append(float(outputs["loss"]))
            right += int((outputs["logits"].argmax(1) == labels[rows]).sum())
        loss = np.mean(losses[steps:])
        print(f"epoch {epoch + 1:2d}  loss {loss:.4f}  accuracy {right / len(train):.4f}")
    print(f"\nloss of each step\n{curve(losses)}")

    outputs = compiled.evaluate(params, {"image": images[test], "label": labels[test]})
    show_predictions(outputs["logits"], images[test], labels[test])
    accuracy = (outputs["logits"].argmax(1) == labels[test]).mean()
    print(f"test accuracy {accuracy:.4f}")

    package = sys.argv[2] if len(sys.argv) > 2 else short(ROOT / "build" / "digits.zip")
    Path(package).parent.mkdir(exist_ok=True)
    ml.save_package(package, compiled, params)
    print(f"saved {package}")
    show_next_commands(package)


if __name__ == "__main__":
    main()
