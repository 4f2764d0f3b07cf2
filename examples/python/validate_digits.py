"""Trains with a schedule, validates after each epoch, stops early, and keeps the best parameters.

examples/validate_digits.cpp is the same program; each continues a run of the other.

python examples/python/validate_digits.py [FOLDER_OF_CHECKPOINTS [EPOCHS]]
"""

import sys

import numpy as np
from train_digits import load_digits

import mithril as ml


def network():
    net = ml.Model()
    net |= ml.Conv2d(filters=16, kernel_size=3, padding=1)(input="image")
    net += ml.BatchNorm2D()
    net += ml.Relu()
    net += ml.MaxPool2D(kernel_size=2)
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(64)
    net += ml.Relu()
    net += ml.Dropout(p=0.3)
    net += ml.Linear(10)(output="logits")
    return net


def load_parts():
    images, labels = load_digits()
    rows = np.arange(len(images)) % 5
    return [{"image": images[at], "label": labels[at]} for at in (rows < 3, rows == 3, rows == 4)]


def accuracy(outputs, batch):
    return np.mean(outputs["logits"].argmax(1) == batch["label"])


def main(folder=None, epochs=12):
    train, held_out, test = load_parts()
    model = ml.TrainModel(network())
    model.add_loss(ml.CrossEntropy(), input="logits", target="label")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]})
    schedule = ml.CosineSchedule(3e-3, steps=12 * 34, warmup=34)
    step = ml.TrainingStep(compiled, ml.AdamW(schedule), max_norm=1.0)
    options = {"metrics": {"accuracy": accuracy}, "patience": 3, "checkpoint": folder}
    history = ml.fit(step, train, epochs=int(epochs), validation=held_out, **options)
    best = compiled.bind(history.best, history.best_state)
    print(f"test accuracy {accuracy(best.evaluate({}, test), test):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
