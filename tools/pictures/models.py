"""Draws a composed model from its parts and connections, as its JSON form lists them."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .svg import LETTER, Picture

HEIGHT, GAP_X, GAP_Y = 46, 22, 30


@dataclass
class Box:
    """A part, or an input or output of the model."""

    name: str
    below: str
    kind: str
    reads: list[tuple[str, str]] = field(default_factory=list)  # boxes, and the texts of the lines
    row: int = 0
    x: float = 0
    width: float = 0


def shape_text(shape: Any) -> str:
    """A shape of get_shapes() as Mithril writes it."""
    sizes = ["..." if size is ... else "?" if size is None else str(size) for size in shape or ()]
    return f"[{', '.join(sizes)}]"


def source(key: str | dict[str, Any], made: dict[str, str]) -> str:
    """The part, or the input of the model, that a port reads."""
    if isinstance(key, dict):
        return str(key["key"]["connect"][0][0])
    return made.get(key, key)


def boxes_of(model: Any, wrong: str | None) -> dict[str, Box]:
    """The boxes by name. Each part has one output; inputs that are parameters are left out."""
    form = json.loads(model.to_json())
    shapes = model.get_shapes()
    outputs = dict(re.findall(r"^(\w+) +\w+ +\w+ (\[.*?\])", model.summary(), re.MULTILINE))
    made = {
        ports["output"]: part for part, ports in form["connections"].items() if "output" in ports
    }
    boxes: dict[str, Box] = {}
    for part, what in form["submodels"].items():
        numbers = ", ".join(str(value) for value in what.get("args", {}).values())
        kind = "wrong" if part == wrong else "part"
        below = f"{what['name']}({numbers})" if numbers else what["name"]
        boxes[part] = Box(part, below, kind)
        for port, key in form["connections"][part].items():
            if port != "output":
                name = source(key, made)
                boxes[part].reads.append((name, outputs.get(name, "")))
    for key in {name: None for box in boxes.values() for name, _ in box.reads}:
        if key not in boxes:
            boxes[key] = Box(key, shape_text(shapes.get(key)), "port")
    for key in model.output_keys:
        boxes[key] = Box(key, shape_text(shapes.get(key)), "port", [(made[key], "")])
    return boxes


def place(boxes: dict[str, Box], size: float) -> tuple[float, float]:
    """Puts each box a row below those that it reads, rows centred. Returns width and height."""
    for _ in boxes:
        for box in boxes.values():
            box.row = max([box.row, *(boxes[name].row + 1 for name, _ in box.reads)])
    rows: dict[int, list[Box]] = {}
    for box in boxes.values():
        letters = max(len(box.name), len(box.below))
        box.width = letters * LETTER * size + 24
        rows.setdefault(box.row, []).append(box)
    widths = {row: sum(box.width + GAP_X for box in row_) - GAP_X for row, row_ in rows.items()}
    widest = max(widths.values())
    for row, members in rows.items():
        x = (widest - widths[row]) / 2
        for box in members:
            box.x = x
            x += box.width + GAP_X
    return widest, len(rows) * (HEIGHT + GAP_Y) - GAP_Y


def draw(
    picture: Picture, model: Any, x: float, y: float, size: float = 14, wrong: str | None = None
) -> None:
    """Draws the model with its upper left corner at (x, y). `wrong` is a part to mark."""
    boxes = boxes_of(model, wrong)
    place(boxes, size)

    def top(box: Box) -> float:
        return y + box.row * (HEIGHT + GAP_Y)

    for box in boxes.values():
        for name, shape in box.reads:
            other = boxes[name]
            start = (x + other.x + other.width / 2, top(other) + HEIGHT)
            end = (x + box.x + box.width / 2, top(box))
            picture.line([start, end], "badline" if box.kind == "wrong" else "line")
            if shape:
                middle_x, middle_y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 5
                before = start[0] < end[0]  # a line to the right has its text on the left
                at = "end" if before else "start"
                picture.text(
                    middle_x + (-10 if before else 10), middle_y, shape, "soft", size - 2, at
                )
    for box in boxes.values():
        picture.rect(x + box.x, top(box), box.width, HEIGHT, box.kind)
        middle_x = x + box.x + box.width / 2
        picture.text(middle_x, top(box) + 19, box.name, "ink b", size, "middle")
        picture.text(middle_x, top(box) + 37, box.below, "soft", size - 1, "middle")


def size_of(model: Any, size: float = 14) -> tuple[float, float]:
    """The width and the height of the drawing."""
    return place(boxes_of(model, None), size)
