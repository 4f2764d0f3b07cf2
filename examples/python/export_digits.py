"""Trains two networks on real digits and writes them, weights included, as C++ without Mithril.

python examples/python/export_digits.py FOLDER
g++ -O2 -static -I FOLDER examples/standalone/answer.cpp FOLDER/*.cpp -o answer
"""

import sys
from pathlib import Path

import numpy as np
from train_digits import load_digits, network

import mithril as ml


def perceptron():
    net = ml.Model()
    net |= ml.Flatten(start_dim=1)(input="image")
    net += ml.Linear(64)
    net += ml.Relu()
    net += ml.Linear(10)(output="logits")
    return net


def trained(net, images, labels, epochs):
    """The network, and parameters for it by the same names."""
    model = ml.Model()
    model |= net(image="image", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]}, data_keys={"image", "label"}
    )
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=3e-3), output_gradients={"loss": 1.0})
    shuffle = np.random.default_rng(1)
    for _ in range(epochs):
        order = shuffle.permutation(len(images))
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            step(params, {"image": images[rows], "label": labels[rows]})
    return model, params


def export(model, params, path):
    """Writes the model for one image in inference mode."""
    compiled = ml.compile(
        model,
        ml.CpuBackend(),
        shapes={"image": [1, 1, 8, 8]},
        data_keys={"image"},
        discard_keys={"losses", "loss"},
        inference=True,
    )
    ml.codegen(compiled.bind(params), path)
    return compiled


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
    images, labels = load_digits()
    order = np.random.default_rng(0).permutation(len(images))
    train, test = order[:1437], order[1437:]
    for name, net, epochs in [("mlp", perceptron(), 25), ("cnn", network(), 8)]:
        model, params = trained(net, images[train], labels[train], epochs)
        compiled = export(model, params, folder / f"digits_{name}.cpp")
        answers = [
            int(compiled.evaluate(params, {"image": images[[i]]})["logits"].argmax()) for i in test
        ]
        print(f"{name}: test accuracy {np.mean(answers == labels[test]):.4f}")


if __name__ == "__main__":
    main()
