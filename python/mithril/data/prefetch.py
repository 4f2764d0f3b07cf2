"""Iteration in a thread that runs a few items ahead."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")
END: Any = object()
INTERVAL = 0.2  # seconds after which a waiting thread looks whether the program ends


class Raised(NamedTuple):
    """An exception in place of an item."""

    error: BaseException


class Maker(threading.Thread):
    """A thread that makes an item for each permit, until it is stopped.

    A queue of C costs a fraction of a future for each item.
    """

    def __init__(self, items: Generator[Any, None, None]) -> None:
        super().__init__(name="mithril-prefetch")
        self.items = items
        self.permits: SimpleQueue[None] = SimpleQueue()
        self.made: SimpleQueue[Any] = SimpleQueue()
        self.stopped = False
        self.error: BaseException | None = None  # of the end of the items

    def run(self) -> None:
        """Puts the items, END or an exception into `made`, and closes the items."""
        try:
            while self._is_permitted():
                item = next(self.items, END)
                self.made.put(item)
                if item is END:
                    break
        except BaseException as error:
            self.made.put(Raised(error))
        try:
            self.items.close()
        except BaseException as error:
            self.error = error

    def _is_permitted(self) -> bool:
        """Waits for a permit. Returns False if the thread is stopped or the program ends."""
        while not self.stopped:
            try:
                self.permits.get(timeout=INTERVAL)
            except Empty:
                if not threading.main_thread().is_alive():
                    return False
            else:
                return not self.stopped
        return False

    def stop(self) -> None:
        """Ends the thread, and raises the exception with which the items ended."""
        self.stopped = True
        self.permits.put(None)
        self.join()
        if self.error is not None:
            raise self.error


def prefetched(items: Generator[Item, None, None], depth: int) -> Iterator[Item]:
    """Yields the items, which a thread makes up to `depth` items ahead.

    Exceptions are raised where their item is awaited. The thread closes the items and ends before
    this generator does, also if the generator is closed early.
    """
    maker = Maker(items)
    for _ in range(depth):
        maker.permits.put(None)
    maker.start()
    try:
        while (item := maker.made.get()) is not END:
            if isinstance(item, Raised):
                raise item.error
            maker.permits.put(None)
            yield item
    finally:
        maker.stop()
