"""Trains, validates, deploys, packages and serves one model. Only training needs labels.

examples/deploy_digits.cpp is the same program.

python examples/python/deploy_digits.py [PATH_OF_THE_PACKAGE [EPOCHS]]
"""

import sys
import tempfile
from pathlib import Path

from validate_digits import accuracy, load_parts

import mithril as ml


def trained_model():
    """The network with its loss."""
    net = ml.Model()
    net |= ml.Conv2d(filters=16, kernel_size=3, padding=1)(input="image")
    net += ml.BatchNorm2D()
    net += ml.Relu()
    net += ml.MaxPool2D(kernel_size=2)
    net += ml.Flatten(start_dim=1)
    net += ml.Dropout(p=0.3)
    net += ml.Linear(10)(output="logits")
    net.set_shapes(image=["N", 1, 8, 8])

    model = ml.Model()
    model |= net(image="image", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    return model


def main(path=None, epochs=8):
    path = path or Path(tempfile.gettempdir(), "digits.zip")
    train, held_out, test = load_parts()
    images = {"image": test["image"]}

    # Train and validate.
    model = trained_model()
    compiled = ml.compile(model, ml.CpuBackend())
    step = ml.TrainingStep(compiled, ml.Adam(lr=3e-3), output_gradients={"loss": 1.0})
    history = ml.fit(
        step,
        train,
        epochs=int(epochs),
        validation=held_out,
        loss="loss",
        metrics={"accuracy": accuracy},
    )

    # Deploy: the parameters are in the model, and the loss is not an output.
    deployed = compiled.bind(history.best, history.best_state)
    print(f"deployed {accuracy(deployed.evaluate({}, images), test):.4f}")

    # Package.
    ml.save_package(path, model, history.best, state=history.best_state)
    package = ml.load_package(path)
    loaded = package.compile(ml.CpuBackend())
    print(f"packaged {accuracy(loaded.evaluate({}, images), test):.4f}")

    # Serve.
    engine = ml.Engine()
    engine.register_model("digits", package, max_batch_size=32)
    print(f"served {accuracy(engine.infer('digits', images), test):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
