"""No argument ends the process: each call returns, or raises an error that a user can read."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bad_arguments import CAPSULE_NAME, GROUPS, Gives, consumed, new_capsule
from mithril._internal.kinds import kinds_of, resolved
from processes import environment

import mithril as ml

PROGRAM = Path(__file__).parent / "support" / "bad_arguments.py"
SAMPLE = 17  # each callable gets every 17th value, in turn another


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.sampled(2)
def test_nothing_crashes_or_hangs_and_every_error_is_readable(
    group: str, tmp_path: Path, all_cases: bool
) -> None:
    every = str(1 if all_cases else SAMPLE)
    made = subprocess.run(
        ["timeout", "300", sys.executable, "-X", "faulthandler", str(PROGRAM), group, every],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    lines = made.stdout.splitlines()
    assert made.returncode == 0, f"it ended at {lines[-1]}: {made.stderr[-2000:]}"
    assert not [line for line in lines if line.startswith("COMPLAINT")]
    assert any(line.startswith("calling") for line in lines)


def text_of(call, kind=ml.TypeError) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_compile_names_the_argument_of_the_wrong_kind() -> None:
    model, backend = ml.Relu(), ml.CpuBackend()
    assert text_of(lambda: ml.compile(3, backend)) == (
        "mithril.TypeError[E0395]: compile: argument 'model' has the wrong kind\n"
        "  expected : a model to compile\n"
        "  got      : 3   int"
    )
    for name, call in {
        "backend": lambda: ml.compile(model, 3),
        "shapes": lambda: ml.compile(model, backend, shapes=3),
        "types": lambda: ml.compile(model, backend, types=3),
        "data_keys": lambda: ml.compile(model, backend, data_keys=3),
        "constant_keys": lambda: ml.compile(model, backend, constant_keys={"input": object()}),
        "trainable_keys": lambda: ml.compile(model, backend, trainable_keys=[3]),
        "frozen": lambda: ml.compile(model, backend, frozen=[3]),
        "discard_keys": lambda: ml.compile(model, backend, discard_keys=3),
    }.items():
        expected = f"mithril.TypeError[E0395]: compile: argument '{name}' has the wrong kind\n"
        assert text_of(call).startswith(expected)


def test_a_grad_scaler_names_its_own_arguments() -> None:
    assert text_of(lambda: ml.GradScaler(init_scale="a")).startswith(
        "mithril.TypeError[E0395]: GradScaler: argument 'init_scale' has the wrong kind\n"
    )
    scaler = ml.GradScaler()
    state = scaler.state_dict() | {"growth_factor": "a"}
    assert text_of(lambda: scaler.load_state_dict(state)).startswith(
        "mithril.TypeError[E0395]: load_state_dict: argument 'state' has the wrong kind\n"
        "  expected : a number as 'growth_factor'\n"
    )
    assert scaler.get_scale() == 2.0**16


def test_a_class_or_a_backend_is_not_compiled() -> None:
    assert "argument 'model'" in text_of(lambda: ml.compile(ml.CpuBackend(), ml.Relu()))
    assert text_of(lambda: ml.compile(ml.Relu, ml.CpuBackend())).endswith(
        "\n  help: 'Relu' is a class; Relu(...) makes an object of it"
    )


def test_a_list_that_contains_itself_is_no_value() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert text_of(lambda: ml.IOKey(value=endless)) == (
        "mithril.TypeError[E0392]: lists are nested deeper than 64 levels\n"
        "  help: a list that contains itself has no end"
    )


def test_lists_in_each_other_are_read_to_a_depth() -> None:
    value: list[object] = [1]
    for _ in range(60):
        value = [value]
    assert ml.IOKey(value=value).name == ""


def test_an_int_of_more_than_64_bits_is_refused() -> None:
    assert text_of(lambda: ml.IOKey(value=2**64)) == (
        "mithril.TypeError[E0393]: an int needs more than 64 bits\n  got : 18446744073709551616"
    )


def test_a_capsule_is_consumed_once() -> None:
    assert text_of(lambda: ml.Tensor(Gives(consumed()))) == (
        "mithril.TypeError[E0394]: a DLPack capsule was consumed before\n"
        "  expected : a capsule named 'dltensor' or 'dltensor_versioned'\n"
        "  got      : a capsule named 'used_dltensor'\n"
        "  help: each capsule gives its tensor once: call __dlpack__ again"
    )


def test_a_capsule_of_another_name_is_no_tensor() -> None:
    assert "got      : a capsule named 'no_tensor'" in text_of(
        lambda: ml.Tensor(Gives(new_capsule(1, CAPSULE_NAME, None)))
    )
    assert "got      : no capsule" in text_of(lambda: ml.Tensor(Gives(3)))
    assert ml.Tensor(Gives(np.ones(3).__dlpack__())).shape == (3,)


@pytest.mark.parametrize("kind", [ml.Relu, ml.CpuBackend, ml.Adam, ml.Tensor])
def test_an_object_that_was_never_initialised_is_refused(kind: type) -> None:
    with pytest.raises(TypeError):
        ml.compile(kind.__new__(kind), ml.CpuBackend())
    with pytest.raises(TypeError):
        ml.TrainingStep(ml.compile(ml.Relu(), ml.CpuBackend()), kind.__new__(kind))


def test_a_dtype_is_one_of_the_known() -> None:
    assert ml.dtype("float32") == ml.dtype(5) == ml.float32
    assert "expected : the name or the number of a dtype" in text_of(lambda: ml.dtype(99))


def test_a_keyword_of_another_library_is_translated() -> None:
    with pytest.raises(ml.NameError, match="help: here it is 'lr'"):
        ml.Adam(learning_rate=0.1)


def test_an_array_in_place_of_a_dict_is_refused() -> None:
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    assert text_of(lambda: compiled.evaluate({}, np.ones(2))) == (
        "mithril.TypeError[E0395]: evaluate: argument 'data' has the wrong kind\n"
        "  expected : a dict\n"
        "  got      : array([1., 1.])   ndarray\n"
        '  help: give it by its key: {"x": array}'
    )


def test_a_class_in_place_of_an_object_is_refused() -> None:
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    assert text_of(lambda: ml.TrainingStep(compiled, ml.Adam)).endswith(
        "help: 'Adam' is a class; Adam(...) makes an object of it"
    )


def test_arguments_by_position_are_counted() -> None:
    assert text_of(lambda: ml.SGD(0.1, 0.9)) == (
        "mithril.TypeError[E0396]: SGD takes at most 1 of its arguments by position, not 2\n"
        "  by position : lr\n"
        "  help: write momentum=..., dampening=..., weight_decay=..., nesterov=..., groups=..."
    )


def test_a_class_without_a_constructor_names_the_function_that_makes_its_objects() -> None:
    assert text_of(ml.CompiledModel) == (
        "mithril.TypeError[E0397]: CompiledModel cannot be constructed by calling the class\n"
        "  help: ml.compile(model, backend) makes it"
    )


def test_an_argument_that_is_missing_or_given_twice_is_named() -> None:
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    assert text_of(compiled.bind) == (
        "mithril.TypeError[E0398]: bind: argument 'params' is missing\n"
        "  help: bind(params, state=None, *, outputs=None)"
    )
    assert text_of(lambda: compiled.bind({}, params={})).endswith(
        "[E0398]: bind: argument 'params' is given twice\n"
        "  by position : {}\n"
        "  by name     : {}\n"
        "  help: if the first is for another argument, give it by name: state=..., outputs=..."
    )
    text = text_of(lambda: ml.MaxPool2D(2, kernel_size=3))
    assert text.startswith(
        "mithril.TypeError[E0398]: MaxPool2D: argument 'kernel_size' is given twice\n"
        "  by position : 2\n"
        "  by name     : 3\n"
    )


def test_a_flag_of_a_reduction_is_a_bool() -> None:
    x = ml.IOKey("x", shape=["N", 3, 4])
    for method in ("sum", "mean", "max", "min", "prod", "var"):
        assert text_of(lambda name=method: getattr(x, name)(1, 2)) == (
            f"mithril.TypeError[E0395]: {method}: argument 'keepdim' has the wrong kind\n"
            "  expected : True or False\n"
            "  got      : 2   int\n"
            f"  help: several axes are a tuple: {method}((0, 1))"
        )
    assert ml.Model.create(y=x.sum(1, True)).get_shapes()["y"] == ["N", 1, 4]
    assert ml.Model.create(y=x.sum(1, np.True_)).get_shapes()["y"] == ["N", 1, 4]
    assert ml.Model.create(y=x.var((1, 2))).get_shapes()["y"] == ["N"]


def test_sizes_and_axes_by_position_are_a_tuple() -> None:
    x = ml.IOKey("x", shape=["N", 3, 4])
    assert text_of(lambda: x.reshape(-1, 12)).endswith("\n  help: write reshape((-1, 12))")
    assert text_of(lambda: x.transpose(0, 2, 1)).endswith("\n  help: write transpose((0, 2, 1))")


def test_arguments_that_no_rule_names_show_how_the_function_is_called() -> None:
    assert text_of(lambda: ml.Adam(betas=(0.9, "x"))) == (
        "mithril.TypeError[E0399]: Adam: the arguments do not fit\n"
        "  help: Adam(lr=0.001, *, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, groups=())"
    )


def required(function: Callable[..., Any]) -> list[str]:
    """The arguments without a default, except `self`."""
    parameters = list(inspect.signature(function).parameters.values())
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in variadic
        and parameter.name != "self"
    ]


def public_functions() -> dict[str, Callable[..., Any]]:
    """Functions, constructors and methods that say which of their arguments is missing."""
    found: dict[str, Callable[..., Any]] = {}
    for module in (ml, ml.data, ml.metrics, ml.distributed):
        for name in module.__all__:
            member = getattr(module, name)
            if name in ml.models.__all__ or not callable(member) or isinstance(member, ml.dtype):
                continue
            if not inspect.isclass(member):
                found[name] = member
                continue
            for key, own in vars(member).items():
                if inspect.isfunction(own) and (key[0] != "_" or key == "__init__"):
                    found[f"{name}.{key}"] = own
    return found


@pytest.mark.parametrize("name", public_functions())
@pytest.mark.sampled(3)
def test_arguments_that_are_missing_are_named_before_wrong_ones(name: str) -> None:
    function = public_functions()[name]
    if not hasattr(function, "__wrapped__") and function.__module__ != "mithril":
        return  # neither checked nor of the core
    needed = required(function)
    own = [object()] if "self" in inspect.signature(function).parameters else []
    for missing in needed:
        wrong = {key: object() for key in needed if key != missing}
        if name != "GradScaler.unscale_":  # object() in place of self
            text = text_of(lambda wrong=wrong: function(*own, **wrong))
            assert f"argument '{missing}' is missing" in text


@pytest.mark.parametrize("name", public_functions())
def test_every_annotation_has_a_text_for_errors(name: str) -> None:
    function = public_functions()[name]
    signature = resolved(function, inspect.signature(function))
    for parameter in signature.parameters.values():
        if parameter.annotation is not parameter.empty:
            kinds = kinds_of(parameter.annotation, ml._core)
            assert kinds is None or all(kind.text for kind in kinds)


def test_fit_without_epochs_says_so() -> None:
    compiled = ml.compile(ml.Linear(1), ml.CpuBackend(), shapes={"input": [1, 1]})
    step = ml.TrainingStep(compiled, ml.Adam(), output_gradients={"output": np.ones((1, 1))})
    assert text_of(lambda: ml.fit(step, {"input": np.ones((1, 1))})).startswith(
        "mithril.TypeError[E0398]: fit: argument 'epochs' is missing\n  help: fit(step, data, *, "
    )
    assert text_of(lambda: ml.fit(step)).startswith(
        "mithril.TypeError[E0398]: fit: arguments 'data' and 'epochs' are missing"
    )


def test_compile_without_a_backend_says_so() -> None:
    assert text_of(lambda: ml.compile(ml.Relu())) == (
        "mithril.TypeError[E0398]: compile: argument 'backend' is missing\n"
        "  help: pass a backend, such as ml.CpuBackend()"
    )


def test_alternatives_are_listed() -> None:
    assert "from_csv: argument 'path' has the wrong kind\n  expected : text or a path" in text_of(
        lambda: ml.data.from_csv(3)
    )
