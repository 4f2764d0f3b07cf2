"""Calls everything public with arguments that do not fit. Run by test_bad_arguments in a process
of its own, which a crash ends: `python bad_arguments.py GROUP EVERY` prints each callable before it
calls it with every EVERY-th value, and every exception that a user should not see.
"""

import ctypes
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import mithril as ml

Calls = Iterator[tuple[str, Callable[..., Any]]]

# Texts that no message may contain: signatures of pybind11, types of C++, internal errors.
FORBIDDEN = ("incompatible", "bug in Mithril", "std::", "C++", "pybind11::", "Unable to cast")

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
CAPSULE_NAME = b"no_tensor"  # a capsule does not keep it


# Exceptions, tuples and reports: their constructors are those of Python.
OF_PYTHON = (Exception, tuple, ml.History, ml.TransferReport)


class Gives:
    """Gives a capsule as its tensor."""

    ndim = 1

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule


def consumed() -> Any:
    capsule = np.ones(3).__dlpack__()
    ml.Tensor(Gives(capsule))
    return capsule


def values() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    nested: dict[Any, Any] = {}
    nested["x"] = nested
    return [
        None,
        True,
        0,
        -1,
        3,
        2**70,
        float("nan"),
        float("-inf"),
        1j,
        "",
        "nothing of this name",
        "a\0b",
        "\ud800",
        b"bytes",
        (),
        [],
        {},
        {3: 3},
        {"x": object()},
        nested,
        endless,
        deep,
        object(),
        ...,
        slice(None, "x", object()),
        iter([1]),
        lambda: 1 // 0,
        int,
        ml.Adam,
        ml.Linear,
        ml.CpuBackend,
        ml.Tensor,
        np.ones(3),
        np.ones((0, 2), np.float16),
        np.array(["text"]),
        np.array([object()]),
        np.zeros(2, np.complex64),
        np.float32(3),
        np.datetime64("2026-01-01"),
        ml.Relu(),
        ml.Relu()(input="x"),
        ml.IOKey("x"),
        ml.Tensor([1.0]),
        ml.CpuBackend(),
        ml.Adam(),
        ml.compile(ml.Relu(), ml.CpuBackend()),
        ml.float32,
        ml.Tensor[float],
        ml.Relu.__new__(ml.Relu),
        ml.CpuBackend.__new__(ml.CpuBackend),
        ml.Adam.__new__(ml.Adam),
        ml.Tensor.__new__(ml.Tensor),
        Gives(consumed()),
        Gives(new_capsule(1, CAPSULE_NAME, None)),
        Gives(new_capsule(1, None, None)),
        Gives(3),
    ]


def net() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(dimension=3)(input="x", output="h")
    model |= ml.Relu()(input="h", output="y")
    return model


def objects() -> dict[str, Callable[[], Any]]:
    """Returns functions that make an object of each class: calls change objects, so each call gets
    a new one."""
    backend = ml.CpuBackend()
    compiled = ml.compile(net(), backend, shapes={"x": [2, 3]})
    expired: list[ml.Solver] = []
    net().add_constraint(expired.append, keys=["x"])
    return {
        "Model": net,
        "TrainModel": lambda: ml.TrainModel(net()),
        "CompiledModel": lambda: compiled,
        "TrainingStep": lambda: ml.TrainingStep(
            compiled, ml.Adam(), output_gradients={"y": np.ones((2, 3))}
        ),
        "Adam": ml.Adam,
        "SGD": ml.SGD,
        "AdamW": ml.AdamW,
        "CpuBackend": lambda: backend,
        "Tensor": lambda: ml.Tensor([1.0]),
        "IOKey": lambda: ml.IOKey("x"),
        "Solver": lambda: expired[0],
        "GradScaler": ml.GradScaler,
        "HookHandle": lambda: compiled.register_hook("y", print),
        "dtype": lambda: ml.float32,
    }


