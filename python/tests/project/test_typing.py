"""Type checkers refuse each wrong use of the package, and accept each right one."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAD = """import numpy as np
import mithril as ml
x = ml.IOKey("x")
net = ml.Model()
backend = ml.CpuBackend()
compiled = ml.compile(ml.Relu(), backend)
"""
WRONG = {
    "a name with a typing error": "ml.Rellu()",
    "a name of another library": "ml.Dense(3)",
    "an argument of a model": "ml.Linear(dimenson=3)",
    "an argument of an op": "ml.Softmax(axs=1)",
    "PyTorch's order": "ml.Conv2d(1, 8, 3)",
    "a kind of argument": 'ml.Linear(dimension="3")',
    "a tensor for a port that is none": "ml.Linear(4, wieght=ml.Tensor([[1.0]]))",
    "a value for a tensor of a layer with any ports": 'ml.Layer("Relu", weight=3)',
    "a model for a port of a layer with any ports": 'ml.MLP(["Relu"])(input=net)',
    "an argument that is missing": "ml.Split(2)",
    "an input port of a model": 'net |= ml.Linear(4)(inptu="x")',
    "an output port of a model": 'net |= ml.Linear(4)(input="x", ouput="y")',
    "a port of an op": 'net |= ml.Add()(left="x", rihgt="y")',
    "a port of an application": "ml.Add()(x, rigth=x)",
    "too many inputs": "ml.Relu()(x, x)",
    "a model as an input": "ml.Relu()(ml.Linear(3))",
    "a bound part as a connection": 'ml.Relu()("x") + 1',
    "arithmetic with a name": 'x + "y"',
    "a connection that is not a number": "ml.Linear(x)",
    "one connection taken for two": "a, b = ml.Relu()(x)",
    "an array as an output": 'net |= ml.Relu()(input="x", output=np.ones(3))',
    "a value for a list": "ml.Concat()(x)",
    "a loss that is a class": "ml.TrainModel(net).add_loss(ml.SquaredError)",
    "a model as a port of a loss": "ml.TrainModel(net).add_loss(ml.SquaredError(), target=net)",
    "a shape that is a number": "net.set_shapes(x=3)",
    "a size that is a float": "net.set_shapes(x=[2.5])",
    "a type that is a value": "net.set_types(x=3.0)",
    "a value that is a model": "net.set_values(x=net)",
    "an internal op": "ml.ReluGrad()",
    "a word of an argument": 'ml.Upsample(mode="linear")',
    "an option of a backend": "ml.CpuBackend(dtpye=ml.float64)",
    "a kind of option of a backend": 'ml.CpuBackend(threads="2")',
    "an option of compile": "ml.compile(ml.Relu(), ml.CpuBackend(), shape={})",
    "an optimization level": 'ml.compile(net, backend, optimization_level="full")',
    "swapped arguments": "ml.compile(ml.CpuBackend(), ml.Relu())",
    "a class for an object": "ml.compile(ml.Relu, ml.CpuBackend())",
    "an option of an optimizer": "ml.Adam(learning_rate=0.1)",
    "a method of PyTorch": "compiled.train()",
    "a submodule": "ml.models.Rellu()",
    "a backend": "ml.backends.Cpu()",
    "params of evaluate": "compiled.evaluate(ml.Tensor(1.0), {})",
    "outputs taken for a pair": 'compiled.evaluate({}, {"input": np.ones(3)}).mean()',
    "a limit": "ml.set_limits(prats=3)",
}
RIGHT = """
net |= ml.Conv2d(3, filters=8, name="conv")(input="image")
net |= ml.Linear(4, weight=ml.Tensor([[1.0]]))(input="x", output="y")
net |= ml.Linear(4)(x, output=ml.IOKey("z", shape=["N", None, ...]))
net |= ml.Add()(left="x", right=3.0)
net |= ml.Concat()(input=["x", x, np.ones(3)], axis=1, output="w")
net |= ml.Reshape()(x, shape=(2, x.shape[0], -1))
net |= ml.Split(2, axis=0)(output="half", output_1="h")
net |= ml.TransformerBlock(4, dimension=8)("x", **{"attention.w_query": "w"})
net |= ml.KernelizedSVM("RBFKernel")(input1="x", l_scale=np.ones(1))
net += ml.MLP(["Relu"], dimensions=[3])
h: ml.Connection = ml.Linear(4)(x) + np.ones(4) * ml.Tensor(2.0)
y = 2 - ml.Where()(h > 0, h, ml.Tensor(0.0)) @ np.ones((4, 4))
hidden, cell, _, output = ml.LSTMCell()(x, prev_hidden=h)
print(hidden[0], cell + output, ml.Slice(1)(x[1:, ..., None]), ml.Cast(ml.float32)(y))
optimizer = ml.AdamW(0.1, weight_decay=0.1)
optimizer.lr = optimizer.options["lr"]
print(ml.Tensor(1.0).detach().shape, ml.models.Relu(), ml.backends.CpuBackend(threads=1))
net.set_types(x=ml.Tensor[float], y=int | None, z=float)
net.set_values(axis=1, w=np.ones(3), dtype=ml.float32, shape=[1, 2])
net.set_shapes({"x": ["N", None, 3]}, y=(("rest", ...), np.int64(4)))
train = ml.TrainModel(net)
train.add_loss(ml.SquaredError(), [ml.Mean()], input="y", target=x)
"""
Found = dict[int, list[str]]


def mypy(path: Path) -> Found:
    made = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", path],
        cwd=path.parent,
        env={"MYPYPATH": str(ROOT / "python"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    found: Found = {}
    for line in made.stdout.splitlines():
        if line.startswith(f"{path.name}:") and ": error: " in line:
            found.setdefault(int(line.split(":")[1]), []).append(line)
    assert "errors in" in made.stdout, made.stdout + made.stderr
    return found


def pyright(path: Path) -> Found:
    config = path.with_name("pyrightconfig.json")
    paths = [str(ROOT / "python")]
    settings = {"typeCheckingMode": "standard", "extraPaths": paths, "include": [path.name]}
    config.write_text(json.dumps(settings), encoding="utf-8")
    # basedpyright is Pyright with Node.js in its wheel.
    program = Path(sys.executable).with_name("basedpyright")
    made = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable, "--project", config],
        capture_output=True,
        text=True,
        check=False,
    )
    found: Found = {}
    for diagnostic in json.loads(made.stdout)["generalDiagnostics"]:
        if diagnostic["severity"] == "error":
            assert Path(diagnostic["file"]).name == path.name, diagnostic
            found.setdefault(diagnostic["range"]["start"]["line"] + 1, []).append(
                diagnostic["message"]
            )
    assert found, made.stdout + made.stderr
    return found


CHECKERS: dict[str, Callable[[Path], Found]] = {"mypy": mypy, "pyright": pyright}
# A function each: after an error a checker knows less about the names of a scope.
FUNCTIONS = [f"def f{i}(net: ml.Model) -> None:\n    {w}\n" for i, w in enumerate(WRONG.values())]
LINES = {name: HEAD.count("\n") + 2 * i + 2 for i, name in enumerate(WRONG)}


@pytest.fixture(scope="module", params=CHECKERS)
def refused(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Returns the errors of each line. All snippets share one run, because starting a checker takes
    seconds."""
    path = tmp_path_factory.mktemp("typing") / "wrong.py"
    path.write_text(HEAD + "".join(FUNCTIONS) + RIGHT, encoding="utf-8")
    return CHECKERS[request.param](path)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.slow
def test_a_wrong_use_is_refused_by_the_type_checker(name: str, refused: Found) -> None:
    assert LINES[name] in refused, WRONG[name]


@pytest.mark.slow
def test_right_uses_pass_the_type_checker(refused: Found) -> None:
    assert {line: found for line, found in refused.items() if line not in LINES.values()} == {}
