"""Learns to turn noise into points of eight clusters, and samples with one compiled loop.

Usage: python examples/python/sample_diffusion.py

Ho, Jain, Abbeel, "Denoising diffusion probabilistic models", 2020: a network learns which noise was
added to a point. The sampler is that of Song, Meng, Ermon, "Denoising diffusion implicit models",
2021: a `Scan` that removes the noise in STEPS steps, with the point as its carry. Prints the share
of samples that lie within three deviations of a cluster, and how evenly they fill the clusters.
"""

import numpy as np

import mithril as ml

STEPS, HIDDEN, DEVIATION = 40, 64, 0.1
ANGLES = np.arange(8) * np.pi / 4
CENTRES = 2 * np.stack([np.cos(ANGLES), np.sin(ANGLES)], 1)
TIMES = np.linspace(1 / STEPS, 1, STEPS)  # of the steps; 0: no noise, 1: almost nothing but noise
FREQUENCIES = np.pi * np.array([1, 1, 2, 2, 4, 4])
PHASES = np.pi / 2 * np.array([0, 1, 0, 1, 0, 1])  # sines and cosines
LAYERS = ("_x", "_time", "0", "1", "_out")
WEIGHTS = {kind + layer: kind + layer for layer in LAYERS for kind in "wb"}


def signal(time: np.ndarray) -> np.ndarray:
    """Returns the share of the variance that is signal, a cosine schedule."""
    share: np.ndarray = np.cos(time * 0.98 * np.pi / 2) ** 2
    return share


def compose_denoiser() -> ml.Model:
    """Returns the network: x [N, 2] and time [N, 1] or [1, 1] to the noise in x [N, 2]."""
    net = ml.Model()
    net |= ml.Linear(HIDDEN)(input="x", weight="w_x", bias="b_x", output="of_x")
    waves = (net.add_input("time") * FREQUENCIES + PHASES).sin()
    net |= ml.Linear(HIDDEN)(input=waves, weight="w_time", bias="b_time", output="of_time")
    net |= ml.SiLU()(input=net["of_x"] + net["of_time"], output="h0")
    for i in range(2):
        net |= ml.Linear(HIDDEN)(input=f"h{i}", weight=f"w{i}", bias=f"b{i}", output=f"a{i}")
        net |= ml.SiLU()(input=f"a{i}", output=f"h{i + 1}")
    net |= ml.Linear(2)(input="h2", weight="w_out", bias="b_out", output="noise")
    return net


def compose_sampler() -> ml.Model:
    """Returns the loop: noise x [N, 2] to samples x_last [N, 2]."""
    step = ml.Model()
    step |= compose_denoiser()(x="x", time="time", noise="noise", **WEIGHTS)
    now, before = step.add_input("now"), step.add_input("before")
    clean = (step["x"] - (1 - now).sqrt() * step["noise"]) / now.sqrt()
    step |= ml.Buffer()(
        input=before.sqrt() * clean + (1 - before).sqrt() * step["noise"], output="x_next"
    )
    loop = ml.Scan(step, carry={"x": "x_next"}, sequences=["time", "now", "before"], reverse=True)
    sampler = ml.Model()
    sampler |= loop(
        x="x",
        time=ml.Tensor(TIMES[:, None, None]),
        now=ml.Tensor(signal(TIMES)),
        before=ml.Tensor(signal(TIMES - TIMES[0])),
        x_last="sample",
        **WEIGHTS,
    )
    return sampler


def learn(random: np.random.Generator) -> dict[str, np.ndarray]:
    train = ml.TrainModel(compose_denoiser())
    train.add_loss(ml.SquaredError(), input="noise", target="target", reduce_steps=[ml.Mean()])
    compiled = ml.compile(
        train, ml.CpuBackend(), shapes={"x": [None, 2], "time": [None, 1]}, data_keys={"x", "time"}
    )
    params = compiled.get_parameters(seed=0)
    step = ml.TrainingStep(compiled, ml.Adam(ml.CosineSchedule(5e-3, steps=2001)))
    for number in range(2001):
        points = CENTRES[random.integers(8, size=512)] + DEVIATION * random.normal(size=(512, 2))
        time, noise = random.random((512, 1)), random.normal(size=(512, 2))
        share = signal(time)
        x = np.sqrt(share) * points + np.sqrt(1 - share) * noise
        outputs = step(params, {"x": x, "time": time, "target": noise})
        if number % 500 == 0:
            print(f"step {number:4}: loss {float(outputs['final_cost']):.3f}")
    return params


def main() -> tuple[float, float]:
    random = np.random.default_rng(0)
    params = learn(random)
    compiled = ml.compile(
        compose_sampler(), ml.CpuBackend(), inference=True, shapes={"x": [None, 2]}
    )
    noise = random.normal(size=(2000, 2))
    samples = np.asarray(compiled.infer(params, {"x": noise})["sample"])
    distances = np.linalg.norm(samples[:, None] - CENTRES, axis=-1)
    near = float((distances.min(1) < 3 * DEVIATION).mean())
    counts = np.bincount(distances.argmin(1), minlength=8)
    evenness = float(counts.min() / counts.mean())
    print(f"samples near a cluster: {near:.3f}; the rarest cluster has {evenness:.2f} of its share")
    return near, evenness


if __name__ == "__main__":
    main()
