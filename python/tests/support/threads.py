"""Calls from several threads at once."""

import threading
from collections.abc import Callable
from typing import Any


def results_of_threads(count: int, call: Callable[[], Any]) -> list[Any]:
    """The results of a function that `count` threads call at the same time."""
    results: list[Any] = []
    begin = threading.Barrier(count)

    def run() -> None:
        begin.wait()
        results.append(call())

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
