"""Iteration in a thread that runs a few items ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
END: Any = object()


def prefetched(items: Generator[Item, None, None], depth: int) -> Iterator[Item]:
    """Yields the items, which a thread makes up to `depth` items ahead.

    Exceptions are raised where their item is awaited. The thread closes the items and ends before
    this generator does, also if the generator is closed early.
    """

    def make() -> Item:
        return next(items, END)

    with ThreadPoolExecutor(1, thread_name_prefix="mithril-prefetch") as worker:
        waiting = deque(worker.submit(make) for _ in range(depth))
        try:
            while (item := waiting.popleft().result()) is not END:
                waiting.append(worker.submit(make))
                yield item
        finally:
            for future in waiting:
                future.cancel()
            worker.submit(items.close).result()
