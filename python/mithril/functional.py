"""Models written as functions of connections."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._core import Connection, IOKey, Model, raise_error, wrong_argument
from ._internal.arguments import checked


@checked
def functional(function: Callable[..., Any]) -> Callable[..., Model]:
    """Turns a function of connections into a maker of models.

    The parameters of the function become the inputs of the model, and its results become the
    outputs: a single connection is called "output", a dict names several. A parameter with a
    default is an option of the maker.

        @ml.functional
        def block(x, width=64):
            return ml.Relu()(ml.Linear(width)(x)) + x

        net |= block(width=32)(x="image", output="h")
    """
    parameters = _parameters(function)
    inputs = [each.name for each in parameters if each.default is each.empty]
    options = [each for each in parameters if each.default is not each.empty]

    def make(**options: Any) -> Model:
        result = function(**{name: IOKey(name) for name in inputs}, **options)
        if isinstance(result, Connection):
            result = {"output": result}
        elif isinstance(result, tuple):
            result = {f"output_{i}": connection for i, connection in enumerate(result)}
        if not isinstance(result, dict):
            raise_error(
                "TypeError",
                "E0378",
                f"{function.__name__} returned no connection",
                facts=[
                    ("expected", "a connection, or a tuple or a dict of them"),
                    ("got", repr(result)),
                ],
            )
        return Model.create(**result)

    functools.update_wrapper(make, function)
    keywords = [each.replace(kind=each.KEYWORD_ONLY) for each in options]
    make.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return checked(make)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        signature = inspect.signature(function) if callable(function) else None
    except ValueError:  # a function of C
        signature = None
    if signature and all(each.kind in named for each in signature.parameters.values()):
        return list(signature.parameters.values())
    wrong_argument("functional", "function", "a function whose parameters have names", function)
