"""The kinds of arguments: how errors describe them, and tests of values.

The annotations of the core are texts of pybind11. Those of functions in Python are types.
"""

from __future__ import annotations

import ast
import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin


class Kind(NamedTuple):
    """The word for values in errors, and whether a value is one of them."""

    text: str
    fits: Callable[[Any], bool]


def _is_bool(value: Any) -> bool:
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def _is_integer(value: Any) -> bool:
    if _is_bool(value):
        return False
    try:
        return -(2**63) <= operator.index(value) < 2**63
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes, bytearray)) or _is_bool(value):
        return False
    try:
        float(value)
    except OverflowError:
        return True
    except Exception:  # what __float__ of another library raises
        return False
    return True


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


BOOL = Kind("True or False", _is_bool)
INTEGER = Kind("an int", _is_integer)
NUMBER = Kind("a number", _is_number)
# By the words of pybind11's signatures, and by the names of types.
KINDS = {
    "bool": BOOL,
    "int": INTEGER,
    "SupportsInt": INTEGER,
    "SupportsIndex": INTEGER,
    "float": NUMBER,
    "SupportsFloat": NUMBER,
    "str": Kind("text", _is_text),
    "dict": Kind("a dict", lambda value: isinstance(value, dict)),
    "list": Kind("a list", lambda value: isinstance(value, (list, tuple))),
    "tuple": Kind("a tuple", lambda value: isinstance(value, (list, tuple))),
    "bytes": Kind("bytes", lambda value: isinstance(value, bytes)),
    "None": Kind("None", lambda value: value is None),
    "Mapping": Kind("a dict", lambda value: isinstance(value, Mapping)),
    "Sequence": Kind("a list", lambda value: isinstance(value, (list, tuple))),
    "Iterable": Kind("an iterable", lambda value: isinstance(value, Iterable)),
    "PathLike": Kind("a path", lambda value: isinstance(value, os.PathLike)),
    "Callable": Kind("a function", callable),
    "function": Kind("a function", callable),
    "type": Kind("a class", inspect.isclass),
}
SCHEDULES = (
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "StepSchedule",
    "OneCycleSchedule",
)
OBJECTS = {
    "Model": "a model",
    "CompiledModel": "a compiled model, which ml.compile makes",
    "Optimizer": "an optimizer, such as ml.Adam()",
    "Backend": "a backend, such as ml.CpuBackend()",
    "DeviceArrays": "a backend, such as ml.CpuBackend()",
    "Connection": "a connection",
    "DataSource": "a source of ml.data",
    **dict.fromkeys(SCHEDULES, "a schedule, such as ml.CosineSchedule(steps=1000)"),
}
ANYTHING = {"object", "Any", "handle", "args", "kwargs"}
# Names of _types.pyi, a module that exists only for type checkers.
STUB_TYPES: dict[str, Any] = {"Array": Any, "Arrays": Mapping[str, Any]}


def kinds_of(annotation: Any, core: Any) -> list[Kind] | None:
    """The alternatives of an annotation; None if it accepts anything."""
    if not isinstance(annotation, str):
        return _of_type(annotation)
    words = _alternatives(ast.parse(annotation, mode="eval").body)
    if ANYTHING & set(words):
        return None
    return [kind for word in words if (kind := _of_word(word, core))] or None


def resolved(function: Callable[..., Any], signature: inspect.Signature) -> inspect.Signature:
    """The signature with types instead of texts; a name that only type checkers know is Any."""
    names = {**STUB_TYPES, **getattr(function, "__globals__", {})}
    parameters = []
    for parameter in signature.parameters.values():
        annotation = parameter.annotation
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, names)
            except (NameError, AttributeError, TypeError):
                annotation = Any
        parameters.append(parameter.replace(annotation=annotation))
    return signature.replace(parameters=parameters)


def _alternatives(annotation: ast.expr) -> list[str]:
    """The names of types: str and None of "str | None", Mapping of "typing.Mapping[str, float]"."""
    match annotation:
        case ast.BinOp(left=left, right=right):  # joined by |
            return [*_alternatives(left), *_alternatives(right)]
        case ast.Subscript(value=ast.Attribute(attr="Optional"), slice=inner):
            return [*_alternatives(inner), "None"]
        case ast.Subscript(value=ast.Attribute(attr="Union"), slice=ast.Tuple(elts=types)):
            return [name for inner in types for name in _alternatives(inner)]
        case ast.Subscript(value=whole):
            return _alternatives(whole)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return [name]
        case _:  # None, or a literal
            return [ast.unparse(annotation)]


def _of_word(word: str, core: Any) -> Kind | None:
    if word in KINDS:
        return KINDS[word]
    made = getattr(core, word, None)
    return _of_class(made) if inspect.isclass(made) else None


def _of_class(made: type) -> Kind:
    name = made.__name__
    return Kind(OBJECTS.get(name, f"an object of {name}"), lambda value: isinstance(value, made))


def _equal_to(literal: Any) -> Kind:
    return Kind(repr(literal), lambda value: type(value) is type(literal) and value == literal)


def _of_type(annotation: Any) -> list[Kind] | None:
    if annotation in (Any, object) or isinstance(annotation, TypeVar):
        return None
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        alternatives = [_of_type(alternative) for alternative in get_args(annotation)]
        return (
            None
            if None in alternatives
            else [kind for kinds in alternatives for kind in kinds or ()]
        )
    if origin is Literal:
        return [_equal_to(one) for one in get_args(annotation)]
    if annotation in (None, NoneType):
        return [KINDS["None"]]
    plain = origin or annotation
    name = getattr(plain, "__name__", "")
    if name in KINDS:
        return [KINDS[name]]
    return [_of_class(plain)] if inspect.isclass(plain) else None
