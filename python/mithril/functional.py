"""Models written as functions of connections."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._core import Connection, IOKey, Model


def functional(function: Callable[..., Any]) -> Callable[..., Model]:
    """Turns a function of connections into a maker of models.

    The parameters of the function become the inputs of the model, what it returns its outputs: one
    connection is called "output", a dict names several. A parameter with a default is an option of
    the maker.

        @ml.functional
        def block(x, width=64):
            return ml.Relu()(ml.Linear(width)(x)) + x

        net |= block(width=32)(x="image", output="h")
    """
    parameters = inspect.signature(function).parameters.values()
    inputs = [each.name for each in parameters if each.default is each.empty]

    @functools.wraps(function)
    def make(**options: Any) -> Model:
        result = function(**{name: IOKey(name) for name in inputs}, **options)
        if isinstance(result, Connection):
            result = {"output": result}
        elif isinstance(result, tuple):
            result = {f"output_{i}": connection for i, connection in enumerate(result)}
        if not isinstance(result, dict):
            raise TypeError(
                f"{function.__name__} returned {result!r}; expected a connection, or a tuple or a "
                "dict of them"
            )
        return Model.create(**result)

    return make
