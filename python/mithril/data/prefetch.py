"""Iteration in a thread that runs a few items ahead."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
END: Any = object()
HAND_OVER = 1e-4  # seconds that it takes about to get an item from another thread
INTERVAL = 0.2  # seconds after which a waiting thread looks whether the program ends


class Made(NamedTuple, Generic[Item]):
    """An item or END, or the exception in its place, and the seconds that it took."""

    item: Item
    seconds: float
    error: BaseException | None = None


def make(items: Iterator[Item]) -> Made[Item]:
    """Makes the next item."""
    began = perf_counter()
    try:
        item = next(items, END)
    except BaseException as error:
        return Made(END, 0.0, error)
    return Made(item, perf_counter() - began)


class Maker(threading.Thread):
    """A thread that makes an item for each permit, until it is stopped."""

    def __init__(self, items: Iterator[Any]) -> None:
        super().__init__(name="mithril-prefetch")
        self.items = items
        self.permits: SimpleQueue[None] = SimpleQueue()
        self.made: SimpleQueue[Made[Any]] = SimpleQueue()
        self.stopped = False

    def run(self) -> None:
        """Puts items into `made`, and END or an exception as the last one."""
        while self._is_permitted():
            made = make(self.items)
            self.made.put(made)
            if made.item is END:
                break

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
        """Ends the thread, after the item that it makes."""
        self.stopped = True
        self.permits.put(None)
        self.join()


def prefetched(items: Generator[Item, None, None], depth: int) -> Iterator[Item]:
    """Yields the items, which a thread makes up to `depth` items ahead.

    While the loop takes less time for an item than it costs to get one from a thread, as a loop
    that only reads, or an item is made in less time, the thread waits and the loop makes its items
    itself. Exceptions are raised where their item is awaited. The thread ends before this generator
    does, also if the generator is closed early.
    """
    maker = Maker(items)
    maker.start()
    ahead = 0  # permits whose items were not taken yet; with none the thread waits
    is_worth = True
    try:
        while True:
            made: Made[Item] = maker.made.get() if ahead else make(items)
            ahead = max(ahead - 1, 0)
            if made.error is not None:
                raise made.error
            if made.item is END:
                return
            for _ in range(ahead, depth if is_worth else 0):
                maker.permits.put(None)
                ahead += 1
            began = perf_counter()
            yield made.item
            is_worth = min(perf_counter() - began, made.seconds) > HAND_OVER
    finally:
        maker.stop()
        items.close()
