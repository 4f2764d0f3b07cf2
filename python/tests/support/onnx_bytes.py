"""Writes the bytes of small ONNX files, without the onnx package."""

from __future__ import annotations

import struct

import numpy as np

TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "float8_e4m3fn": 17,
    "uint4": 21,
    "int4": 22,
    "float8_e8m0fnu": 24,
}


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    made = b""
    while number >= 128:
        made += bytes([number & 127 | 128])
        number >>= 7
    return made + bytes([number])


def field(tag: int, value: int | str | bytes) -> bytes:
    """A field of a message: a number, or text, bytes or another message."""
    if isinstance(value, int):
        return varint(tag << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(data)) + data


class Graph(bytes):
    """A graph, as an attribute of a node."""


def node(
    op: str, inputs: str, outputs: str, **attributes: int | float | str | bytes | list[int]
) -> bytes:
    """A node; names are separated by spaces. Bytes are text, and a Graph is a graph."""
    made = b"".join(field(1, name) for name in inputs.split())
    made += b"".join(field(2, name) for name in outputs.split()) + field(4, op)
    for name, value in attributes.items():
        made += field(5, field(1, name) + content(value))
    return made


def content(value: int | float | str | bytes | list[int]) -> bytes:
    """The value of an attribute, and its type."""
    if isinstance(value, int):
        return field(3, value) + field(20, 2)
    if isinstance(value, float):
        return varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, Graph):
        return field(6, value) + field(20, 5)
    if isinstance(value, list):
        return b"".join(field(8, each) for each in value) + field(20, 7)
    return field(4, value) + field(20, 3)


def tensor(name: str, array: np.ndarray) -> bytes:
    dims = b"".join(field(1, size) for size in array.shape)
    return dims + field(2, TYPES[array.dtype.name]) + field(8, name) + field(9, array.tobytes())


def value(name: str, dims: list[int | str], dtype: str = "float32") -> bytes:
    """An input or an output."""
    return typed(name, tensor_type(dims, dtype))


def typed(name: str, kind: bytes) -> bytes:
    """An input or an output of this type."""
    return field(1, name) + field(2, kind)


def tensor_type(dims: list[int | str], dtype: str = "float32") -> bytes:
    sizes = b"".join(field(1, field(2 if isinstance(d, str) else 1, d)) for d in dims)
    return field(1, field(1, TYPES[dtype]) + field(2, sizes))


def sequence_type(element: bytes) -> bytes:
    return field(4, field(1, element))


def optional_type(element: bytes) -> bytes:
    return field(9, field(1, element))


def file(
    nodes: list[bytes],
    inputs: list[bytes],
    outputs: list[bytes],
    initializers: dict[str, np.ndarray] | None = None,
    opset: int = 17,
) -> bytes:
    made = graph(nodes, inputs, outputs, initializers)
    return field(1, 8) + field(8, field(2, opset)) + field(7, made)


def functions(made: list[bytes]) -> bytes:
    """Functions of the domain "local", to append to a file."""
    return field(8, field(1, "local") + field(2, 1)) + b"".join(field(25, each) for each in made)


def function(
    name: str,
    inputs: str,
    outputs: str,
    nodes: list[bytes],
    opset: int = 17,
    **defaults: int | float | str | bytes | list[int],
) -> bytes:
    """A function, with its attributes that have a default."""
    made = field(1, name) + b"".join(field(4, each) for each in inputs.split())
    made += b"".join(field(5, each) for each in outputs.split())
    made += b"".join(field(7, each) for each in nodes)
    for key, default in defaults.items():
        made += field(11, field(1, key) + content(default))
    return made + field(9, field(2, opset)) + field(10, "local")


def call(
    name: str, inputs: str, outputs: str, **attributes: int | float | str | bytes | list[int]
) -> bytes:
    """A call of a function of the file."""
    return node(name, inputs, outputs, **attributes) + field(7, "local")


def reference(name: str, attribute: str, kind: int) -> bytes:
    """An attribute of a node in a function that has the value of an attribute of the call."""
    return field(5, field(1, name) + field(21, attribute) + field(20, kind))


def graph(
    nodes: list[bytes],
    inputs: list[bytes],
    outputs: list[bytes],
    initializers: dict[str, np.ndarray] | None = None,
) -> Graph:
    made = b"".join(field(1, each) for each in nodes)
    for name, array in (initializers or {}).items():
        made += field(5, tensor(name, array))
    made += b"".join(field(11, each) for each in inputs)
    made += b"".join(field(12, each) for each in outputs)
    return Graph(made)
