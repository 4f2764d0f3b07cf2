"""Trains with differential privacy: each sample's gradient is clipped, and noise hides the rest.

This is DP-SGD (Abadi et al., https://arxiv.org/abs/1607.00133). The accountant of Opacus computes
epsilon: pip install opacus

python examples/python/private_training.py [EPOCHS]
"""

import sys

import numpy as np
from train_digits import load_digits, network

import mithril as ml

try:
    from opacus.accountants import RDPAccountant
except ImportError:
    sys.exit("private_training needs the accountant of Opacus: pip install opacus")

MAX_NORM, NOISE, BATCH, DELTA = 1.0, 1.2, 128, 1e-4


def main(epochs=30):
    model = ml.Model()
    model |= network()(image="image", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]}, data_keys={"image", "label"}
    )
    samples = ml.PerSample(compiled, losses="losses")
    params, optimizer = compiled.get_parameters(), ml.Adam(lr=1e-2)

    images, labels = load_digits()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(images))
    train, test = order[:1437], order[1437:]
    accountant, rate = RDPAccountant(), BATCH / len(train)
    for epoch in range(int(epochs)):
        norms = []
        for _ in range(len(train) // BATCH):
            # The accountant assumes that each sample is drawn by itself.
            rows = train[rng.random(len(train)) < rate]
            data = {"image": images[rows], "label": labels[rows]}
            clipped = samples.clipped_gradients(params, data, MAX_NORM)
            gradients = {
                key: (total + rng.normal(0, NOISE * MAX_NORM, total.shape)).astype(np.float32)
                / BATCH
                for key, total in clipped.gradients.items()
            }
            optimizer.step(params, gradients)
            accountant.step(noise_multiplier=NOISE, sample_rate=rate)
            norms.append(np.median(clipped.norms))
        if epoch % 5 == 4:
            spent = accountant.get_epsilon(DELTA)
            print(f"epoch {epoch + 1:2d}  median norm {np.mean(norms):6.2f}  epsilon {spent:.2f}")

    outputs = compiled.evaluate(params, {"image": images[test], "label": labels[test]})
    accuracy = (outputs["logits"].argmax(1) == labels[test]).mean()
    print(f"test accuracy {accuracy:.4f}  epsilon {accountant.get_epsilon(DELTA):.2f}", end="  ")
    print(f"delta {DELTA:g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
