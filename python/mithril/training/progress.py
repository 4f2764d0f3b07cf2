"""A progress bar for training loops."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

from .._core import wrong_argument
from .._internal.arguments import checked

_WIDTH = 20


class ProgressBar:
    """Shows the progress of a training loop: numbers, speed and the time left.

    It uses tqdm if it is installed. `fit` shows its own bar.

    Args:
        total: number of samples, tokens or steps of the whole loop. None if it is unknown.
        label: text before the bar.
        unit: name of what is counted.
        leave: whether the bar stays after the end.
        shown: False shows nothing.

    Example:
        with ml.ProgressBar(total=3 * 8) as bar:
            for _ in range(3):
                loss = step(params, data)["loss"]
                bar.advance(8, loss=loss, lr=optimizer.lr)

    See docs/semantics.md.
    """

    @checked
    def __init__(
        self,
        total: int | None = None,
        *,
        label: str = "",
        unit: str = "samples",
        leave: bool = True,
        shown: bool = True,
    ) -> None:
        if total is not None and (isinstance(total, bool) or not isinstance(total, int)):
            wrong_argument("ProgressBar", "total", "an int or None", total)
        for name, text in (("label", label), ("unit", unit)):
            if not isinstance(text, str):
                wrong_argument("ProgressBar", name, "a string", text)
        for name, flag in (("leave", leave), ("shown", shown)):
            if not isinstance(flag, bool):
                wrong_argument("ProgressBar", name, "True or False", flag)
        self.count = 0  # of all steps
        self._total, self._label, self._unit = total, label, unit
        self._leave, self._shown = leave, shown
        self._numbers: dict[str, float] = {}  # of the last step
        self._began, self._next_draw, self._drawn = time.perf_counter(), 0.0, 0
        self._bar: Any = None
        if shown:
            try:
                tqdm: Any = importlib.import_module("tqdm.auto").tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, desc=label or None, unit=f" {unit}", leave=leave)

    def advance(self, count: int, /, **numbers: Any) -> None:
        """Advances the bar by `count` units, and shows the numbers.

        Args:
            count: number of units since the last call.
            numbers: floats, or arrays of size 1.

        Raises:
            TypeError: If a number is neither a float nor an array of one element.

        Example:
            with ml.ProgressBar(total=8, leave=False) as bar:
                bar.advance(8, loss=0.5)
            assert bar.count == 8
        """
        self.count += count
        if not self._shown:
            return
        self._numbers = {key: float(number) for key, number in numbers.items()}
        if self._bar is not None:
            self._bar.set_postfix(self._numbers, refresh=False)
            self._bar.update(count)
        elif time.perf_counter() >= self._next_draw:
            self._draw()

    def rate(self) -> float:
        """Returns the units per second since the bar was made.

        Example:
            bar = ml.ProgressBar(shown=False)
            bar.advance(8)
            assert bar.rate() > 0
        """
        return self.count / (time.perf_counter() - self._began)

    def close(self) -> None:
        """Draws the bar a last time, or removes it if `leave` is False.

        Example:
            bar = ml.ProgressBar(total=8, leave=False)
            bar.advance(8)
            bar.close()
        """
        if self._bar is not None:
            self._bar.close()
        elif self._shown and self._leave:
            self._draw()
            print(file=sys.stderr, flush=True)
        elif self._shown:
            print("\r" + " " * self._drawn + "\r", end="", file=sys.stderr, flush=True)
        self._shown, self._bar = False, None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _draw(self) -> None:
        text, left = f"{self._label}: " if self._label else "", ""
        if self._total:
            done = min(1.0, self.count / self._total)
            text += f"{100 * done:3.0f}% [{'=' * int(done * _WIDTH):<{_WIDTH}}] "
            seconds = time.perf_counter() - self._began
            left = f", {seconds * (1 - done) / done:.0f} s left" if self.count else ""
        text += "".join(f"{key} {number:.4g}, " for key, number in self._numbers.items())
        text += f"{self.rate():.4g} {self._unit}/s{left}"
        print("\r" + text.ljust(self._drawn), end="", file=sys.stderr, flush=True)
        self._drawn, self._next_draw = len(text), time.perf_counter() + 0.1
