"""Names the types of files from their bytes, with the classifier of magika.

Without arguments it names the types of files of this project.

python examples/onnx/packages.py && python examples/onnx/name_file_types.py [FILE ...]
"""

import json
import sys
from pathlib import Path

import numpy as np
from packages import ROOT, find

import mithril as ml

FOLDER = "magika/models/standard_v3_3"
PROJECT = {
    "mithril/onnx/read_onnx.cpp": "cpp",
    "python/mithril/onnx/export.py": "python",
    "docs/onnx.md": "markdown",
    "CMakePresets.json": "json",
    "CMakeLists.txt": "cmake",
    "Makefile": "makefile",
    "pyproject.toml": "toml",
    "examples/web/digits.js": "javascript",
    "examples/web/index.html": "html",
    "examples/c/embed.rs": "rust",
    "examples/c/run_package.c": "c",
    "docs/pictures/peers.svg": "svg",
    "LICENSE": "txt",
}


def features(content, config):
    """The first and the last bytes without white space at the ends, padded, as int32."""
    begin = content[: config["block_size"]].lstrip()[: config["beg_size"]]
    end = content[-config["block_size"] :].rstrip()[-config["end_size"] :]
    padding = config["padding_token"]  # 256, which is not a byte
    row = np.full(config["beg_size"] + config["end_size"], padding, np.int32)
    row[: len(begin)] = np.frombuffer(begin, np.uint8)
    row[len(row) - len(end) :] = np.frombuffer(end, np.uint8)
    return row


class TypeClassifier:
    def __init__(self):
        text = find("magika", f"{FOLDER}/config.min.json").read_text(encoding="utf-8")
        self.config = json.loads(text)
        model, self.params, _ = ml.from_onnx(find("magika", f"{FOLDER}/model.onnx"))
        self.compiled = ml.compile(model, ml.CpuBackend(), inference=True)

    def __call__(self, contents):
        """(label, probability) of each content: bytes of at least 8."""
        rows = np.stack([features(content, self.config) for content in contents])
        scores = self.compiled.evaluate(self.params, {"bytes": rows})["target_label"]
        labels = self.config["target_labels_space"]
        return [(labels[row.argmax()], float(row.max())) for row in np.asarray(scores)]


def main(paths=()):
    paths = [Path(path) for path in paths] or [ROOT / path for path in PROJECT]
    found = TypeClassifier()([path.read_bytes() for path in paths])
    for path, (label, probability) in zip(paths, found, strict=True):
        print(f"{label:12} {probability:.3f}  {path}")
    return [label for label, _ in found]


if __name__ == "__main__":
    main(sys.argv[1:])
