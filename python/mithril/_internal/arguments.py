"""Checks the arguments of calls: Mithril's errors replace those of Python and pybind11.

`install` gives each function of the core a signature, and replaces "incompatible function
arguments" by an error that names the argument.
`checked` does the same for functions that are written in Python.
"""

from __future__ import annotations

import ast
import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from .kinds import BOOL, INTEGER, NUMBER, Kind, kinds_of, resolved
from .synonyms import hint

Function = Callable[..., Any]
Checked = TypeVar("Checked", bound=Function)
VARIADIC, VARIADIC_NAMES = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


# How to make objects of the classes without a constructor.
MAKERS = {
    "Call": 'calling a model with its ports bound makes it: ml.Relu()(input="x")',
    "CompiledModel": "ml.compile(model, backend) makes it",
    "Connection": 'ml.IOKey("x") makes one, as do models that are called with connections',
    "EditableModel": "model.edit() makes it",
    "HookHandle": "compiled.register_hook(path, fn) makes it",
    "MemoryHookHandle": "backend.register_memory_hook(fn) makes it",
    "MemoryTimeline": "compiled.memory_timeline(data) makes it",
    "Part": "model.parts and model.walk() make it",
    "Profile": "ml.profile() makes it",
    "View": "model.view() makes it",
    "PendingAnswer": "engine.infer_async(name, inputs) makes it",
    "Optimizer": "ml.Adam and the other classes of docs/optimizers.md are optimizers",
    "Solver": "model.add_constraint(fn, keys) gives one to fn",
    "Evaluator": "ml.metrics.Accuracy and the other classes of ml.metrics are evaluators",
}
RENAMED = {"cpu_backend": "CpuBackend", "LossScale": "GradScaler"}  # the names that users call
core: Any = None  # mithril._core, set by install


def install(module: Any) -> None:
    """Gives every function of the core a signature and errors that name the argument."""
    global core  # noqa: PLW0603 - it imports this module while it is made
    core = module
    # Python gives its exceptions none. The classes of errors inherit this one.
    core.Error.__signature__ = inspect.Signature([inspect.Parameter("args", VARIADIC)])
    for name, member in list(vars(module).items()):
        if inspect.isclass(member):
            for key, own in list(vars(member).items()):
                if key[0] == "_" != key[1]:
                    continue  # private
                replaced = _method(own, f"{member.__name__}.{key}")
                if replaced is not own:
                    setattr(member, key, replaced)
            if name in MAKERS:
                setattr(member, "__init__", _refusing(name))  # noqa: B010 - mypy refuses the other
        elif inspect.isbuiltin(member):
            setattr(module, name, _wrapped(member, name))


