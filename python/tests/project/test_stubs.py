"""The stubs of the core have exactly the members of the core, class by class."""

import ast
from pathlib import Path

import pytest

import mithril as ml
from mithril import _core

PACKAGE = Path(ml.__file__).resolve().parent
PATHS = sorted(PACKAGE.rglob("*.pyi"))
OF_THE_CORE = [
    *(PACKAGE / "_core.pyi", PACKAGE / "files.pyi", PACKAGE / "training" / "optimizers.pyi"),
    *(path for path in (PACKAGE / "_stubs").glob("*.pyi") if path.stem != "types"),
]
STUBS = [
    statement
    for path in OF_THE_CORE
    for statement in ast.parse(path.read_text(encoding="utf-8"), path.name).body
]
# Classes that exist only for type checkers have no counterpart in the core.
CLASSES = {
    stub.name: stub
    for stub in STUBS
    if isinstance(stub, ast.ClassDef)
    and not {"NamedTuple", "TypedDict"} & set(map(ast.unparse, stub.bases))
}
# Members that pybind11 adds, and those of every object.
COMMON = {"_pybind11_conduit_v1_"}
# Members that an enumeration inherits.
ENUM = {"name", "value"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_keyword_arguments_have_types_and_lines_fit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    keywords = [node.kwarg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.arguments)]
    untyped = [
        f"**{keyword.arg}, line {keyword.lineno}"
        for keyword in keywords
        if keyword and (keyword.annotation is None or ast.unparse(keyword.annotation) == "Any")
    ]
    assert untyped == []
    assert [line for line in text.splitlines() if len(line) > 120] == []


def stated(described: ast.ClassDef) -> set[str]:
    names = set()
    for statement in described.body:
        if isinstance(statement, ast.FunctionDef):
            names.add(statement.name)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            names.add(statement.targets[0].id)
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names.add(statement.target.id)
    return {name for name in names if not name.startswith("__")}


def some_error() -> ml.Error:
    with pytest.raises(ml.Error) as caught:
        ml.Linear(dimension=-1)
    return caught.value


@pytest.mark.parametrize("name", CLASSES)
def test_the_stub_of_a_class_is_complete_and_true(name: str) -> None:
    made = getattr(_core, name)
    of_instances = set(vars(some_error())) if name == "Error" else set()
    own = {key for key in vars(made) if not key.startswith("__")} - COMMON
    own -= ENUM if name == "dtype" else set()
    assert stated(CLASSES[name]) >= own, "in the core, but not in its stub"
    assert own | of_instances | set(dir(made)) >= stated(CLASSES[name]), (
        "in the stub, but not in the core"
    )


def test_every_class_and_function_of_the_core_has_a_stub() -> None:
    names = {stub.name for stub in STUBS if isinstance(stub, (ast.ClassDef, ast.FunctionDef))}
    here = {name for name, value in vars(_core).items() if callable(value) and name[0] != "_"}
    assert here - names == set()
