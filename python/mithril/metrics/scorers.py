"""Functions and modules of PyTorch as scorers of rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._internal.arguments import checked_kinds
from .._internal.arrays import as_array
from .evaluator import SampleEvaluator, value_at


class SampleScore(SampleEvaluator):
    """Scores each row with a function or a module of PyTorch.

    A module is called in evaluation mode without gradients, with tensors on its device.

    Args:
        scorer: function or module that returns a score for each row, [N] or [N, 1].
        inputs: keys of its arguments, in order. None calls it with the batch itself, a dict.
        threshold: least score of a row that passes. None computes the mean.

    Example:
        def agreement(y, target):
            return -np.square(np.asarray(y) - target).mean(axis=1)

        score = ml.metrics.SampleScore(agreement, inputs=["y", "target"], threshold=-0.5)
        score.update({**data, **compiled.evaluate(params, data)})
        fraction = score.compute()

    See docs/data.md.
    """

    @checked_kinds
    def __init__(
        self,
        scorer: Callable[..., Any],
        *,
        inputs: Sequence[str] | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(threshold=threshold)
        self._scorer = scorer
        self._inputs = None if inputs is None else list(inputs)

    @checked_kinds
    def score(self, batch: Mapping[str, Any]) -> Any:
        """Returns the scores of the rows of a batch: [N] or [N, 1].

        Raises:
            InputError: If an input is missing.

        Example:
            scorer = ml.metrics.SampleScore(lambda y: y.sum(axis=1), inputs=["y"])
            assert list(scorer.score({"y": np.ones((3, 2))})) == [2.0, 2.0, 2.0]
        """
        if self._inputs is None:
            return called(self._scorer, batch)
        return called(self._scorer, *(value_at(self, key, batch) for key in self._inputs))

    def _options(self) -> tuple[Any, ...]:
        return (*super()._options(), self._scorer, self._inputs)


def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function, or a module of PyTorch with tensors, in evaluation mode."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(function, torch.nn.Module):
        return function(*arguments)
    parameter = next(function.parameters(), None)
    device = None if parameter is None else parameter.device

    def tensor(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: tensor(part) for key, part in value.items()}
        if isinstance(value, torch.Tensor):
            return value.to(device)
        array = as_array(value)
        return value if array.dtype.kind in "OUS" else torch.as_tensor(array, device=device)

    training = [module for module in function.modules() if module.training]
    function.eval()
    try:
        with torch.no_grad():
            return function(*map(tensor, arguments))
    finally:
        for module in training:
            module.training = True
