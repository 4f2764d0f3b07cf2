"""Reads and extends ONNX files without the onnx package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["add_outputs", "node_outputs"]

GRAPH = 7  # the numbers of fields: of a model,
NODE, OUTPUT = 1, 12  # of a graph,
NODE_OUTPUT = 2  # of a node,
NAME = 1  # and of a value


def node_outputs(path: str) -> list[str]:
    """The names of the values that the nodes of the graph make, in their order."""
    names = []
    for graph in _contents(Path(path).read_bytes(), GRAPH):
        for node in _contents(graph, NODE):
            names += [name.decode() for name in _contents(node, NODE_OUTPUT) if name]
    return names


def add_outputs(path: str, names: list[str]) -> None:
    """Adds those of the values to the outputs of the graph that are no outputs yet.

    Readers merge the fields of a message that occurs twice.
    """
    known = {
        name.decode()
        for graph in _contents(Path(path).read_bytes(), GRAPH)
        for output in _contents(graph, OUTPUT)
        for name in _contents(output, NAME)
    }
    outputs = [_field(OUTPUT, _field(NAME, name.encode())) for name in names if name not in known]
    if outputs:
        with Path(path).open("ab") as file:
            file.write(_field(GRAPH, b"".join(outputs)))


def _contents(message: bytes, wanted: int) -> Iterator[bytes]:
    """The contents of the fields of this number, which have a length."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        if tag & 7 == 0:
            _, at = _varint(message, at)
        elif tag & 7 == 2:
            size, at = _varint(message, at)
            if tag >> 3 == wanted:
                yield message[at : at + size]
            at += size
        else:
            at += 8 if tag & 7 == 1 else 4


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def _field(number: int, content: bytes) -> bytes:
    made, size = bytearray([number << 3 | 2]), len(content)
    while size >= 128:
        made.append(size & 127 | 128)
        size >>= 7
    return bytes(made) + bytes([size]) + content
