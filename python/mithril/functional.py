"""Models written as functions of connections."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._core import Connection, IOKey, Model


def functional(function: Callable[..., Any]) -> Callable[..., Model]:
    """Turns a function of connections into a maker of models.

    The parameters of the function become the inputs of the model, what it returns its outputs: one
    connection is called "output", a dict names several.

        @ml.functional
        def block(x):
            return ml.Relu()(ml.Linear(64)(x)) + x

        net |= block()(x="image", output="h")
    """

    @functools.wraps(function)
    def make() -> Model:
        inputs = {name: IOKey(name) for name in inspect.signature(function).parameters}
        result = function(**inputs)
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
