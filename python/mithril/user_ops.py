"""Ops that users define with formulas or Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _core
from ._core import Model, raise_error, wrong_argument
from ._internal.arguments import checked
from ._internal.model_classes import make_class

TYPES = ("float", "int", "bool", "number")


@checked
def add_op(  # noqa: PLR0913 - its options
    name: str,
    *,
    inputs: Mapping[str, str],
    outputs: Mapping[str, str] = {"output": "*s"},
    formula: str | None = None,
    function: Callable[..., Any] | None = None,
    gradient: Mapping[str, str] | Callable[..., Any] | None = None,
    doc: str = "",
    replace: bool = False,
) -> type[Model]:
    """Adds an op to this process and returns its class.

    Exactly one of `formula` and `function` defines the op.

    The same op may be added again, as by a notebook cell that runs twice: the call returns the
    class of the first call. A model with the op can be saved as JSON, and a process that reads it
    must add the op first.

    Args:
        name: the name of the op, an identifier.
        inputs: {port: shape pattern}. "N D" are two sizes, "*s" is any number of sizes, "3" is a
            number, and "" is a scalar. Equal names are equal sizes. A pattern may end with a type,
            "N: int" (float, int, bool or number). The default is float.
        outputs: {port: shape pattern}.
        formula: a C expression of one element, for float tensors of one shape and scalars. "{x}" is
            the element of port x. The CPU backend fuses it, and generated C++ contains it. The
            torch backend evaluates it on the host.
        function: a function that takes an array for each input and returns an array, or a tuple
            with one for each output. The arrays are those of NumPy on the CPU backend, and tensors
            on the device of the torch backend, without autograd. The result must depend only on the
            arguments. Backends do not fuse the function, and code generation refuses it.
        gradient: with `formula`, {input: formula}, in which "{grad}" is the gradient of the output.
            With `function`, a function that takes the inputs and the gradients of the outputs, and
            returns an array, or a tuple with one for each float input. None: not differentiable.
        doc: the docstring of the class.
        replace: whether to replace an op of the same name. Models that have the old op keep it.

    Raises:
        NameError: If another op has this name, and `replace` is False.
        ValueError: If the formula calls an unknown function, or its ports differ in shape.

    Example:
        Squash = ml.add_op(
            "my_squash",
            inputs={"x": "*s"},
            formula="{x} / (1 + abs({x}))",
            gradient={"x": "{grad} / ((1 + abs({x})) * (1 + abs({x})))"},
        )
        model |= Squash()(x="y", output="z")

    See docs/add-an-op.md.
    """
    if not isinstance(name, str) or not name.isidentifier():
        wrong_argument("add_op", "name", "an identifier", name)
    if not isinstance(doc, str):
        wrong_argument("add_op", "doc", "a string", doc)
    taken, given = _ports("inputs", inputs), _ports("outputs", outputs)
    doc = doc or f"The op {name} of a user."
    if (formula is None) == (function is None):
        raise_error("ValueError", "E0446", "add_op needs either a formula or a function")
    parts = (doc, taken, given, formula, _code_of(function), _gradient_of(gradient))
    known = _defined.get(name)
    if known is not None and known[0] == parts:
        return known[1]
    if function is not None:
        if not callable(function):
            wrong_argument("add_op", "function", "a function", function)
        if gradient is not None and not callable(gradient):
            wrong_argument("add_op", "gradient", "a function of arrays", gradient)
        _core._add_function(name, doc, taken, given, function, gradient, replace)
    else:
        if not isinstance(formula, str):
            wrong_argument("add_op", "formula", "a string", formula)
        formulas = {} if gradient is None else gradient
        if not isinstance(formulas, Mapping) or not all(
            isinstance(text, str) for pair in formulas.items() for text in pair
        ):
            wrong_argument("add_op", "gradient", "a dict of formulas", gradient)
        _check_elementwise(taken, given)
        _core._add_formula(name, doc, taken, given, formula, list(formulas.items()), replace)
    made = make_class(next(record for record in _core.library() if record["op"] == name))
    made.__doc__ = (made.__doc__ or "").partition("\n\nExample:")[0]  # it is not in mithril
    _ports_of_ops[made] = (name, [port for port, _, _ in taken], [port for port, _, _ in given])
    _defined[name] = (parts, made)
    return made


_ports_of_ops: dict[type[Model], tuple[str, list[str], list[str]]] = {}
_defined: dict[str, tuple[tuple[Any, ...], type[Model]]] = {}  # by name: what it was made of


PLAIN = (type(None), bool, int, float, str, bytes)


def _code_of(function: Any) -> Any:
    """Returns what identifies a function: its code and the objects that it refers to, or else
    the function itself."""
    code = getattr(function, "__code__", None)
    owner = id(getattr(function, "__self__", None))  # of a bound method
    try:
        cells = tuple(id(cell.cell_contents) for cell in function.__closure__ or ())
    except (AttributeError, ValueError):  # no function of Python, or a cell without a value
        return function
    named = function.__kwdefaults__ or {}
    defaults = (*(function.__defaults__ or ()), *named.values())
    texts = tuple(
        repr(default) if isinstance(default, PLAIN) else id(default) for default in defaults
    )
    return (code, owner, cells, tuple(named), texts, id(function.__globals__))


def _gradient_of(gradient: Any) -> Any:
    return dict(gradient) if isinstance(gradient, Mapping) else _code_of(gradient)


@checked
def check_op(
    op: type[Model],
    rows: Sequence[Mapping[str, Any]],
    *,
    hold: Sequence[str] = (),
    away_from: Sequence[float] = (),
    tolerance: float = 1e-12,
) -> None:
    """Checks an op that `add_op` made, as Mithril checks its own ops.

    For each row, on the reference implementation of the CPU backend, it checks that:

    - inference gives the dims and dtypes of the results, also with unknown sizes;
    - gradients agree with central differences, so a missing gradient is found, too;
    - results in float32, float16 and bfloat16 are close to those in float64;
    - all this holds for other sizes, 0 and 1 included, if the op accepts them.

    Args:
        op: a class that `add_op` returned.
        rows: dicts that map each input to its sizes, such as (3, 4), or to an array. For sizes it
            draws the elements: normally distributed floats, or ints from 0 to 9. A row may map
            outputs to the expected arrays.
        hold: inputs whose gradients are not compared.
        away_from: numbers at which the op is not smooth. Drawn elements keep a distance from them.
        tolerance: the tolerance of the comparison with expected arrays.

    Raises:
        ValueError: If a check failed. The error lists all that failed.

    Example:
        Square = ml.add_op(
            "my_square",
            inputs={"x": "*s"},
            formula="{x} * {x}",
            gradient={"x": "2 * {x} * {grad}"},
        )
        rows = [{"x": (3, 4)}, {"x": np.array([1.0, -3.0]), "output": np.array([1.0, 9.0])}]
        ml.check_op(Square, rows)

    See docs/add-an-op.md.
    """
    if not isinstance(op, type) or op not in _ports_of_ops:
        wrong_argument("check_op", "op", "a class that ml.add_op returned", op)
    name, inputs, outputs = _ports_of_ops[op]
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, Mapping) for row in rows):
        wrong_argument("check_op", "rows", "a list of dicts", rows)
    for row in rows:
        for port in row:
            if port not in (*inputs, *outputs):
                _core.unknown_member("E0604", name, "port", str(port), [*inputs, *outputs])
            is_size = isinstance(row[port], (list, tuple))
            if is_size and (port in outputs or not all(isinstance(n, int) for n in row[port])):
                expected = "an array" if port in outputs else "sizes, or an array"
                wrong_argument("check_op", "rows", f"{expected} for {port!r}", row[port])
        missing = [port for port in inputs if port not in row]
        if missing:
            wrong_argument("check_op", "rows", f"{missing[0]!r} in each row", dict(row))
    for port in hold:
        if port not in inputs:
            _core.unknown_member("E0604", name, "input", str(port), inputs)
    by_port = [
        {port: tuple(given) if isinstance(given, list) else given for port, given in row.items()}
        for row in rows
    ]
    _core._check_op(name, by_port, list(hold), list(away_from), tolerance)


def _ports(argument: str, ports: Any) -> list[tuple[str, str, str]]:
    if not isinstance(ports, Mapping) or not ports:
        wrong_argument("add_op", argument, "a dict of shape patterns", ports)
    read = []
    for port, pattern in ports.items():
        if not isinstance(port, str) or not port.isidentifier():
            wrong_argument("add_op", argument, "names that are identifiers", port)
        if not isinstance(pattern, str):
            wrong_argument("add_op", argument, "shape patterns", pattern)
        shape, _, kind = (part.strip() for part in pattern.partition(":"))
        if kind and kind not in TYPES:
            wrong_argument("add_op", argument, f"a type of {', '.join(TYPES)}", kind)
        read.append((port, shape, kind or "float"))
    return read


def _check_elementwise(inputs: list[tuple[str, str, str]], outputs: list[Any]) -> None:
    shape = outputs[0][1]
    for port, pattern, kind in [*inputs, *outputs[1:]]:
        if kind != "float" or pattern not in (shape, "") or len(outputs) > 1:
            raise_error(
                "ValueError",
                "E0445",
                f"add_op: a formula has one output, and float inputs of its shape '{shape}'",
                facts=[(port, f"{pattern} {kind}".strip())],
                help="ports of other shapes and types need function=",
            )
