"""Trains with batch norm and dropout, validates after each epoch, and keeps the best.

python examples/python/validate_digits.py
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


def main():
    train_model = ml.TrainModel(network())
    train_model.add_loss(ml.CrossEntropy(), input="logits", target="label")
    compiled = ml.compile(train_model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]})

    images, labels = load_digits()
    order = np.random.default_rng(0).permutation(len(images))
    train, validation, test = np.split(order, [1200, 1437])
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=2e-3))
    shuffle = np.random.default_rng(1)

    def batch(rows):
        return {"image": images[rows], "label": labels[rows]}

    best_cost, best = np.inf, compiled.for_inference(params, step.state)
    for epoch in range(int(sys.argv[1]) if len(sys.argv) > 1 else 6):
        shuffle.shuffle(train)
        for start in range(0, len(train), 32):
            step(params, batch(train[start : start + 32]))
        # The same compiled model in inference mode: it reads the state of the step.
        cost = compiled.infer(params, batch(validation), step.state)["final_cost"]
        print(f"epoch {epoch}: validation cost {cost:.4f}")
        if cost < best_cost:
            best_cost, best = cost, compiled.for_inference(params, step.state)

    scores = best.evaluate({}, batch(test))["logits"]
    print(f"test accuracy {np.mean(scores.argmax(1) == labels[test]):.4f}")


if __name__ == "__main__":
    main()
