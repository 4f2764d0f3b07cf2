"""The picture of the README: a composed model, and the error that a wrong shape gives."""

from typing import Any

import mithril as ml

from .models import draw, size_of
from .svg import Picture, wrapped

CODE = """\
image = ml.IOKey("image", shape=["N", 784])
text = ml.IOKey("text", shape=["N", 300])
see = ml.Linear(64, name="see")
read = ml.Linear({size}, name="read")
joint = see(image) + read(text)
score = ml.Linear(10, name="score")
model = ml.Model.create(logits=score(joint))"""


def composed(size: int) -> Any:
    """The model of the code, with a size for the vector of the text."""
    names: dict[str, Any] = {"ml": ml}
    exec(CODE.format(size=size), names)
    return names["model"]


def error() -> str:
    """The text of the error, as composing raises it."""
    try:
        composed(32)
    except ml.ShapeError as raised:
        return str(raised)
    raise AssertionError("two dims that differ were added")


def message(picture: Picture, x: float, y: float, size: float, letters: int) -> float:
    """Writes the code with the wrong size, and its error. Returns the y below."""
    code = CODE.format(size=32).splitlines()
    picture.text(x, y, "The code, with 32 in place of 64:", "soft", size)
    y = picture.block(
        x, y + size / 2, [(line, "bad" if "32" in line else "ink") for line in code], size
    )
    picture.text(x, y + 1.7 * size, "The error, before any data is read:", "soft", size)
    first, *others = error().splitlines()
    texts = [(line, "bad b") for line in wrapped(first, letters, "  ")]
    texts += [(line, "ink") for line in wrapped("\n".join(others), letters)]
    return picture.block(x, y + 2.2 * size, texts, size)


def model_and_error(wide: bool) -> str:
    """The drawing beside the error, or for phones above it."""
    model = composed(64)
    title = "A model of named parts, and the error that a wrong size gives"
    size = 14 if wide else 15
    width, height = size_of(model, size)
    picture = Picture(900 if wide else 440, height + 66, title)
    picture.text(18, 32, "A model, drawn from its graph:", "soft", size)
    if wide:
        draw(picture, model, 24, 48, size, "add")
        picture.height = max(height + 66, message(picture, width + 90, 32, size, 64) + 16)
    else:
        draw(picture, model, (440 - width) / 2, 48, size, "add")
        picture.height = message(picture, 16, height + 84, 12.7, 53) + 16
    picture.height = round(picture.height)
    return picture.svg()


def network() -> str:
    """The network of the first example of docs/semantics.md."""
    net = ml.Model()
    net |= ml.Conv2d(filters=8, kernel_size=3)(input="image")
    net += ml.Relu()
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(dimension=10)(output="logits")
    net.set_shapes(image=["N", 1, 8, 8])
    width, height = size_of(net, 15)
    picture = Picture(440, round(height + 66), "The network of the first example")
    picture.text(18, 32, "net, with the inferred shapes:", "soft", 15)
    draw(picture, net, (440 - width) / 2, 48, 15)
    return picture.svg()