def call(make: Callable[[], Any], name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(make(), name)(*args, **kwargs)


def assign(make: Callable[[], Any], name: str, *values: Any, **named: Any) -> None:
    if len(values) == 1 and not named:
        setattr(make(), name, values[0])


def library() -> Calls:
    """One model for each list of arguments, all made in the same way."""
    for name in LIBRARY:
        yield name, getattr(ml, name)


def bound() -> Calls:
    """The models of the library, called with their ports."""
    for name in ("Relu", "Linear", "Concat", "Indexer", "Add"):
        yield f"{name}()", partial(call, getattr(ml, name), "__call__")


def functions() -> Calls:
    for name in ml.__all__:
        member = getattr(ml, name)
        of_python = isinstance(member, type) and issubclass(member, OF_PYTHON)
        if name not in ml.models.__all__ and callable(member) and not of_python:
            yield name, member


def methods() -> Calls:
    for owner, make in objects().items():
        for name in dir(make()):
            if name.startswith("_") and name not in SPECIAL:
                continue
            if callable(inspect.getattr_static(type(make()), name, None)):
                yield f"{owner}.{name}", partial(call, make, name)
            if isinstance(inspect.getattr_static(type(make()), name, None), property):
                yield f"{owner}.{name} =", partial(assign, make, name)


def modules() -> Calls:
    """Yields what ml.data, ml.metrics, ml.distributed and the registry of models have."""
    for module in (ml.data, ml.metrics, ml.distributed):
        for name in module.__all__:
            if name not in NOT_CALLED:
                yield name, getattr(module, name)
    source = ml.data.from_arrays({"x": np.ones((3, 2))})
    made = {
        "DataSource": lambda: source,
        "Batches": lambda: source.batch(2),
        "Accuracy": ml.metrics.Accuracy,
        "ModelsRegistry": ml.ModelsRegistry,
        "SourcesRegistry": ml.data.SourcesRegistry,
        "EvaluatorsRegistry": ml.metrics.EvaluatorsRegistry,
        "Bleu": ml.metrics.Bleu,
        "RougeL": ml.metrics.RougeL,
        "Group": ml.distributed.init,
    }
    for owner, make in made.items():
        for name in dir(make()):
            if not name.startswith("_") and callable(getattr(type(make()), name, None)):
                yield f"{owner}.{name}", partial(call, make, name)


# Abstract classes, a tuple, and an object.
NOT_CALLED = ("DataSource", "Evaluator", "SampleEvaluator", "Field", "registry")
VALUES = values()
LIBRARY = (
    *("Linear", "Conv2d", "MLP", "Concat", "Reshape", "Cast", "Indexer", "MultiHeadAttention"),
    *("Randn", "TSNE", "KernelizedSVM", "Metric", "OneToMany", "BatchNorm2D", "Full", "Arange"),
)
SPECIAL = ("__call__", "__getitem__", "__ior__", "__iadd__", "__add__", "__rpow__", "__getattr__")
GROUPS = {"library": library, "bound": bound, "functions": functions, "methods": methods}
GROUPS["modules"] = modules


def keywords(function: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return []
    return [
        parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD
    ]


def is_of_python(name: str, error: Exception) -> bool:
    """Returns whether Python requires the error for attributes, or a user's function raised it."""
    attribute = name.endswith(("__getattr__", " ="))
    return isinstance(error, ZeroDivisionError) or (
        attribute and isinstance(error, (AttributeError, TypeError))
    )


def complaint(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> str:
    try:
        function(*args, **kwargs)
    except ml.Error as error:
        text = str(error)
        if not error.code or any(word in text for word in FORBIDDEN):
            return f"{type(error).__name__}: {text[:300]}"
    except Exception as error:
        if not is_of_python(name, error):
            return f"no error of Mithril: {type(error).__name__}: {str(error)[:300]}"
    return ""


def complaints(name: str, function: Callable[..., Any], first: int, every: int) -> Iterator[str]:
    """Complaints of calls with the values whose number is `first` modulo `every`."""
    names = ["nothing", *keywords(function)]
    model, backend = ml.Relu(), ml.CpuBackend()
    for i, value in list(enumerate(VALUES))[first::every]:
        calls = [((value,) * count, {}) for count in (1, 3)]
        calls += [((value, backend), {}), ((model, value), {}), ((backend, model), {})]
        calls += [((), {key: value}) for key in names]
        calls += [((model, backend), {key: value}) for key in names[:1] + names[3:]]
        for args, kwargs in calls:
            if told := complaint(name, function, args, kwargs):
                yield f"{name} with value {i}, {len(args)} by position, {list(kwargs)}: {told}"


def main() -> None:
    group, every = sys.argv[1], int(sys.argv[2])
    for number, (name, function) in enumerate(GROUPS[group]()):
        if name in {"Optimizer", "backends", "models"}:
            continue
        print("calling", name, flush=True)
        for told in complaints(name, function, number % every, every):
            print("COMPLAINT", told, flush=True)


if __name__ == "__main__":
    main()
