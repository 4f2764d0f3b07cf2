"""Text that shows results of the examples: a curve, and small images."""

import numpy as np


def curve(values):
    """A curve of 8 rows and at most 60 columns; each column shows the mean of several values."""
    rows, columns = 8, 60
    width = -(-len(values) // columns)  # of a column, in values
    means = [np.mean(values[i : i + width]) for i in range(0, len(values), width or 1)]
    if not means:
        return ""
    least, most = min(means), max(means)
    scale = (most - least or 1) / (rows - 1)
    heights = [int((most - mean) / scale + 0.5) for mean in means]
    lines = []
    for row in range(rows):
        label = f"{most - scale * row:8.3f}" if row in (0, rows - 1) else 8 * " "
        points = "".join("*" if row == height else " " for height in heights)
        lines.append(f"{label} |{points}")
    lines.append(9 * " " + "+" + len(means) * "-")
    return "".join(line.rstrip() + "\n" for line in lines)


def pictures(images, captions):
    """Images [rows, 1, height, width] of 0 to 1 side by side, two characters per pixel, and a
    caption below each."""
    shades = " .:-=+*#%@"
    width = 2 * images.shape[3]
    lines = []
    for y in range(images.shape[2]):
        rows = images[: len(captions), 0, y]
        lines.append(
            ["".join(2 * shades[min(int(10 * pixel), 9)] for pixel in row) for row in rows]
        )
    lines.append([f"{caption:<{width}}" for caption in captions])
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)
