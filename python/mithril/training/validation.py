"""The validation of `fit`."""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core import TrainingStep
from ..data.batches import named
from ..data.shares import checksums
from ..data.source import Batches, DataSource
from ..data.turns import read_turn, turn_of
from ..metrics import Evaluator
from ..metrics.packing import is_packable, merge_packed, packed
from .fit_arguments import FitChecks
from .shares import has_peers, is_true_on_any, row_total

if TYPE_CHECKING:
    from ..distributed import Group


class Alone(NamedTuple):
    """The group of a process that takes all batches."""

    rank: int = 0
    size: int = 1


class BatchResult(NamedTuple):
    """The results of one batch: numbers by the names of metrics, and the rows of evaluators."""

    number: int  # of the batch, from 0
    rows: int
    numbers: dict[str, float]
    packed: dict[str, bytes]  # only if the processes take turns

    def as_json(self) -> list[Any]:
        numbers = {name: number.hex() for name, number in self.numbers.items()}  # exact, and NaN
        rows = {name: b64encode(row).decode() for name, row in self.packed.items()}
        return [self.number, self.rows, numbers, rows]

    @staticmethod
    def from_json(fields: list[Any]) -> BatchResult:
        number, rows, numbers, packed_rows = fields
        return BatchResult(
            number,
            rows,
            {name: float.fromhex(text) for name, text in numbers.items()},
            {name: b64decode(text) for name, text in packed_rows.items()},
        )


class Validation:
    """Evaluates the batches of a validation, of which each process of a group takes its turns.

    The processes exchange what the batches give, and combine it in the order of batches. So all of
    them have the bits of one process. If the state of the model changes in inference mode, or an
    evaluator is one of the user, each process evaluates all batches.
    """

    def __init__(self, step: TrainingStep, metrics: Mapping[str, Any], check: FitChecks) -> None:
        whole = step.compiled
        self._model = whole.in_inference(outputs=whole.output_keys)
        self._state, self._check, self._names = step.state, check, list(metrics)
        self._evaluators = {k: v for k, v in metrics.items() if isinstance(v, Evaluator)}
        self._metrics = {k: v for k, v in metrics.items() if k not in self._evaluators}
        for evaluator in self._evaluators.values():
            evaluator.reset()
        self._group: Group | None = whole.group if has_peers(whole.group) else None
        self._takes_turns = self._group is not None and not is_true_on_any(
            self._group,
            self._model._changes_state or not all(map(is_packable, self._evaluators.values())),
        )

    def run(
        self, params: Mapping[str, Any], data: Any, batch_size: int, keys: list[str]
    ) -> dict[str, float]:
        """Returns the means of the metrics over rows, and the results of the evaluators.

        Random numbers differ between batches. The state of the step does not change.
        """
        group: Any = self._group if self._takes_turns else Alone()
        batches = Turn(data, batch_size, keys, group)
        results = list(self._evaluated(params, batches))
        if self._takes_turns:
            results = self._exchanged(results, batches.seen)
            self._merge(results)
        rows = sum(result.rows for result in results)
        self._check.rows(rows, "batches of validation")
        totals = dict.fromkeys(self._metrics, 0.0)
        for result in results:
            for name, number in result.numbers.items():
                totals[name] += result.rows * number
        return {
            name: self._evaluators[name].compute()
            if name in self._evaluators
            else totals[name] / rows
            for name in self._names
        }

    def _evaluated(self, params: Mapping[str, Any], batches: Turn) -> Iterator[BatchResult]:
        for at, batch in batches:
            outputs, self._state = self._model.evaluate(params, batch, state=self._state)
            numbers: dict[str, float] = {}
            for name, metric in self._metrics.items():
                numbers[name] = float(metric(outputs, batch))
                if name == "validation_loss" and not self._is_right(numbers[name], at):
                    yield BatchResult(at, row_total(batch), numbers, {})
                    return
            rows = {}
            for name, evaluator in self._evaluators.items():
                if self._takes_turns:
                    evaluator.reset()
                evaluator.update({**batch, **outputs})
                if self._takes_turns:
                    rows[name] = packed(evaluator)
            yield BatchResult(at, row_total(batch), numbers, rows)

    def _is_right(self, loss: float, at: int) -> bool:
        """Returns False for a loss that all processes will refuse. ValueError E0419."""
        if self._takes_turns:
            return self._check.allow_nan or math.isfinite(loss)
        self._check.loss(loss, "validation loss", at + 1)
        return True

    def _exchanged(self, own: list[BatchResult], seen: str) -> list[BatchResult]:
        """Returns the results of all processes, in the order of batches."""
        assert self._group is not None
        self._group.agree({"the batches of validation": seen}, "fit")
        text = json.dumps([result.as_json() for result in own])
        texts = self._group._communicator.all_gather(text.encode())
        results = [BatchResult.from_json(result) for text in texts for result in json.loads(text)]
        results.sort(key=lambda result: result.number)
        for result in results:
            self._check.loss(
                result.numbers["validation_loss"], "validation loss", result.number + 1
            )
        return results

    def _merge(self, results: list[BatchResult]) -> None:
        for name, evaluator in self._evaluators.items():
            evaluator.reset()
            for result in results:
                merge_packed(evaluator, result.packed[name])


class Turn:
    """The batches that a process takes, with their numbers from 0.

    `seen` is a text about all batches that were read, which processes compare.
    """

    def __init__(self, data: Any, size: int, keys: list[str], group: Any) -> None:
        self._data, self._size, self._keys, self._group = data, size, keys, group
        self.seen = ""

    def __iter__(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        data, group = self._data, self._group
        if isinstance(data, Mapping):
            rows = row_total(data)
            self.seen = checksums(data)
            for number in range(group.rank, -(-rows // self._size), group.size):
                first = number * self._size
                yield number, {key: v[first : first + self._size] for key, v in data.items()}
        elif isinstance(data, (Batches, DataSource)):
            for count, batch in enumerate(read_turn(data, self._size, group)):
                yield group.rank + count * group.size, batch
            self.seen = repr(data)
        else:
            yield from turn_of(self._read(data), group)

    def _read(self, data: Any) -> Iterator[Mapping[str, Any]]:
        for parts in data:
            batch = named("fit", parts, self._keys)
            if self._group.size > 1:
                self.seen = checksums({"before": self.seen.encode(), **batch})
            yield batch
