"""Small ONNX files that name large sizes: reading one takes little memory and work. What the import
does not compute, the model computes."""

import subprocess
import sys

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import run

import mithril as ml

MOST = 64 * 2**20  # bytes
LARGE = 2**26
NONE = np.zeros(0, np.float32)


def ints(*numbers):
    return np.array(numbers, np.int64)


def resize(mode, **attributes):
    return ob.node("Resize", "x none none sizes", "y", mode=mode, **attributes)


def many(op, count, inputs):
    """Equal nodes, whose sum is y."""
    nodes = [ob.node(op, inputs, f"y{i}") for i in range(count)]
    return [*nodes, ob.node("Sum", " ".join(f"y{i}" for i in range(count)), "y")]


ROI = ob.node("RoiAlign", "x r b", "y", output_height=2**15, output_width=1, sampling_ratio=2**10)
MEL = {
    "a": np.array(2**10),
    "b": np.array(4090),
    "c": np.array(16000),
    "d": np.float32(0),
    "e": np.float32(8000),
}

# Nodes, inputs and known inputs of a file.
FILES = {
    "STFT": (
        [ob.node("STFT", "x one w w2", "y")],
        {"x": [1, 2**25]},
        {"one": np.array(1), "w": np.ones(2, np.float32), "w2": np.array(2)},
    ),
    "Col2Im": (
        [ob.node("Col2Im", "x image block", "y")],
        {"x": [1, 16, 2**22 - 15]},
        {"image": ints(2**22), "block": ints(16)},
    ),
    "DeformConv": (
        [ob.node("DeformConv", "x w o", "y")],
        {"x": [1, 1, 2048, 2048], "w": [1, 1, 3, 3], "o": [1, 18, 2048, 2048]},
        {},
    ),
    "RoiAlign": ([ROI], {"x": [1, 1, 8, 8], "r": [1, 4], "b": [1, "int64"]}, {}),
    "Slice": (
        [ob.node("Slice", "x a b zero a", "y")],
        {"x": [LARGE]},
        {"a": ints(-1), "b": ints(-(2**40)), "zero": ints(0)},
    ),
    "Pad": ([ob.node("Pad", "x p", "y", mode=b"edge")], {"x": [3]}, {"p": ints(LARGE, 0)}),
    "ScatterND": (
        [ob.node("ScatterND", "x i u", "y")],
        {"x": [2, LARGE], "i": [1, 1, "int64"], "u": [1, LARGE]},
        {},
    ),
    "AffineGrid": (
        [ob.node("AffineGrid", "x size", "y")],
        {"x": [1, 2, 3]},
        {"size": ints(1, 1, 4096, 4096)},
    ),
    "Resize by repeating": (
        [resize(b"nearest")],
        {"x": [1, 2]},
        {"none": NONE, "sizes": ints(1, LARGE)},
    ),
    "ConstantOfShape": ([ob.node("ConstantOfShape", "n", "y")], {}, {"n": ints(2**27)}),
    "many axes": ([ob.node("ConstantOfShape", "n", "y")], {}, {"n": ints(2**40, 2**40)}),
    "Expand": ([ob.node("Expand", "one n", "y")], {}, {"n": ints(2**40), "one": np.float32([1])}),
    "Tile": ([ob.node("Tile", "one n", "y")], {}, {"n": ints(2**40), "one": np.float32([1])}),
    "Range": (
        [ob.node("Range", "a b c", "y")],
        {},
        {"a": np.float32(0), "b": np.float32(LARGE), "c": np.float32(1)},
    ),
    "HannWindow": ([ob.node("HannWindow", "n", "y")], {}, {"n": np.array(2**40)}),
    "HammingWindow": (many("HammingWindow", 9, "n"), {}, {"n": np.array(2**21)}),
    "MelWeightMatrix": ([ob.node("MelWeightMatrix", "a b c d e", "y")], {}, MEL),
    "MatMul": (
        [ob.node("ConstantOfShape", "n", "a"), ob.node("MatMul", "a a", "y")],
        {},
        {"n": ints(2000, 2000)},
    ),
    "many products": (
        [
            ob.node("ConstantOfShape", "n", "a"),
            ob.node("ConstantOfShape", "m", "b"),
            *many("MatMul", 300, "b a"),
        ],
        {},
        {"n": ints(20000, 100), "m": ints(100, 20000)},
    ),
    "LSTM": (
        [
            ob.node("ConstantOfShape", "n", "a"),
            ob.node("ConstantOfShape", "m", "w"),
            ob.node("LSTM", "a w w", "y"),
        ],
        {},
        {"n": ints(300_000, 1, 1), "m": ints(1, 4, 1)},
    ),
}

# The peak of ru_maxrss would include the process that starts this one.
READ = """
import sys
import mithril as ml

def most():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))

ml.from_onnx(sys.argv[1])
before = most()
ml.from_onnx(sys.argv[2])
print(1024 * (most() - before))
"""


def write(path, nodes, inputs, known):
    stated = []
    for name, dims in inputs.items():
        dtype = dims[-1] if dims[-1] in ob.TYPES else "float32"
        stated.append(ob.value(name, [d for d in dims if d != dtype], dtype))
    output = ob.field(1, "y") + ob.field(2, ob.field(1, ob.field(1, ob.TYPES["float32"])))
    path.write_bytes(ob.file(nodes, stated, [output], known, 20))
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc/self/status")
@pytest.mark.parametrize("name", FILES)
def test_a_small_file_takes_little_memory(tmp_path, name):
    small = write(tmp_path / "small.onnx", [ob.node("Relu", "x", "y")], {"x": [1]}, {})
    large = write(tmp_path / "large.onnx", *FILES[name])
    command = [sys.executable, "-c", READ, str(small), str(large)]
    read = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(read.stdout) < MOST


