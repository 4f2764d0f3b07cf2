"""The digits of examples/data: images [1797, 1, 8, 8] from 0 to 1, and labels."""

import sys

import numpy as np


def load_digits():
    raw = np.fromfile(sys.argv[1], np.uint8)[20:]
    images = raw[: 1797 * 64].reshape(1797, 1, 8, 8).astype(np.float32) / 16
    order = np.random.default_rng(0).permutation(1797)
    return images[order], raw[1797 * 64 :].astype(np.int64)[order]
