"""The group of the processes that a launcher, such as torchrun, has started."""

from __future__ import annotations

import os
import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import Any

from .. import _core
from .._internal.arguments import checked_kinds
from ..backends.torch_library import import_torch, require_torch
from .group import Group

# What torchrun sets, and each launcher for torch.
VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")

current: Group | None = None  # the group of the last call of `init`
_is_quoting = False


@checked_kinds
def init(
    group: Any = None,
    timeout: float = 60.0,
    start_timeout: float = 600.0,
    share_gpus: bool = False,
) -> Group:
    """Joins the group of the processes that run this program.

    Under torchrun these are all processes of the job, which exchange tensors by gloo. Without a
    launcher the process is alone: the same program runs, and torch is not imported.

    Args:
        group: a process group of torch.distributed that exchanges tensors on the CPU. None: the
            group of the job.
        timeout: how long one collective may take, in seconds.
        start_timeout: how long the processes may take to find each other, in seconds.
        share_gpus: whether several processes may train on one GPU. Otherwise `ml.compile` refuses
            it. NCCL does not support it.

    Raises:
        DistributedError: If the variables of the launcher are incomplete, torch has no gloo, the
            group has no transport for the CPU or exchanges by NCCL and share_gpus is set, or the
            processes did not find each other.
        BackendError: If torch or the library of the torch backend is not installed.

    Example:
        group = ml.distributed.init()
        print(f"process {group.rank} of {group.size}")

    See docs/distributed.md.
    """
    global current  # noqa: PLW0603 - the functions of this module use the group of the process
    if isinstance(group, Group):
        current = group
    elif group is not None:
        current = _of_torch(group, timeout, share_gpus)
    elif not _is_joined() and _is_alone():
        current = Group(_core._single_process())
    else:
        current = _of_torch(_group_of_job(timeout, start_timeout), timeout, share_gpus)
    if current.size > 1:
        _quote_last_exception()
    return current


def _quote_last_exception() -> None:
    """Lets the other processes quote the exception that ends the program, if one does."""
    global _is_quoting  # noqa: PLW0603 - once in a process
    if _is_quoting:
        return
    _is_quoting = True
    print_exception = sys.excepthook

    def quote(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if current is not None and not isinstance(error, _core.DistributedError):
            current.abandon(error)
        print_exception(kind, error, trace)

    sys.excepthook = quote


def _is_joined() -> bool:
    """Returns whether the user has made a group of several processes, without importing torch."""
    dist = sys.modules.get("torch.distributed")
    if dist is None or not dist.is_available() or not dist.is_initialized():
        return False
    return bool(dist.get_world_size() > 1)


def _is_alone() -> bool:
    given = [name for name in VARIABLES if name in os.environ]
    if "RANK" not in given and "WORLD_SIZE" not in given:
        return True
    missing = [name for name in VARIABLES if name not in given]
    if missing:
        _core.raise_error(
            "DistributedError",
            "E0965",
            f"init: the variables of the launcher are incomplete: {', '.join(missing)}",
            facts=[("set", ", ".join(given)), ("missing", ", ".join(missing))],
            help="start the program with torchrun, or unset RANK and WORLD_SIZE to run it alone",
        )
    return os.environ["WORLD_SIZE"] == "1"


def _of_torch(group: Any, timeout: float, share_gpus: bool) -> Group:
    if not isinstance(getattr(group, "group_name", None), str):
        _core.wrong_argument("init", "group", "a process group of torch.distributed", group)
    import_torch()
    if share_gpus:
        _check_sharing(group)
    return Group(_core._torch_communicator(group.group_name, timeout, share_gpus))


def _check_sharing(group: Any) -> None:
    import torch.distributed as dist  # noqa: PLC0415 - one process needs no torch

    transports = dist.get_backend_config(group)  # "cpu:gloo,cuda:nccl"
    if "nccl" in transports:
        _core.raise_error(
            "DistributedError",
            "E0974",
            "init: processes that exchange by NCCL cannot share a GPU",
            facts=[("transports", transports)],
            help="leave out share_gpus, or make the group with gloo",
        )


def _group_of_job(timeout: float, start_timeout: float) -> Any:
    """Returns the default group of torch, which this makes unless the user has."""
    require_torch("ml.distributed.init")
    import torch.distributed as dist  # noqa: PLC0415 - one process needs no torch

    if not dist.is_available() or not dist.is_gloo_available():
        _core.raise_error(
            "DistributedError",
            "E0968",
            "init: this torch has no gloo",
            help="install a torch that has it: those of pip for Linux and macOS have",
        )
    if not dist.is_initialized():
        _start(dist, start_timeout)
        _set_timeout(dist, timeout)
    return dist.group.WORLD


def _start(dist: Any, start_timeout: float) -> None:
    limit = timedelta(seconds=start_timeout)
    # Restarted processes share the store with those before them, whose addresses are in it.
    prefix = f"mithril/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"
    try:
        store, rank, size = next(dist.rendezvous("env://", timeout=limit))
        store = dist.PrefixStore(prefix, store)
        end = time.monotonic() + start_timeout
        _wait_for_all(store, rank, size, end)
        # gloo waits for a connection five times as long as its timeout says.
        left = timedelta(seconds=max(end - time.monotonic(), 0.005) / 5)
        dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=left)
    except (RuntimeError, ValueError, OSError) as error:  # the errors of torch's stores
        text = str(error).split("\n", maxsplit=1)[0]
        _core.raise_error(
            "DistributedError",
            "E0969",
            "init: the processes did not find each other",
            facts=[
                ("here", f"process {os.environ['RANK']} of {os.environ['WORLD_SIZE']}"),
                ("at", f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"),
                ("why", text),
            ],
            help="look for a process that has ended, or pass a longer start_timeout",
        )


def _wait_for_all(store: Any, rank: int, size: int, end: float) -> None:
    """Returns when each process of the group has called this. `end`: of `time.monotonic`.

    Waits of the store do not end when Python gets a signal, such as that of Ctrl-C.
    """
    keys = [f"came/{each}" for each in range(size)]
    store.set(keys[rank], "1")
    while not store.check(keys):
        if time.monotonic() >= end:
            store.wait(keys, timedelta(milliseconds=1))  # raises
        time.sleep(0.01)


def _set_timeout(dist: Any, timeout: float) -> None:
    """Sets the timeout of collectives, which was that of the start."""
    dist.distributed_c10d._set_pg_timeout(timedelta(seconds=timeout), dist.group.WORLD)
