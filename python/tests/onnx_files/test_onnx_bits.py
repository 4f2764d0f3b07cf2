"""BitCast of ONNX: the bits of numbers as numbers of another type."""

import numpy as np
import pytest
from onnx_bytes import TYPES, node
from onnx_nodes import refusal, run

PAIRS = [
    ("float32", "int32"),
    ("float32", "uint32"),
    ("uint32", "float32"),
    ("float64", "int64"),
    ("uint64", "float64"),
    ("int16", "uint16"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_bits_are_kept(tmp_path, pair):
    given, wanted = pair
    x = np.array([0, 1, 2, 1000, 31], given)
    (y,) = run(tmp_path, node("BitCast", "x", "y", to=TYPES[wanted]), {"x": x}, opset=26)
    assert y.dtype == wanted
    assert y.tobytes() == x.tobytes()


def test_the_bits_of_known_floats_are_known(tmp_path):
    """A shape that is made of the bits of a float: 0x40000000 >> 29 is 2."""
    nodes = [
        node("BitCast", "f", "i", to=TYPES["uint32"]),
        node("BitShift", "i n", "s", direction=b"RIGHT"),
        node("Cast", "s", "size", to=TYPES["int64"]),
        node("Expand", "size two", "shape"),
        node("Reshape", "x shape", "y"),
    ]
    known = {"f": np.array(2, np.float32), "n": np.array(29, np.uint32), "two": np.array([2])}
    (y,) = run(tmp_path, nodes, {"x": np.arange(4.0)}, known=known, opset=26)
    assert y.tolist() == [[0, 1], [2, 3]]


def test_the_bits_of_16_bit_floats_are_refused(tmp_path):
    x = np.ones(1, np.float16)
    found = refusal(tmp_path, node("BitCast", "x", "y", to=TYPES["int16"]), {"x": x}, opset=26)
    assert "the bits of float16 are not read" in found
