"""Adding an optimizer takes one record; its class, stubs and documents follow from the record."""

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml
from mithril import _core

ROOT = Path(__file__).parents[3]
RECORDS = {record["name"]: record for record in _core.optimizer_records()}
LIST = ROOT / "mithril" / "optim" / "list.inc"
# What to write in place of names of other libraries.
ADVICE = "python/mithril/_internal/foreign_names.py"
OPS_OF_ONNX = "mithril/onnx/ops_training.cpp"  # some have the name of an optimizer
GENERATED = (
    "mithril/optim/optimizers.hpp",
    "mithril/optim/optimizers.cpp",
    "python/mithril/training/optimizers.pyi",
)
# Other languages, and text in which an optimizer is an example.
MENTIONED = {
    "SGD": (
        *("codegen/web/", "codegen/javascript/reserved_names.cpp", "codegen/web/web_interface.cpp"),
        *(
            "codegen/web/write_javascript.hpp",
            "python/src/web.cpp",
            "python/mithril/per_sample/engine.py",
            "python/mithril/training/grad_scaler.py",
        ),
    ),
    "Adam": (
        *("codegen/web/", "codegen/javascript/reserved_names.cpp", "codegen/web/web_interface.cpp"),
        *(
            "codegen/web/write_javascript.hpp",
            "python/src/",
            "python/mithril/_internal/arguments.py",
        ),
        *("python/mithril/_internal/kinds.py", "python/mithril/per_sample/engine.py"),
        *("python/mithril/from_torch/__init__.py", "mithril/training/training_step.hpp"),
        "mithril/optim/",
    ),
    "AdamW": ("python/src/", "python/mithril/training/fit.py", "mithril/optim/"),
}


def sources() -> list[Path]:
    found = []
    for folder in ("mithril", "python/mithril", "python/src", "codegen", "backends", "cmake"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix not in (".so", ".pyc", ".inc", ".md"):
                found.append(path)
    return found


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()
    }


@pytest.mark.parametrize("name", RECORDS)
def test_an_optimizer_is_one_file_and_one_line(name: str, texts: dict[str, str]) -> None:
    (file,) = re.findall(rf"^MITHRIL_OPTIMIZER\((\w+), {name}\)$", LIST.read_text(), re.M)
    naming = [
        path
        for path, text in texts.items()
        if re.search(rf"\b{name}\b", text)
        and path not in (ADVICE, OPS_OF_ONNX, *GENERATED)
        and not path.startswith(MENTIONED.get(name, ()))
    ]
    assert set(naming) <= {f"mithril/optim/rules/{file}.cpp"}
    assert f"define_{file}()" in texts[f"mithril/optim/rules/{file}.cpp"]


def test_every_rule_is_listed(texts: dict[str, str]) -> None:
    rules = [path for path in texts if re.fullmatch(r"mithril/optim/rules/\w+\.cpp", path)]
    assert len(rules) == len(RECORDS)


@pytest.mark.parametrize("name", RECORDS)
def test_a_class_follows_its_record(name: str) -> None:
    record, made = RECORDS[name], getattr(ml, name)
    options: dict[str, Any] = {"lr": record["lr"], **record["options"]}
    parameters = inspect.signature(made).parameters
    assert {key: value.default for key, value in parameters.items()} == {**options, "groups": ()}
    assert [parameter.kind for parameter in parameters.values()][1:] == (
        [inspect.Parameter.KEYWORD_ONLY] * len(record["options"]) + [inspect.Parameter.KEYWORD_ONLY]
    )
    assert made().options == options
    assert issubclass(made, ml.Optimizer)
    assert made.__doc__.startswith(record["doc"])
    changed = {
        key: not value if isinstance(value, bool) else 0.25
        for key, value in options.items()
        if not isinstance(value, tuple) and key not in ("nesterov", "dampening")
    }
    for key, value in changed.items():
        assert made(**{key: value}).options == {**options, key: value}


@pytest.mark.parametrize("name", RECORDS)
def test_a_docstring_has_each_argument_the_source_and_an_example(name: str) -> None:
    record, text = RECORDS[name], getattr(ml, name).__doc__
    assert record["source"] in re.sub(r"\s+", " ", text)
    parts = re.findall(r"^(\w+):", text, re.MULTILINE)
    assert parts == ["Source", "Args", "Raises", "Example"]
    arguments = text.partition("Args:\n")[2].partition("\n\n")[0]
    listed = re.findall(r"^    (\w+): ", arguments, re.MULTILINE)
    assert listed == ["lr", *record["options"], "groups"]
    for value in (record["lr"], *record["options"].values()):
        assert f"The default is {value!r}." in re.sub(r"\s+", " ", arguments)
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("name", RECORDS)
def test_arguments_that_do_not_fit_are_named(name: str) -> None:
    made = getattr(ml, name)
    with pytest.raises(ml.NameError, match="help: here it is 'lr'"):
        made(learning_rate=0.1)
    with pytest.raises(ml.TypeError, match=f"{name}: argument 'weight_decay' has the wrong kind"):
        made(weight_decay="much")
    with pytest.raises(ml.TypeError, match=f"{name} takes at most 1 of its arguments by position"):
        made(0.1, 0.2)
    with pytest.raises(ml.TypeError, match=f"{name}: argument 'lr' is given twice"):
        made(0.1, lr=0.2)
    with pytest.raises(ml.TypeError, match=f"{name}: argument 'groups' has the wrong kind"):
        made(groups=3)
    with pytest.raises(ml.ValueError, match="optimizer: weight_decay is -1, expected at least 0"):
        made(weight_decay=-1)
    if "betas" in RECORDS[name]["options"]:
        with pytest.raises(ml.TypeError):
            made(betas=("a", "b"))
        with pytest.raises(ml.ValueError, match=r"betas\.second is 1"):
            made(betas=(0.5, 1))


@pytest.mark.parametrize("name", RECORDS)
def test_a_step_of_training_has_the_bits_of_the_optimizer(name: str) -> None:
    compiled = ml.compile(ml.Linear(3), ml.CpuBackend(), shapes={"input": [8, 4]})
    data = {"input": np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)}
    gradients = {"output": np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)}
    flags = {key: True for key, value in RECORDS[name]["options"].items() if value is False}
    options = {"weight_decay": 0.125, **flags}
    if "momentum" in RECORDS[name]["options"]:
        options["momentum"] = 0.5
    together = compiled.get_parameters()
    apart = {key: np.array(value) for key, value in together.items()}
    together = {key: np.array(value) for key, value in together.items()}
    first, second = getattr(ml, name)(0.1, **options), getattr(ml, name)(0.1, **options)
    step = ml.TrainingStep(compiled, first, output_gradients=gradients)
    for _ in range(5):
        step(together, data)
        _, found = compiled.evaluate(apart, data, output_gradients=gradients)
        second.step(apart, found)
    for key, value in apart.items():
        np.testing.assert_array_equal(together[key], value)
    for key, value in second.state_dict().items():
        np.testing.assert_array_equal(first.state_dict()[key], value)