def weights(scale, **attributes):
    known = {"w": np.ones((4096, 4096), np.int8), "s": scale}
    nodes = [ob.node("DequantizeLinear", "w s", "d", **attributes), ob.node("MatMul", "x d", "y")]
    return nodes, {"x": [1, 4096]}, known


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc/self/status")
@pytest.mark.parametrize("attributes", [{}, {"axis": 0}, {"axis": 1}])
def test_weights_are_dequantised_in_little_memory(tmp_path, attributes):
    scale = np.ones(4096, np.float32) if attributes else np.float32(0.5)
    small = write(tmp_path / "small.onnx", [ob.node("Relu", "x", "y")], {"x": [1]}, {})
    large = write(tmp_path / "large.onnx", *weights(scale, **attributes))
    command = [sys.executable, "-c", READ, str(small), str(large)]
    read = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(read.stdout) < MOST + 4 * large.stat().st_size


def constant(array):
    held = ob.field(1, "value") + ob.field(5, ob.tensor("w", array)) + ob.field(20, 4)
    return ob.field(2, "w") + ob.field(4, "Constant") + ob.field(5, held)


def doubled(nodes, levels):
    """A function with these nodes, and functions that call the one before twice."""
    functions = [ob.function("f0", "in", "out", nodes)]
    for i in range(1, levels + 1):
        calls = [
            ob.call(f"f{i - 1}", "in", out) + ob.field(3, name * 200)
            for out, name in (("a", "first"), ("b", "second"))
        ]
        functions.append(ob.function(f"f{i}", "in", "out", [*calls, ob.node("Add", "a b", "out")]))
    return ob.functions(functions)


READ_CALLS = READ.replace(
    "ml.from_onnx(sys.argv[2])",
    """
try:
    ml.from_onnx(sys.argv[2])
except ml.ValueError:
    pass
""",
)
CALLS = {
    "many ops": ([ob.node("Celu", "in", "out")], 14, []),
    "names of weights": ([constant(np.ones(1, np.float32)), ob.node("Add", "in w", "out")], 13, []),
    "one constant in many calls": (
        [constant(np.ones(2**17, np.int64)), ob.node("Gather", "w in", "out")],
        5,
        [ob.node("ConstantOfShape", "n", "c"), ob.node("Neg", "c", "d")],
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc/self/status")
@pytest.mark.parametrize("name", CALLS)
def test_calls_take_little_memory(tmp_path, name):
    body, levels, nodes = CALLS[name]
    dtype = "int64" if nodes else "float32"
    inputs = [ob.value("x", [1], dtype)]
    outputs = [ob.value("y", [1], dtype)] + ([ob.value("d", [10**7])] if nodes else [])
    made = [ob.call(f"f{levels}", "x", "y"), *nodes]
    file = ob.file(made, inputs, outputs, {"n": ints(10**7)}) + doubled(body, levels)
    (tmp_path / "large.onnx").write_bytes(file)
    small = write(tmp_path / "small.onnx", [ob.node("Relu", "x", "y")], {"x": [1]}, {})
    command = [sys.executable, "-c", READ_CALLS, str(small), str(tmp_path / "large.onnx")]
    read = subprocess.run(command, check=True, capture_output=True, text=True)
    assert int(read.stdout) < MOST + 4 * len(file)


REFUSED = {
    "linear": (resize(b"linear"), [1, 3]),
    "many neighbours": (resize(b"cubic", antialias=1), [1, 2**30]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_weights_of_resize_have_a_limit(tmp_path, name):
    node, dims = REFUSED[name]
    known = {"none": NONE, "sizes": ints(1, 2**24)}
    path = write(tmp_path / "net.onnx", [node], {"x": dims}, known)
    with pytest.raises(ml.Error, match="it weights too many elements"):
        ml.from_onnx(path)


def test_all_nodes_share_the_limit_on_weights_of_resize(tmp_path):
    node = ob.node("Resize", "x none none sizes", "", mode=b"linear")
    known = {"none": NONE, "sizes": ints(1, 2**17)}
    for count, is_refused in ((4, False), (5, True)):
        nodes = [ob.field(2, f"y{i}") + node for i in range(count)]
        nodes.append(ob.node("Sum", " ".join(f"y{i}" for i in range(count)), "y"))
        path = write(tmp_path / "net.onnx", nodes, {"x": [1, 3]}, known)
        if not is_refused:
            ml.from_onnx(path)
            continue
        with pytest.raises(ml.Error, match="it weights too many elements"):
            ml.from_onnx(path)


def test_the_model_computes_constants_that_the_import_does_not(tmp_path):
    nodes = [
        ob.node("ConstantOfShape", "n", "a"),
        ob.node("ReduceSum", "a", "b"),
        ob.node("Add", "b x", "y"),
    ]
    x = np.array([3.0])
    [y] = run(tmp_path, nodes, {"x": x}, known={"n": ints(2**23)}, dtype="float32")
    assert y == [3]
