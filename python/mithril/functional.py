"""Functions of connections as makers of models."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._core import Connection, IOKey, Model, raise_error, wrong_argument
from ._internal.arguments import checked


@checked
def functional(function: Callable[..., Any]) -> Callable[..., Model]:
    """Turns a function of connections into a function that makes models.

    The parameters of the function become inputs of the model. A parameter with a default becomes a
    keyword argument of the maker. A connection that the function returns becomes the output
    "output". A tuple becomes the outputs "output_0", "output_1" and so on, and a dict names them.

    Args:
        function: a function of connections whose parameters have names.

    Returns:
        A function that takes the options by keyword and returns a new Model.

    Raises:
        TypeError: If the function has parameters without names, or it returns no connection.

    Example:
        @ml.functional
        def block(x, width=64):
            return ml.Relu()(ml.Linear(width)(x)) + x

        net = ml.Model()
        net |= block(width=32)(x="image", output="h")

    See docs/semantics.md.
    """
    parameters = _parameters(function)
    inputs = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    options = [parameter for parameter in parameters if parameter.default is not parameter.empty]

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
    keywords = [option.replace(kind=option.KEYWORD_ONLY) for option in options]
    make.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return checked(make, numbers=False)  # its options are those of the user


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    try:
        signature = inspect.signature(function) if callable(function) else None
    except ValueError:  # a function of C
        signature = None
    if signature and all(parameter.kind in named for parameter in signature.parameters.values()):
        return list(signature.parameters.values())
    wrong_argument("functional", "function", "a function whose parameters have names", function)
