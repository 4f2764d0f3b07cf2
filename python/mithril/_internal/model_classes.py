"""Makes a class of a record: of an op or of a model of the library."""

import functools
import inspect
import json
from typing import Any

from .. import _core
from .arguments import refuse, refuse_synonym
from .records import (
    EXAMPLE_ARGUMENTS,
    EXAMPLE_KEYS,
    EXAMPLE_LISTS,
    SHOWN_ARGUMENTS,
    public_records,
)

_KIND_NAMES = {
    "none": "None",
    "model": "str | Model",
    "models": "list[str | Model]",
    "names": "dict[str, str]",
}
TENSOR_KINDS = {
    "any": "",
    "number": "ints or floats",
    "float": "floats",
    "int": "ints",
    "bool": "bools",
    "operand": "or a value",
}


def _annotation(kinds: str) -> str:
    words = kinds.replace("value ", "").split("|")
    return " | ".join(_KIND_NAMES.get(word, word) for word in words)


def _signature(record: dict[str, Any]) -> inspect.Signature:
    parameters = [
        inspect.Parameter(
            argument["name"],
            inspect.Parameter.KEYWORD_ONLY if i else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=argument.get("default", None if record["op"] else inspect.Parameter.empty),
            annotation=_annotation(argument["kinds"]),
        )
        for i, argument in enumerate(record["arguments"])
    ]
    name = inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None)
    ports = inspect.Parameter("ports", inspect.Parameter.VAR_KEYWORD)
    return inspect.Signature([*parameters, name, ports])


def _port_lines(record: dict[str, Any]) -> list[str]:
    """Describes the ports, such as "input [N, ...s] ints or floats"."""
    if record["op"]:
        return [_op_port(port) for port in record["ports"]]
    return [_model_port(port, record["arguments"]) for port in record["ports"]]


def _model_port(port: dict[str, str], arguments: list[dict[str, Any]]) -> str:
    """Describes a port of a model. One without a shape takes the value of an argument."""
    if not port["shape"]:
        kinds = next(each["kinds"] for each in arguments if each["name"] == port["name"])
        return f"{port['name']}: {_annotation(kinds)}"
    note = f" ({port['note']})" if port["note"] else ""
    return f"{port['name']} {port['shape']}{note}"


def _op_port(port: dict[str, str]) -> str:
    """Writes the shape "N *s" and the type "T=number" as "[N, ...s] ints or floats"."""
    name, kinds = port["name"], port["type"]
    if kinds.startswith("value "):
        return f"{name}: {_annotation(kinds)}"
    dims = [dim.replace("*", "...") for dim in port["shape"].split()]
    told = TENSOR_KINDS.get(kinds.rpartition("=")[2], "")
    return f"{name} [{', '.join(dims)}] {told}".rstrip()


def _example(record: dict[str, Any], names: list[str]) -> str:
    keys = {**EXAMPLE_KEYS, **{name: EXAMPLE_LISTS.get(name, ["x1"]) for name in record["lists"]}}
    bound = [f"{name}={json.dumps(keys[name])}" for name in keys if name in names]
    optional = record["op"] is not None
    needed = [
        argument["name"]
        for argument in record["arguments"]
        if not optional and (argument["required"] or argument["name"] in SHOWN_ARGUMENTS)
    ]
    arguments = ", ".join(f"{name}={json.dumps(EXAMPLE_ARGUMENTS[name])}" for name in needed)
    return f"model |= ml.{record['name']}({arguments})({', '.join(bound)})"


def _doc(record: dict[str, Any]) -> str:
    lines = [record["doc"]]
    if record["arguments"]:
        lines += ["", "Arguments:"]
        for argument in record["arguments"]:
            default = f" = {argument['default']!r}" if "default" in argument else ""
            note = f": {argument['doc']}" if argument["doc"] else ""
            lines.append(
                f"    {argument['name']} ({_annotation(argument['kinds'])}){default}{note}"
            )
    lines += ["", "Ports:", *(f"    {line}" for line in _port_lines(record))]
    example = _example(record, [port["name"] for port in record["ports"]])
    lines += ["", "Example:", f"    {example}", "", "See docs/ops.md."]
    return "\n".join(lines)


