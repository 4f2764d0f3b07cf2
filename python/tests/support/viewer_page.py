"""Pages of the viewer in headless Chromium."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from web_browser import Chromium

READY = """new Promise((resolve) => {
  const look = () => {
    if (document.documentElement?.dataset.ready) resolve(true);
    else setTimeout(look, 5);
  };
  look();
})"""


class ViewerPage:
    """A page that has drawn its graph."""

    def __init__(self, browser: Chromium, path: Path, fragment: str = "") -> None:
        self.browser = browser
        address = path.as_uri() + fragment
        browser.open("about:blank")
        browser.open(address)
        deadline = time.monotonic() + 60
        while browser.evaluate("location.protocol") != "file:":
            assert time.monotonic() < deadline, "the page does not load"
            time.sleep(0.01)
        browser.evaluate(READY)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, in which `page` is the page."""
        return self.browser.evaluate(
            f"(async () => {{ const page = mithrilPage; {expression} }})()"
        )

    def text(self, element: str) -> str:
        found: str = self.browser.evaluate(f'document.getElementById("{element}").innerText')
        return found

    def boxes(self, pane: str = "left") -> list[str]:
        """The paths of the boxes that are drawn."""
        found: list[str] = self.evaluate(
            f"await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);"
            f"return page.{pane}.scene.boxes.map(({{ box }}) => box.path)"
        )
        return found

    def toggle(self, path: str) -> None:
        self.evaluate(f"await page.toggle(page.active, page.active.graph.byPath.get({path!r}))")

    def key(self, name: str, text: str = "") -> None:
        self.browser.press(name, text)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.browser.screenshot())
