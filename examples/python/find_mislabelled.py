"""Finds training samples with wrong labels: those whose gradients disagree with clean samples.

A tenth of the labels is changed. While the network learns, the engine adds up how much each sample
helps on 64 clean validation samples. The samples with the lowest sums are mostly the changed ones.
examples/find_mislabelled.cpp is the same program with numbers only.

python examples/python/find_mislabelled.py [FOLDER [EPOCHS]]

FOLDER gets the logs and, if matplotlib is installed, a page with pictures: index.html.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
from train_digits import load_digits, network

import mithril as ml


def split(labels, rng):
    """The rows of 64 validation samples, as many of each digit as possible, and the others."""
    order = rng.permutation(len(labels))
    by_digit = [order[labels[order] == digit][:7] for digit in range(10)]
    clean = np.transpose(by_digit).ravel()[:64]
    return clean, order[~np.isin(order, clean)]


def change_labels(labels, train, rng):
    """The labels with those of a tenth of the training samples changed, and the rows of these."""
    changed = rng.choice(train, len(train) // 10, replace=False)
    given = labels.copy()
    given[changed] = (labels[changed] + rng.integers(1, 10, len(changed))) % 10
    return given, changed


def train_with_logs(data, validation, train, folder, epochs):
    model = ml.Model()
    model |= network()(image="image", logits="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    compiled = ml.compile(
        model, ml.CpuBackend(), shapes={"image": [None, 1, 8, 8]}, data_keys={"image", "label"}
    )
    optimizer = ml.SGD(lr=0.05, momentum=0.9)
    engine = ml.GradDotProdEngine(
        compiled,
        losses="losses",
        validation_batch_size=len(validation["label"]),
        dot_prod_save_path=folder,
        same_pass=True,
    )
    engine.attach(optimizer)
    engine.attach_and_store_valset(validation)
    shuffle, iteration, batch = np.random.default_rng(1), 0, 16
    for epoch in range(epochs):
        order, losses = shuffle.permutation(train), []
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            some = {key: value[rows] for key, value in data.items()}
            losses.append(engine.attach_train_batch(some, iteration, rows).mean())
            gradients = engine.prepare_gradients()
            engine.aggregate_and_log()
            optimizer.step(engine.params, gradients)
            engine.clear_gradients()
            iteration += 1
        engine.save_dot_product_log(epoch)
        print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4f}")
    engine.detach()


def scores_of(folder, epochs, count):
    """The sum of the logs of each sample. The network of the first epoch knows too little."""
    scores = np.zeros(count)
    for epoch in range(1, epochs):
        with np.load(folder / f"dots-{epoch:08}.npz") as log:
            np.add.at(scores, log["batch_index"], log["dots"])
    return scores


def draw_samples(path, data, labels, scores, worst):
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(4, 10, figsize=(10, 5.6))
    figure.suptitle("The 40 most harmful samples: label -> label before it was changed")
    for axis, row in zip(axes.flat, worst, strict=True):
        axis.imshow(data["image"][row, 0], cmap="gray_r", vmin=0, vmax=1)
        given = data["label"][row]
        is_changed = given != labels[row]
        title = f"{given} -> {labels[row]}" if is_changed else f"{given}"
        axis.set_title(title, color="tab:red" if is_changed else "black", fontsize=11)
        axis.set_xlabel(f"{scores[row]:.0f}", fontsize=8)
        axis.set(xticks=[], yticks=[])
    figure.tight_layout(h_pad=1.5)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw_curve(path, is_changed):
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axis = pyplot.subplots(figsize=(6, 4))
    inspected = 100 * np.arange(1, len(is_changed) + 1) / len(is_changed)
    axis.plot(
        inspected, 100 * np.cumsum(is_changed) / is_changed.sum(), label="lowest scores first"
    )
    axis.plot([0, 100], [0, 100], "--", color="gray", label="at random")
    axis.axvline(15, color="tab:red", linewidth=1, label="15 %")
    axis.set(xlabel="inspected samples, %", ylabel="changed labels found, %")
    axis.set(xlim=(0, 100), ylim=(0, 102))
    axis.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>Mislabelled digits</title>
<style>body {{ font-family: sans-serif; max-width: 62em; margin: 2em auto; }}
img {{ max-width: 100%; }}</style>
<h1>Mislabelled digits</h1>
<p>{changed} of {count} training samples got a wrong label. {found:.1%} of them are among the lowest
15 % of the scores: the sums, over training, of the inner products of a sample's gradient with those
of 64 clean validation samples.</p>
<h2>The most harmful samples</h2>
<img src="samples.png" alt="The 40 samples with the lowest scores, most with a wrong label">
<h2>Labels found</h2>
<img src="curve.png" alt="The share of wrong labels found by the share of samples inspected">
</html>
"""


def main(folder="mislabelled", epochs="8"):
    folder, epochs = Path(folder), int(epochs)
    images, labels = load_digits()
    rng = np.random.default_rng(0)
    clean, train = split(labels, rng)
    given, changed = change_labels(labels, train, rng)
    data = {"image": images, "label": given}
    validation = {"image": images[clean], "label": labels[clean]}
    train_with_logs(data, validation, train, folder, epochs)

    scores = scores_of(folder, epochs, len(images))
    lowest = train[np.argsort(scores[train])]
    found = np.isin(changed, lowest[: 15 * len(train) // 100]).mean()
    print(f"{found:.1%} of {len(changed)} changed labels are among the lowest 15 % of the scores")
    if importlib.util.find_spec("matplotlib") is None:
        print("there is no page without matplotlib: pip install matplotlib")
        return
    importlib.import_module("matplotlib").use("agg")  # without a display
    draw_samples(folder / "samples.png", data, labels, scores, lowest[:40])
    draw_curve(folder / "curve.png", np.isin(lowest, changed))
    page = PAGE.format(changed=len(changed), count=len(train), found=found)
    (folder / "index.html").write_text(page, encoding="utf-8")
    print(f"see {folder / 'index.html'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
