"""Measures the overhead of ml.data over a DataLoader of PyTorch.

Usage: python -m benchmarks.data_loading

Reads the same batches from a loader and from its source, interleaved, and prints the median times
and the medians of their ratios in each round. A batch of the loader is converted to NumPy's arrays
in all cases, as a training step needs them; `to` makes tensors of them again.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch

import mithril as ml

ROWS, FEATURES = 20_000, 64


class Digits(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Images that each access normalises, as data sets do."""

    def __init__(self) -> None:
        self.images = torch.randint(0, 256, (ROWS, FEATURES), dtype=torch.uint8)
        self.labels = torch.randint(0, 10, (ROWS,))

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.images[i].float() / 255, self.labels[i]


def seconds_of(make: Callable[[], Iterable[Any]]) -> float:
    """The time of one pass."""
    began = time.perf_counter()
    rows = sum(len(batch["label"]) for batch in make())
    assert rows == ROWS
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    loader = torch.utils.data.DataLoader(
        Digits(), batch_size=given.batch, num_workers=given.workers
    )
    source = ml.data.from_torch(loader, names=["image", "label"])

    def bare() -> Iterable[Any]:
        for image, label in loader:
            yield {"image": image.numpy(), "label": label.numpy()}

    backend = ml.TorchBackend()
    ways: dict[str, Callable[[], Iterable[Any]]] = {
        "DataLoader": bare,
        "ml.data": lambda: source.read_batches(given.batch),
        "ml.data, prefetch": lambda: source.batch(given.batch).prefetch(),
        "ml.data, to": lambda: source.to(backend).read_batches(given.batch),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(given.rounds):
        for name, make in ways.items():
            times[name].append(seconds_of(make))
    base = times["DataLoader"]
    for name, measured in times.items():
        median = statistics.median(measured)
        ratio = statistics.median(a / b for a, b in zip(measured, base, strict=True))
        print(f"{name:20} {median * 1e3:8.1f} ms   {ratio:.3f} of the DataLoader")


if __name__ == "__main__":
    main()