def checked(function: Checked, *, numbers: bool = True) -> Checked:
    """Wraps a function or a constructor: calls that do not fit raise Mithril errors.

    So do, with `numbers`, a bool for a number and a number for a bool or an int.
    """
    name = _short(function.__qualname__)

    @functools.cache  # at the first call: importing the library makes no signatures
    def signature() -> inspect.Signature:
        return inspect.signature(function)

    @functools.cache
    def kinds() -> dict[str, list[Kind]]:
        return _kinds_of_numbers(resolved(function, signature())) if numbers else {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature().bind(*args, **kwargs).arguments
        except TypeError:
            refuse(name, resolved(function, signature()), args, kwargs)
        if _is_misread(kinds(), given.items()):
            refuse(name, resolved(function, signature()), args, kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def checked_kinds(function: Checked) -> Checked:
    """Like `checked`, for a function that uses its arguments before the core checks their kinds."""
    name = _short(function.__qualname__)

    @functools.cache  # at the first call: the module of the function is complete then
    def types() -> inspect.Signature:
        return resolved(function, inspect.signature(function))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = types().bind(*args, **kwargs).arguments
        parameters = types().parameters
        for key, value in given.items():
            _check(name, parameters[key], value)
        return function(*args, **kwargs)

    return checked(call, numbers=False)  # type: ignore[return-value]


def _kinds_of_numbers(signature: inspect.Signature) -> dict[str, list[Kind]]:
    """The kinds of the arguments that are bools, ints or numbers."""
    named = [
        one
        for one in signature.parameters.values()
        if one.kind not in (VARIADIC, VARIADIC_NAMES) and one.annotation is not one.empty
    ]
    kinds = {one.name: kinds_of(one.annotation, core) or [] for one in named}
    return {name: each for name, each in kinds.items() if {BOOL, INTEGER, NUMBER} & {*each}}


def _is_misread(numbers: Mapping[str, list[Kind]], given: Iterable[tuple[str, Any]]) -> bool:
    """Whether a bool is given for a number, or anything that Python converts for a bool or an int.

    How large an int may be depends on the function.
    """
    for name, value in given if numbers else ():
        kinds = numbers.get(name, ())
        is_int = INTEGER in kinds and type(value) is int
        if kinds and not is_int and not any(kind.fits(value) for kind in kinds):
            return True
    return False


def refuse(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> NoReturn:
    """Raises an error about the first argument that does not fit."""
    taken = list(signature.parameters.values())
    if taken and taken[0].name == "self":
        taken, args = taken[1:], args[1:]
    variadic = {parameter.kind for parameter in taken} & {VARIADIC, VARIADIC_NAMES}
    named = {parameter.name: parameter for parameter in taken if parameter.kind not in variadic}
    by_position = [key for key, value in named.items() if value.kind != value.KEYWORD_ONLY]
    for key in kwargs:
        if key not in named and VARIADIC_NAMES not in variadic:
            _refuse_keyword(name, key, list(named))
    if len(args) > len(by_position) and VARIADIC not in variadic:
        _refuse_position(name, args, by_position, list(named))
    given = dict(zip(by_position, args, strict=False))
    for key in kwargs:
        if key in given:
            _refuse_twice(name, key, given, kwargs[key], list(named))
    given.update(kwargs)
    missing = [
        key for key, value in named.items() if key not in given and value.default is value.empty
    ]
    if missing:
        _refuse_missing(name, missing, taken)
    for key, value in given.items():
        if key in named:
            _check(name, named[key], value)
    _raise("E0399", f"{name}: the arguments do not fit", help=_usage(name, taken))


def _short(name: str) -> str:
    """Shortens "CompiledModel.evaluate" to "evaluate" and "Adam.__init__" to "Adam"."""
    name = name.removesuffix(".__init__").removesuffix(".__call__").rpartition(".")[2]
    return RENAMED.get(name, name)


def shown_options(backend: Any) -> str:
    """The options that differ from the constructor's defaults: "device='cuda', use_amp=True"."""
    parameters = inspect.signature(type(backend)).parameters
    defaults = {key: value.default for key, value in parameters.items()}
    options = vars(backend).get("_options", {})  # none before the constructor has run
    by_name = {key: getattr(value, "name", value) for key, value in options.items()}
    return ", ".join(
        f"{key}={value!r}"
        for key, value in by_name.items()
        if value != getattr(defaults.get(key), "name", defaults.get(key))
    )


def _raise(code: str, message: str, **more: Any) -> NoReturn:
    core.raise_error("TypeError", code, message, **more)
    raise AssertionError


def _refuse_keyword(name: str, key: str, named: list[str]) -> NoReturn:
    refuse_synonym(name, key, named)
    core.unknown_member("E0605", name, "argument", key, named)
    raise AssertionError


def refuse_synonym(name: str, key: str, named: list[str]) -> None:
    """Raises NameError E0605 if the argument has another name here."""
    help = hint(key, named)
    if not help:
        return
    facts = [("known", ", ".join(named))]
    message = f"{name} has no argument '{key}'"
    core.raise_error("NameError", "E0605", message, facts=facts, help=help)


# Of layers, the first argument, and what PyTorch's layers take before it.
INFERRED = {"hidden_size": "the size of the input", "dimension": "the size of the input"}


def _refuse_position(
    name: str, args: tuple[Any, ...], by_position: list[str], named: list[str]
) -> NoReturn:
    count = len(args)
    rest = [key for key in named if key not in by_position]
    advice = f"write {', '.join(f'{key}=...' for key in rest)}" if rest else ""
    inferred = INFERRED.get(by_position[0]) if len(by_position) == 1 else None
    if inferred is not None and all(isinstance(value, int) for value in args[:2]):
        advice = (
            f"{inferred}, which PyTorch takes first, is inferred: write {name}({args[1]!r}); "
            "options have names"
        )
    if by_position in (["shape"], ["axes"]) and all(isinstance(value, int) for value in args):
        advice = f"write {name}({args!r})"
    taken = f"at most {len(by_position)}" if by_position else "none"
    _raise(
        "E0396",
        f"{name} takes {taken} of its arguments by position, not {count}",
        facts=[("by position", ", ".join(by_position) or "none")],
        help=advice,
    )


def _refuse_twice(
    name: str, key: str, given: Mapping[str, Any], value: Any, named: list[str]
) -> NoReturn:
    rest = [f"{other}=..." for other in named if other not in given]
    _raise(
        "E0398",
        f"{name}: argument '{key}' is given twice",
        facts=[("by position", reprlib.repr(given[key])), ("by name", reprlib.repr(value))],
        help=f"if the first is for another argument, give it by name: {', '.join(rest)}"
        if rest
        else "",
    )


def _refuse_missing(name: str, missing: list[str], taken: list[inspect.Parameter]) -> NoReturn:
    quoted = [f"'{key}'" for key in missing]
    listed = " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))
    what = f"arguments {listed} are missing" if quoted[1:] else f"argument {listed} is missing"
    _raise("E0398", f"{name}: {what}", help=_usage(name, taken))


def _check(name: str, parameter: inspect.Parameter, value: Any) -> None:
    if parameter.annotation is parameter.empty:
        return
    kinds = kinds_of(parameter.annotation, core)
    if kinds is None or any(kind.fits(value) for kind in kinds):
        return
    expected = list(dict.fromkeys(kind.text for kind in kinds))
    if NUMBER.text in expected and INTEGER.text in expected:
        expected.remove(INTEGER.text)
    wants_dict = "a dict" in expected and hasattr(value, "shape")
    help = 'give it by its key: {"x": array}' if wants_dict else ""
    if parameter.name == "keepdim" and isinstance(value, int):
        help = f"several axes are a tuple: {name}((0, 1))"
    core.wrong_argument(name, parameter.name, " or ".join(expected), value, help)


def _usage(name: str, parameters: list[inspect.Parameter]) -> str:
    plain = [parameter.replace(annotation=parameter.empty) for parameter in parameters]
    return f"{name}{inspect.Signature(plain)}"


def _method(member: Any, name: str) -> Any:
    """The replacement of a member of a class, or the member itself if it needs none."""
    if isinstance(member, staticmethod):
        return staticmethod(_wrapped(member.__func__, name))
    if type(member) is property:
        setter = member.fset and _wrapped(member.fset, name)
        getter = member.fget and _wrapped(member.fget, name)
        return property(getter, setter, None, member.__doc__)
    if type(member).__name__ == "instancemethod" and not name.endswith("_conduit_v1_"):
        return _wrapped(member, name)
    return member


def _wrapped(function: Function, name: str) -> Function:
    # pybind11 keeps a signature nowhere else: the first line is the definition of a function.
    head, _, text = (function.__doc__ or "").partition("\n")
    named, parenthesis, _ = head.partition("(")
    if not parenthesis or " " in named or "<" in head:  # <: it names a template of C++
        return function
    head = head.replace("mithril::", "mithril._core.")
    if not named:  # of a property
        head = f"accessor{head}"
    signature = CoreSignature(head)
    short = _short(name)
    has_numbers = any(word in head for word in ("bool", "int", "Int", "float", "Float"))

    def call(*args: Any, **kwargs: Any) -> Any:
        if has_numbers and (numbers := signature.numbers):
            given = (*zip(signature.typed.parameters, args, strict=False), *kwargs.items())
            if _is_misread(numbers, given):
                refuse(short, signature.typed, args, kwargs)
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Without a frame below this one, it comes from the conversion of the arguments.
            if isinstance(error, core.Error) or error.__traceback__.tb_next is not None:  # type: ignore[union-attr]
                raise
        refuse(short, signature.typed, args, kwargs)

    call.__name__ = name.rpartition(".")[2]
    call.__qualname__ = name
    call.__module__ = "mithril"
    call.__doc__ = text.strip() or None
    call.__wrapped__ = signature  # type: ignore[attr-defined]
    return call


class CoreSignature:
    """The signature of a function of the core, which is parsed when it is first asked for.

    It is `__wrapped__` of the function, where inspect.signature looks for `__signature__`. Parsing
    all signatures takes longer than the rest of `import mithril`.
    """

    def __init__(self, head: str) -> None:
        self._head = head

    @functools.cached_property
    def typed(self) -> inspect.Signature:
        """With the annotations of pybind11, which name C++ types."""
        return _parsed(self._head)

    @functools.cached_property
    def numbers(self) -> dict[str, list[Kind]]:
        return _kinds_of_numbers(self.typed)

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        """Without annotations. The stubs have Python types."""
        return inspect.Signature(
            [
                parameter.replace(annotation=parameter.empty)
                for parameter in self.typed.parameters.values()
            ]
        )


def _parsed(head: str) -> inspect.Signature:
    """Parses a signature of pybind11: "evaluate(self: CompiledModel, params: dict) -> object"."""
    function = ast.parse(f"def {head}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    arguments = function.args
    parameters = []
    positional = arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        parameters.append(_parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, default))
    if arguments.vararg:
        parameters.append(_parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL, None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(_parameter(argument, inspect.Parameter.KEYWORD_ONLY, default))
    if arguments.kwarg:
        parameters.append(_parameter(arguments.kwarg, inspect.Parameter.VAR_KEYWORD, None))
    return inspect.Signature(parameters)


def _parameter(argument: ast.arg, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    return inspect.Parameter(
        argument.arg,
        kind,
        default=inspect.Parameter.empty if default is None else _value(default),
        annotation=ast.unparse(argument.annotation)
        if argument.annotation
        else inspect.Parameter.empty,
    )


def _value(default: ast.expr) -> Any:
    if isinstance(default, ast.Attribute):  # dtype.float32
        return getattr(core.dtype, default.attr)
    return ast.literal_eval(default)


def _refusing(name: str) -> Function:
    """A constructor that raises E0397, for a class without a constructor."""

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        message = f"{name} cannot be constructed by calling the class"
        _raise("E0397", message, help=MAKERS[name])

    return construct