def _refuse_inputs(record: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises an error if ports are bound in the constructor, or an argument has another name."""
    names = [argument["name"] for argument in record["arguments"]]
    told = record["inputs"] if record["op"] else []
    inputs = [port["name"] for port in told if not port["kinds"].startswith("value ")]
    outputs = record["outputs"] if record["op"] else []
    ports = inputs or [port["name"] for port in record["ports"]]
    made = f"ml.{record['name']}({'...' if names and not record['op'] else ''})"
    for value in args:
        if isinstance(value, _core.Connection) or not names:
            _refuse_input(record["name"], f"{made}(x)")
    for key, value in kwargs.items():
        is_port = key not in names and key in (*ports, *outputs)
        if isinstance(value, _core.Connection) or (isinstance(value, str) and is_port):
            shown = f'"{value}"' if isinstance(value, str) else "x"
            _refuse_input(record["name"], f"{made}({key}={shown})")
        is_option = not is_port or (isinstance(value, bool) and not record["op"])
        if key not in names and is_option and not isinstance(value, _core.Tensor):
            known = [*names, *(port["name"] for port in told if port["name"] not in names)]
            refuse_synonym(record["name"], key, known)
    arguments = [*zip(names, args, strict=False), *kwargs.items()]
    for key, value in arguments:
        if _is_array(value) and (key in names or not isinstance(value, _core.Tensor)):
            _refuse_array(record, key, value, f"{made}({key}=array)" if key in ports else "")


def _is_array(value: Any) -> bool:
    is_ours = isinstance(value, (_core.Connection, _core.Model))
    return not is_ours and isinstance(getattr(value, "shape", None), tuple) and value.shape != ()


def _refuse_array(record: dict[str, Any], key: str, array: Any, call: str) -> None:
    """Raises an error about an array in place of a value: `call` binds it to a port."""
    for argument in record["arguments"]:
        if argument["name"] == key:
            kinds = _annotation(argument["kinds"]).split(" | ")
            is_tuple = "tuple" in kinds or "Any" in kinds
            help = "give the numbers as a tuple: tuple(array.tolist())" if is_tuple else ""
            _core.wrong_argument(record["name"], key, " or ".join(kinds), array, help, "E0304")
    if call:
        _refuse_input(record["name"], call)
    known = [argument["name"] for argument in record["arguments"]]
    _core.unknown_member("E0605", record["name"], "argument", key, known)


def _refuse_input(name: str, call: str) -> None:
    message = f"{name}: an input was passed to the constructor"
    _core.raise_error("TypeError", "E0307", message, help=f"call the model with it: {call}")


@functools.cache
def _records() -> dict[str, dict[str, Any]]:
    return {record["name"]: record for record in public_records()}


def class_named(name: str) -> type[_core.Model]:
    """Makes the class of the public record of this name."""
    return make_class(_records()[name])


def make_class(record: dict[str, Any]) -> type[_core.Model]:
    names = [argument["name"] for argument in record["arguments"]]
    is_op = record["op"] is not None

    def initialize(self: Any, *args: Any, name: str | None = None, **kwargs: Any) -> None:
        _refuse_inputs(record, args, kwargs)
        if len(args) > min(len(names), 1):
            refuse(record["name"], signature, args, {})
        arguments = dict(zip(names, args, strict=False))
        for key in arguments:
            if key in kwargs:
                refuse(record["name"], signature, args, {key: kwargs[key]})
        ports = {}
        for key, value in kwargs.items():
            if key in names or not isinstance(value, _core.Tensor):
                arguments[key] = value
            else:
                ports[key] = value
        model = _core.make_model(record["name"], arguments, name)
        if ports and is_op:
            model = _core.Model(name) if name else _core.Model()
            model |= _core.make_model(record["name"], arguments)(**ports)
        elif ports:
            model.set_values(ports)
        _core.Model.__init__(self, model)

    signature = _signature(record)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    initialize.__name__ = "__init__"
    initialize.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[own, *signature.parameters.values()]
    )
    members = {"__init__": initialize, "__doc__": _doc(record), "__module__": "mithril.models"}
    made = type(record["name"], (_core.Model,), members)
    made.__signature__ = signature  # type: ignore[attr-defined]
    return made
