"""Iteration in a thread that runs a few items ahead."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")
END: Any = object()
HAND_OVER = 1e-4  # seconds that getting an item from another thread takes, about
INTERVAL = 0.2  # seconds after which a waiting thread looks whether the program ends


class Made(NamedTuple):
    """An item or END, or the exception in its place, and the seconds that it took."""

    item: Any
    seconds: float
    error: BaseException | None = None


class Maker(threading.Thread):
    """A thread that makes an item for each permit, until it is stopped."""

    def __init__(self, items: Iterator[Any]) -> None:
        super().__init__(name="mithril-prefetch")
        self.items = items
        self.permits: SimpleQueue[None] = SimpleQueue()
        self.made: SimpleQueue[Made] = SimpleQueue()
        self.stopped = False

    def run(self) -> None:
        """Puts items into `made`, and END or an exception as the last one."""
        item: Any = None
        while item is not END and self._is_permitted():
            began = perf_counter()
            try:
                item = next(self.items, END)
            except BaseException as error:
                item = END
                self.made.put(Made(END, 0.0, error))
            else:
                self.made.put(Made(item, perf_counter() - began))

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


def taken(maker: Maker) -> Made | None:
    """The next item of the thread; None if the thread ended before, as it does with the program."""
    while True:
        is_alive = maker.is_alive()
        try:
            return maker.made.get(timeout=INTERVAL) if is_alive else maker.made.get_nowait()
        except Empty:
            if not is_alive:
                return None


def prefetched(items: Generator[Item, None, None], depth: int) -> Iterator[Item]:
    """Yields the items, which a thread makes up to `depth` items ahead.

    A thread saves the time of the loop or that of making an item, whichever is shorter. If that is
    less than handing over an item costs, as in a loop that only reads, the loop makes the next
    items itself. Exceptions are raised where their item is awaited. The thread ends before this
    generator does, also if the generator is closed early.
    """
    maker = Maker(items)
    maker.start()
    ahead = 0  # permits whose items were not taken yet; with none the thread waits
    is_worth = True
    try:
        while True:
            made = taken(maker) if ahead else None
            if made is not None:
                item, seconds, error = made
                ahead -= 1
                if error is not None:
                    raise error
            else:
                ahead = 0
                began = perf_counter()
                item = next(items, END)
                seconds = perf_counter() - began
            if item is END:
                return
            while is_worth and ahead < depth and maker.is_alive():
                maker.permits.put(None)
                ahead += 1
            began = perf_counter()
            yield item
            is_worth = min(perf_counter() - began, seconds) > HAND_OVER
    finally:
        maker.stop()
        items.close()
