"""Trains a generator of points on a ring against a critic with a gradient penalty (WGAN-GP).

Usage: python examples/python/gradient_penalty.py

Gulrajani et al., "Improved training of Wasserstein GANs", 2017, https://arxiv.org/abs/1704.00028.
The loss of the critic contains the norm of its gradient with respect to its input. Prints how far
the generated points are from the ring.
"""

import numpy as np

import mithril as ml

BATCH, NOISE, RADIUS = 128, 4, 2.0


def network(name: str, outputs: int) -> ml.Model:
    net = ml.Model(name=name)
    net |= ml.Linear(48)(input="input", output="h1")
    net |= ml.LeakyRelu()(input="h1", output="h2")
    net |= ml.Linear(48)(input="h2", output="h3")
    net |= ml.LeakyRelu()(input="h3", output="h4")
    net |= ml.Linear(outputs)(input="h4", output="output")
    net.expose_keys("output")
    return net


def critic_loss() -> ml.Model:
    """Returns the loss of the critic on real and fake points, and on points between them."""
    critic = network("critic", 1)
    model = ml.Model()
    model |= critic(input="real", output="on_real")
    model |= critic.shared()(input="fake", output="on_fake")
    model |= critic.shared()(input="between", output="on_between")
    slope = ml.gradient(model["on_between"], model["between"], seed=1.0)
    norm = ((slope * slope).sum(axis=1) + 1e-12).sqrt()
    penalty = ((norm - 1.0) * (norm - 1.0)).mean()
    loss = model["on_fake"].mean() - model["on_real"].mean() + penalty * 10.0
    model |= ml.Buffer()(input=loss, output="loss")
    model.expose_keys("loss")
    return model


def generator() -> ml.Model:
    model = ml.Model()
    model |= network("generator", 2)(input="noise", output="points")
    return model


def generator_loss() -> ml.Model:
    model = generator()
    model |= network("critic", 1)(input="points", output="judged")
    model |= ml.Buffer()(input=-model["judged"].mean(), output="loss")
    model.expose_keys("loss")
    return model


def on_ring(random: np.random.Generator) -> np.ndarray:
    angle = random.uniform(0, 2 * np.pi, size=BATCH)
    return RADIUS * np.stack([np.cos(angle), np.sin(angle)], 1)


def main() -> float:
    random = np.random.default_rng(0)
    points = {key: [BATCH, 2] for key in ("real", "fake", "between")}
    noise = {"noise": [BATCH, NOISE]}
    backend = ml.CpuBackend(ml.float64)
    critic = ml.compile(critic_loss(), backend, shapes=points, data_keys=set(points))
    judged = ml.compile(
        generator_loss(), backend, shapes=noise, data_keys=set(noise), frozen=["critic.*"]
    )
    painter = ml.compile(generator(), backend, shapes=noise, data_keys=set(noise))
    params = judged.get_parameters(seed=0)
    of_critic = {key: value for key, value in params.items() if key.startswith("critic.")}
    of_generator = {key: value for key, value in params.items() if key not in of_critic}
    train_critic = ml.TrainingStep(critic, ml.Adam(2e-3, betas=(0.5, 0.9)))
    train_generator = ml.TrainingStep(judged, ml.Adam(5e-4, betas=(0.5, 0.9)))

    def generated() -> np.ndarray:
        drawn = random.normal(size=(BATCH, NOISE))
        return np.asarray(painter.evaluate(of_generator, {"noise": drawn})["points"])

    def error() -> float:
        return float(np.abs(np.linalg.norm(generated(), axis=1) - RADIUS).mean())

    print(f"step    0: points are {error():.2f} away from the ring")
    for number in range(1, 1501):
        for _ in range(3):
            real, fake = on_ring(random), generated()
            at = random.uniform(size=(BATCH, 1))
            between = at * real + (1 - at) * fake
            train_critic(of_critic, {"real": real, "fake": fake, "between": between})
        together = {**of_generator, **of_critic}
        train_generator(together, {"noise": random.normal(size=(BATCH, NOISE))})
        of_generator = {key: together[key] for key in of_generator}
        if number % 500 == 0:
            print(f"step {number:4}: points are {error():.2f} away from the ring")
    return error()


if __name__ == "__main__":
    main()
