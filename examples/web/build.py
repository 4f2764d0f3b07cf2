"""Builds what examples/web/index.html loads: the classifier, its first weights, the digits.

python examples/web/build.py [wasm|javascript] [FOLDER]
python -m http.server --directory examples/web
"""

import shutil
import sys
from pathlib import Path

import mithril as ml

HERE = Path(__file__).parent
DIGITS = HERE.parent / "data" / "digits.bin"
BATCH = 32


def classifier() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=16, kernel_size=3, padding=1)(input="image")
    model += ml.Relu()
    model += ml.MaxPool2D(kernel_size=2)
    model += ml.Conv2d(filters=32, kernel_size=3, padding=1)
    model += ml.Relu()
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(10)(output="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    return model


def build(target: str, folder: Path) -> None:
    compiled = ml.compile(
        classifier(),
        ml.CpuBackend(),
        shapes={"image": [BATCH, 1, 8, 8], "label": [BATCH]},
        data_keys={"image", "label"},
    )
    if target == "wasm":
        ml.to_wasm(compiled, folder)
    else:
        ml.to_javascript(compiled, folder)
    ml.save(folder / "model.safetensors", compiled.get_parameters())
    shutil.copy(DIGITS, folder / "digits.bin")


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "wasm"
    build(target, Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "built")
