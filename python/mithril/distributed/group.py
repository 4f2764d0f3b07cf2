"""A group of processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from .._core import wrong_argument
from .._internal.arguments import checked, checked_kinds
from ..data.shares import RowsOfProcess, bounds, checksums
from .buffers import bytes_of, described, flat, in_form_of, is_torch, items_of, like


class Group:
    """The processes that run one program together. `init` makes it.

    All processes call the same methods in the same order. Arrays are arrays of NumPy or tensors of
    torch. Results are new arrays.

    Attributes:
        rank: the number of this process, from 0.
        size: the number of processes.
        name: the name of the group, by which graphs find it.

    Example:
        group = ml.distributed.init()
        total = group.all_reduce(np.array(group.rank))

    See docs/distributed.md.
    """

    @checked
    def __init__(self, communicator: _core._Communicator) -> None:
        if not isinstance(communicator, _core._Communicator):
            wrong_argument("Group", "communicator", "what ml.distributed.init makes", communicator)
        self._communicator = communicator
        self.rank = communicator.rank
        self.size = communicator.size
        self.name = communicator.name

    def __repr__(self) -> str:
        return f"Group(rank={self.rank}, size={self.size}, name={self.name!r})"

    @checked_kinds
    def all_reduce(self, arrays: Any, reduction: str = "sum") -> Any:
        """Returns the sums of the arrays of all processes, element by element.

        Args:
            arrays: an array, or a dict of arrays, which are exchanged together.
            reduction: "sum", "max" or "min".

        Raises:
            DistributedError: If a process has failed or is too slow, or the processes pass arrays
                of other names, shapes or dtypes.
            ValueError: If the reduction is unknown, or bools are to be added.

        Example:
            group = ml.distributed.init()
            total = group.all_reduce({"loss": np.array(0.5), "rows": np.array(8)})
        """
        items = items_of("all_reduce", arrays)
        entries = [(name, described(array)) for name, array in items.items()]
        self._communicator.agree("all_reduce", [("reduction", reduction), *entries])
        made = dict(items)
        for same in _by_dtype(items):
            elements = flat([items[name] for name in same])
            dtype = described(elements).split("[", maxsplit=1)[0]
            self._communicator.all_reduce(bytes_of(elements), dtype, reduction)
            begin = 0
            for name in same:
                shape = items[name].shape
                end = begin + int(np.prod(shape, dtype=np.int64))
                made[name] = like(elements[begin:end], items[name], shape)
                begin = end
        return in_form_of(arrays, made)

    @checked_kinds
    def all_gather(self, array: Any) -> list[Any]:
        """Returns the arrays of all processes, by rank. Their shapes may differ.

        Raises:
            DistributedError: If a process has failed or is too slow, or the dtypes differ.

        Example:
            group = ml.distributed.init()
            assert len(group.all_gather(data["x"])) == group.size
        """
        if isinstance(array, Mapping):
            wrong_argument("all_gather", "array", "one array", array)
        (mine,) = items_of("all_gather", array).values()
        elements = flat([mine])
        dtype = described(elements).split("[", maxsplit=1)[0]
        self._communicator.agree("all_gather", [("dtype", dtype)])
        header = json.dumps(list(mine.shape)).encode()
        shapes = [json.loads(text) for text in self._communicator.all_gather(header)]
        parts = self._communicator.all_gather(bytes_of(elements).tobytes())
        return [_from_bytes(part, mine, shape) for part, shape in zip(parts, shapes, strict=True)]

    @checked_kinds
    def broadcast(self, arrays: Any, root: int = 0) -> Any:
        """Returns the arrays of process `root` on all processes.

        Args:
            arrays: an array, or a dict of arrays, with the same shapes and dtypes on all processes.
            root: the rank of the process whose arrays are returned.

        Raises:
            DistributedError: If a process has failed or is too slow, or the processes pass arrays
                of other names, shapes or dtypes.

        Example:
            group = ml.distributed.init()
            params = group.broadcast(params)
        """
        items = items_of("broadcast", arrays)
        entries = [(name, described(array)) for name, array in items.items()]
        self._communicator.agree("broadcast", [("root", str(root)), *entries])
        if not 0 <= root < self.size:
            wrong_argument("broadcast", "root", f"a rank from 0 to {self.size - 1}", root)
        made = {}
        for name, array in items.items():
            elements = flat([array])
            self._communicator.broadcast(bytes_of(elements), root)
            made[name] = like(elements, array, array.shape)
        return in_form_of(arrays, made)

    @checked_kinds
    def barrier(self) -> None:
        """Returns when every process has called it.

        Raises:
            DistributedError: If a process has failed or is too slow.

        Example:
            ml.distributed.init().barrier()
        """
        self._communicator.barrier()

    @checked_kinds
    def rows(
        self, batch: Mapping[str, Any], replicated_keys: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        """Returns the rows of a batch that this process computes, for loops of your own.

        Of B rows process r of n has those from B * r // n up to B * (r + 1) // n, as views. No row
        is padded, dropped or repeated, and a process may have none. `fit` takes the rows as they
        are, and does not divide them again.

        Args:
            batch: a dict of arrays [B, ...], the same on all processes.
            replicated_keys: inputs that each process gets whole, as in `ml.compile`. Scalars are
                whole, too.

        Raises:
            TypeError: If the batch is not a dict.

        Example:
            group = ml.distributed.init()
            step(params, group.rows(data))
        """
        if not isinstance(batch, Mapping):
            wrong_argument("rows", "batch", "a dict of arrays", batch)
        if self.size == 1 or isinstance(batch, RowsOfProcess):
            return batch
        rows = {
            key: shape[0]
            for key, value in batch.items()
            if (shape := np.shape(value)) and key not in replicated_keys
        }
        parts = {key: batch[key][slice(*bounds(count, self))] for key, count in rows.items()}
        total = next(iter(rows.values()), 1)
        return RowsOfProcess({**batch, **parts}, total, self, partial(checksums, batch))

    @checked
    def abandon(self, reason: str | BaseException) -> None:
        """Breaks the group, because this process cannot go on.

        The other processes get a DistributedError that quotes the reason, in the collective that
        they wait for or in their next one. So does this process, if it uses the group again.
        Training steps and `fit` call it when they raise an exception, and so does the end of a
        program by an exception.

        Args:
            reason: a text, or the exception.

        Example:
            group = ml.distributed.init()
            if not np.isfinite(data["x"]).all():
                group.abandon("the data has NaN")
        """
        if isinstance(reason, BaseException):
            name = "" if str(reason).startswith("mithril.") else f"{type(reason).__name__}: "
            reason = f"{name}{reason}"
        if not isinstance(reason, str):
            wrong_argument("abandon", "reason", "a text or an exception", reason)
        self._communicator.abandon(reason.encode("utf-8", "replace").decode())

    @checked_kinds
    def agree(self, what: str | Mapping[str, Any], subject: str = "agree") -> None:
        """Checks that all processes pass the same.

        Args:
            what: a text, or texts by name. Other values are compared by their `repr`.
            subject: what the message begins with.

        Raises:
            DistributedError: If the processes differ. It is raised on all of them, and names the
                first difference.

        Example:
            ml.distributed.init().agree({"batch size": 32, "seed": 1})
        """
        entries = what if isinstance(what, Mapping) else {"text": what}
        texts = [
            (str(name), value if isinstance(value, str) else repr(value))
            for name, value in entries.items()
        ]
        self._communicator.agree(subject, texts)


def _by_dtype(items: dict[str, Any]) -> list[list[str]]:
    """Returns the names of the items of each dtype and library, in the order of the items."""
    groups: dict[Any, list[str]] = {}
    for name, array in items.items():
        groups.setdefault((is_torch(array), array.dtype), []).append(name)
    return list(groups.values())


def _from_bytes(part: bytes, array: Any, shape: list[int]) -> Any:
    if not is_torch(array):
        return np.frombuffer(part, array.dtype.newbyteorder("=")).reshape(shape).copy()
    import torch  # noqa: PLC0415 - the array is a tensor of torch

    elements = torch.frombuffer(bytearray(part), dtype=array.dtype) if part else array.new_empty(0)
    return elements.reshape(shape).to(array.device)
