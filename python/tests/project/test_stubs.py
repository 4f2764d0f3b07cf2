"""The stubs of the core have exactly the members of the core, class by class."""

import ast
import inspect
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
    each
    for path in OF_THE_CORE
    for each in ast.parse(path.read_text(encoding="utf-8"), path.name).body
]
CLASSES = {
    each.name: each
    for each in STUBS
    if isinstance(each, ast.ClassDef) and "NamedTuple" not in map(ast.unparse, each.bases)
}
# Members that pybind11 adds, and those of every object.
COMMON = {"_pybind11_conduit_v1_"}
# Members that an enumeration inherits.
ENUM = {"name", "value"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_keyword_arguments_have_types_and_lines_fit(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    keywords = [each.kwarg for each in ast.walk(ast.parse(text)) if isinstance(each, ast.arguments)]
    untyped = [
        f"**{each.arg}, line {each.lineno}"
        for each in keywords
        if each and (each.annotation is None or ast.unparse(each.annotation) == "Any")
    ]
    assert untyped == []
    assert [line for line in text.splitlines() if len(line) > 120] == []


def stated(described: ast.ClassDef) -> set[str]:
    names = set()
    for each in described.body:
        if isinstance(each, ast.FunctionDef):
            names.add(each.name)
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            names.add(each.targets[0].id)
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            names.add(each.target.id)
    return {name for name in names if not name.startswith("__")}


def some_error() -> ml.Error:
    with pytest.raises(ml.Error) as caught:
        ml.Linear(dimension=-1)
    return caught.value


@pytest.mark.parametrize("name", CLASSES)
def test_the_stub_of_a_class_is_complete_and_true(name: str) -> None:
    made = getattr(_core, name, None)
    if not inspect.isclass(made):
        pytest.skip(f"{name} is a type for checkers alone")
    of_instances = set(vars(some_error())) if name == "Error" else set()
    own = {key for key in vars(made) if not key.startswith("__")} - COMMON
    own -= ENUM if name == "dtype" else set()
    assert stated(CLASSES[name]) >= own, "in the core, but not in its stub"
    assert own | of_instances | set(dir(made)) >= stated(CLASSES[name]), (
        "in the stub, but not in the core"
    )


def test_every_class_and_function_of_the_core_has_a_stub() -> None:
    names = {each.name for each in STUBS if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    here = {name for name, each in vars(_core).items() if callable(each) and name[0] != "_"}
    assert here - names == set()
