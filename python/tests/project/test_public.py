"""Everything public has a docstring, a signature, and a distinctive repr."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from mithril._internal import migration_hints

import mithril as ml
from mithril import _core

CLASSES = [
    *(member for member in (getattr(ml, name) for name in ml.__all__) if inspect.isclass(member)),
    *(member for member in vars(_core).values() if inspect.isclass(member)),
]


def members() -> Iterator[tuple[str, Any]]:
    """The public names of the package, and the public members of its classes."""
    seen = set()
    for name in ml.__all__:
        if name not in ml.models.__all__:
            yield name, getattr(ml, name)
    for cls in CLASSES:
        if cls in seen or not cls.__module__.startswith("mithril"):
            continue
        seen.add(cls)
        if cls.__name__ not in ml.models.__all__:
            yield cls.__name__, cls
        for key, member in vars(cls).items():
            if not key.startswith("_") or (key == "__call__" and cls.__name__ in CALLED):
                bound = getattr(cls, key) if isinstance(member, classmethod) else member
                yield f"{cls.__name__}.{key}", bound


CALLED = ("Model", "TrainingStep")
MEMBERS = dict(members())
VALUES = (str, _core.dtype)  # __version__, float32


@pytest.mark.parametrize("name", MEMBERS)
def test_every_public_name_has_a_docstring(name: str) -> None:
    member = MEMBERS[name]
    if isinstance(member, VALUES):
        return
    # Without members that a class inherits from a Python exception.
    doc = member.__doc__ if inspect.isclass(member) else inspect.getdoc(member)
    assert doc, "no docstring"
    assert "(self: mithril" not in doc, "the signature of pybind11"


@pytest.mark.parametrize("name", MEMBERS)
def test_every_public_function_has_a_signature(name: str) -> None:
    member = MEMBERS[name]
    if isinstance(member, staticmethod):
        member = member.__func__
    if not callable(member) or name == "_Communicator":  # ml.distributed.init makes it
        return
    for parameter in inspect.signature(member).parameters.values():
        assert not re.fullmatch(r"arg\d", parameter.name), "a parameter without a name"


def test_signatures_are_those_of_the_stubs() -> None:
    assert str(inspect.signature(ml.Adam)) == (
        "(lr=0.001, *, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, groups=())"
    )
    assert str(inspect.signature(ml.CompiledModel.evaluate)) == (
        "(self, params, data={}, output_gradients=None, state=None, *, outputs=None, "
        "gradient_keys=None)"
    )
    first, *others = inspect.signature(ml.Conv2d).parameters.values()
    assert (first.name, first.kind) == ("kernel_size", first.POSITIONAL_OR_KEYWORD)
    assert {other.kind for other in others} == {first.KEYWORD_ONLY, first.VAR_KEYWORD}


def test_only_the_first_argument_is_positional() -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.Conv2d(1, 8, 3)
    assert str(caught.value).startswith(
        "mithril.TypeError[E0396]: Conv2d takes at most 1 of its arguments by position, not 3\n"
        "  by position : kernel_size\n"
        "  help: write filters=..., "
    )


def test_a_repr_names_the_class_and_its_options() -> None:
    backend = ml.CpuBackend(dtype=ml.float64, threads=1)
    assert repr(backend) == "CpuBackend(dtype='float64', threads=1)"
    assert repr(ml.CpuBackend()) == "CpuBackend()"
    model = ml.Linear(3)
    assert repr(ml.compile(model, backend, shapes={"input": [1, 2]})) == (
        "<CompiledModel for cpu: input -> output; 2 parameters>"
    )
    assert repr(ml.Adam(lr=0.5)) == "Adam(lr=0.5, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0)"
    assert repr(ml.Adam(groups=[ml.ParameterGroup("*.bias", weight_decay=0.0)])) == (
        "Adam(lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, "
        "groups=[ParameterGroup(pattern='*.bias', lr_factor=1.0, weight_decay=0.0, frozen=False)])"
    )
    assert repr(ml.SGD(nesterov=True, momentum=0.5)) == (
        "SGD(lr=0.001, momentum=0.5, dampening=0.0, weight_decay=0.0, nesterov=True)"
    )


def test_a_step_and_a_scaler_have_a_repr() -> None:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="y")
    model |= ml.Mean()(input="y", output="loss")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [1, 2]}, data_keys=["x"])
    step = ml.TrainingStep(compiled, ml.SGD(lr=0.5), output_gradients={"loss": 1.0})
    assert repr(step) == (
        "<TrainingStep of SGD(lr=0.5, momentum=0.0, dampening=0.0, weight_decay=0.0, "
        "nesterov=False) for cpu: x -> y, loss; 2 parameters>"
    )
    assert repr(ml.GradScaler(8.0)) == (
        "GradScaler(init_scale=8.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000)"
    )
    assert repr(ml.GradScaler(enabled=False)) == "GradScaler(enabled=False)"


ELSEWHERE = {
    "ReLU": "did you mean 'Relu'?",
    "Dense": "use Linear(dimension)",
    "Sequential": "use model = Model(), and model += part",
    "Rellu": "did you mean 'Relu'?",
    "BatchNorm2d": "did you mean 'BatchNorm2D'",
    "Datum": "use IOKey(value=",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_of_another_library_points_to_that_of_mithril(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(ml, name)
    assert isinstance(caught.value, ml.NameError)
    assert str(caught.value).startswith(
        f"mithril.AttributeError[E0624]: module 'mithril' has no attribute '{name}'\n"
        f"  help: {ELSEWHERE[name]}"
    )


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("models", "ReLU", "did you mean 'Relu'?"),
        ("models", "Sequential", "use model = Model(), and model += part"),
        ("backends", "NumpyBackend", "use CpuBackend, whose arrays are NumPy's"),
    ],
)
def test_the_modules_of_mithril_point_to_its_names(module: str, name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=r"E0624.*mithril\.") as caught:
        getattr(getattr(ml, module), name)
    assert f"\n  help: {hint}" in str(caught.value)


def test_importing_a_name_of_another_library_points_to_that_of_mithril() -> None:
    for statement, hint in {
        "from mithril import ReLU": "did you mean 'Relu'?",
        "from mithril import Linear, Dense": "use Linear(dimension)",
        "from mithril import nn": "use the names of this module",
    }.items():
        with pytest.raises(ImportError) as caught:
            exec(statement)
        assert isinstance(caught.value, ml.NameError)
        assert f"\n  help: {hint}" in str(caught.value)
        assert caught.value.code == "E0624"
    with pytest.raises(ImportError, match="cannot import name"):
        exec("from mithril import nothing_like_this_at_all")


X = ml.IOKey("x")
COMPILED = ml.compile(ml.Linear(2), ml.CpuBackend(), shapes={"input": [1, 2]})
MEMBERS_OF_OTHERS = [
    (X, "relu", "use ml.Relu()(x)"),
    (X, "log_softmax", "use ml.LogSoftmax()(x)"),
    (X, "astype", "use cast(dtype)"),
    (X, "reshap", "did you mean 'reshape'?"),
    (ml.Adam(), "zero_grad", "use nothing: evaluate returns the gradients"),
    (ml.Adam(), "learning_rate", "use lr"),
    (ml.SGD(), "stateDict", "did you mean 'state_dict'?"),
    (ml.Tensor([1.0]), "relu", "use tensor.numpy(), whose methods compute"),
    (ml.Tensor([1.0]), "to", "use astype(dtype)"),
    (ml.Tensor([1.0]), "shpae", "did you mean 'shape'?"),
    (ml.CpuBackend(), "tensor", "use array"),
    (ml.CpuBackend(), "rnd", "did you mean 'rand'"),
    (
        ml.TrainingStep(COMPILED, ml.SGD(), output_gradients={"output": np.ones((1, 2))}),
        "zero_grad",
        "use nothing: each call makes its own gradients",
    ),
]


@pytest.mark.parametrize(("thing", "name", "hint"), MEMBERS_OF_OTHERS)
def test_a_member_of_another_library_points_to_that_of_mithril(
    thing: Any, name: str, hint: str
) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(thing, name)
    assert isinstance(caught.value, ml.AttributeError)
    assert f"has no attribute '{name}'\n  help: {hint}" in str(caught.value)


def test_setting_a_missing_attribute_of_an_optimizer_names_the_alternative() -> None:
    optimizer = ml.Adam()
    with pytest.raises(ml.AttributeError, match=r"E0624.*'learning_rate'\n  help: use lr"):
        optimizer.learning_rate = 1  # type: ignore[attr-defined]
    optimizer.lr = 0.5
    assert optimizer.lr == 0.5

    class Own(ml.Adam):
        pass

    own = Own()
    own.note = "of the user"
    assert own.note == "of the user"


def test_no_hint_names_an_existing_name() -> None:
    owners = {
        "MODULE": ml,
        "COMPILED": ml.CompiledModel,
        "OPTIMIZER": ml.Optimizer,
        "CONNECTION": ml.Connection,
        "TENSOR": ml.Tensor,
        "BACKEND": ml.CpuBackend,
        "STEP": ml.TrainingStep,
    }
    for table, owner in owners.items():
        stale = [name for name in getattr(migration_hints, table) if name in dir(owner)]
        assert not stale, table


OF_COMPILED = {
    "train": "use bind(params, state) or infer(params, data, state) to infer",
    "state_dict": "use the parameters themselves: get_parameters()",
    "evalute": "did you mean 'evaluate'?",
}


@pytest.mark.parametrize("name", OF_COMPILED)
def test_a_method_of_another_library_points_to_that_of_mithril(name: str) -> None:
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    with pytest.raises(AttributeError) as caught:
        getattr(compiled, name)()
    assert f"has no attribute '{name}'\n  help: {OF_COMPILED[name]}" in str(caught.value)


def test_a_tensor_is_detached_as_itself() -> None:
    array = np.ones(3)
    tensor = ml.Tensor(array).detach()
    array[0] = 7
    assert tensor.numpy().tolist() == [7, 1, 1]


INTERNAL = [record for record in _core.library() if record.get("internal")]


@pytest.mark.parametrize("record", INTERNAL, ids=lambda record: record["op"])
def test_an_internal_op_has_no_public_name(record: dict[str, Any]) -> None:
    name = record["name"]
    assert not hasattr(ml, name) and not hasattr(ml.models, name) and name not in dir(ml)
    with pytest.raises(ml.NameError) as caught:
        _core.make_model(name[:-1], {})
    assert f"'{name}'" not in str(caught.value).partition("help:")[2]
    assert _core.make_model(name, {}).class_name == name  # the name in JSON


def test_gradients_and_their_helpers_are_internal() -> None:
    assert {"relu_grad", "sum_to", "slice_grad", "expand_like"} <= {name["op"] for name in INTERNAL}
    assert not [name for name in ml.__all__ if name.endswith("Grad")]
