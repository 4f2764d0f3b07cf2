"""What type checkers must refuse: names, arguments and options that are not there."""

import subprocess
import sys
from pathlib import Path

import pytest

SNIPPETS = {
    "a name with a typing error": ("ml.Rellu()", "attr-defined"),
    "a name of another library": ("ml.Dense(3)", "attr-defined"),
    "an argument of a model": ("ml.Linear(dimenson=3)", "arg-type"),
    "an argument of an op": ("ml.Softmax(axs=1)", "arg-type"),
    "PyTorch's order": ("ml.Conv2d(1, 8, 3)", "call-arg"),
    "a kind of argument": ('ml.Linear(dimension="3")', "arg-type"),
    "an option of a backend": ("ml.CpuBackend(dtpye=ml.float64)", "call-arg"),
    "an option of compile": ("ml.compile(ml.Relu(), ml.CpuBackend(), shape={})", "call-arg"),
    "swapped arguments": ("ml.compile(ml.CpuBackend(), ml.Relu())", "arg-type"),
    "a class for an object": ("ml.compile(ml.Relu, ml.CpuBackend())", "arg-type"),
    "an option of an optimizer": ("ml.Adam(learning_rate=0.1)", "call-arg"),
    "a method of PyTorch": ("ml.compile(ml.Relu(), ml.CpuBackend()).train()", "attr-defined"),
    "a submodule": ("ml.models.Rellu()", "attr-defined"),
    "a backend": ("ml.backends.Cpu()", "attr-defined"),
    "params of evaluate": (
        "ml.compile(ml.Relu(), ml.CpuBackend()).evaluate(ml.Tensor(1.0), {})",
        "call-overload",
    ),
}
RIGHT = """
net = ml.Model()
net |= ml.Conv2d(3, filters=8, name="conv")(input="image")
net |= ml.Linear(4, weight=ml.Tensor([[1.0]]))(input="x", output="y")
net += ml.MLP(["Relu"], dimensions=[3])
optimizer = ml.AdamW(0.1, weight_decay=0.1)
optimizer.lr = optimizer.options["lr"]
print(ml.Tensor(1.0).detach().shape, ml.models.Relu(), ml.backends.CpuBackend(threads=1))
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[str]]:
    """The errors of each line, of all snippets at once: one start of mypy takes seconds."""
    path = tmp_path_factory.mktemp("typing") / "wrong.py"
    lines = [code for code, _ in SNIPPETS.values()]
    path.write_text("\n".join(["import mithril as ml", *lines, RIGHT]), encoding="utf-8")
    root = Path(__file__).parents[2]
    made = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file=", path],
        cwd=path.parent,
        env={"MYPYPATH": str(root / "python"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    errors: dict[int, list[str]] = {}
    for line in made.stdout.splitlines():
        if line.startswith("wrong.py:") and ": error: " in line:
            errors.setdefault(int(line.split(":")[1]), []).append(line)
    assert errors, made.stdout + made.stderr
    return errors


@pytest.mark.parametrize("name", SNIPPETS)
def test_mypy_refuses(name: str, refused: dict[int, list[str]]) -> None:
    line = 2 + list(SNIPPETS).index(name)
    assert any(f"[{SNIPPETS[name][1]}]" in error for error in refused.get(line, [])), refused.get(
        line
    )


def test_mypy_accepts_what_is_right(refused: dict[int, list[str]]) -> None:
    assert {line: errors for line, errors in refused.items() if line > 1 + len(SNIPPETS)} == {}
