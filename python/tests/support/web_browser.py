"""Headless Chromium, started once, and folders that it loads."""

from __future__ import annotations

import atexit
import base64
import json
import os
import queue
import select
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder. What a page posts goes to the queue."""

    answers: queue.Queue[Any]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).answers.put(json.loads(body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, queue.Queue[Any]]]:
    answers: queue.Queue[Any] = queue.Queue()
    handler = type("FolderHandler", (Handler,), {"answers": answers})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", answers
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Chromium:
    """Headless, driven over pipes by the DevTools protocol: JSON that ends with a zero byte."""

    def __init__(self, profile: Path, gpu: str) -> None:
        assert CHROMIUM is not None
        given, self._write = os.pipe()
        self._read, written = os.pipe()
        options = ["--headless", "--no-sandbox", gpu, "--hide-scrollbars"]
        options += ["--disable-dev-shm-usage", "--window-size=1000,720"]
        options += ["--js-flags=--expose-gc", "--enable-precise-memory-info"]
        options += ["--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        redirected = f'exec "$0" "$@" 3<&{given} 4>&{written}'
        self._process = subprocess.Popen(
            ["bash", "-c", redirected, CHROMIUM, *options],
            pass_fds=(given, written),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(given)
        os.close(written)
        self._number = 0
        self._rest = b""
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        attach = {"targetId": page, "flatten": True}
        self._session = self.call("Target.attachToTarget", attach)["sessionId"]

    def call(self, method: str, params: Any = None, session: str | None = None) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> Any:
        while b"\0" not in self._rest:
            assert select.select([self._read], [], [], 240)[0], "chromium gives no answer"
            piece = os.read(self._read, 1 << 16)
            assert piece, "chromium has ended"
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, address: str) -> None:
        self.call("Page.navigate", {"url": address}, self._session)

    def evaluate(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression, and awaits it if it is a promise."""
        params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self.call("Runtime.evaluate", params, self._session)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """A key of the keyboard: "ArrowDown", or with the text that it types."""
        event = {"key": key, "text": text, "type": "keyDown" if text else "rawKeyDown"}
        self.call("Input.dispatchKeyEvent", event, self._session)
        self.call("Input.dispatchKeyEvent", {"key": key, "type": "keyUp"}, self._session)

    def click(self, x: float, y: float) -> None:
        event = {"x": x, "y": y, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", {**event, "type": kind}, self._session)

    @property
    def session(self) -> str:
        """The page, for calls of the protocol."""
        return str(self._session)

    def emulate(self, *, dark: bool = False, width: int = 1000, height: int = 720) -> None:
        """The colours that the user prefers, and the size of the window."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", {"features": [scheme]}, self._session)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", size, self._session)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", {}, self._session)["data"])

    def close(self) -> None:
        self.call("Browser.close")
        self._process.wait(240)
        os.close(self._write)
        os.close(self._read)


@cache
def browser(with_webgpu: bool = False) -> Chromium:
    """The browser of all tests, or that of tests with WebGPU, which it computes in software."""
    profile = tempfile.mkdtemp(prefix="mithril-chromium-")
    started = Chromium(Path(profile), "--enable-unsafe-webgpu" if with_webgpu else "--disable-gpu")

    def end() -> None:
        try:
            started.close()
        finally:
            shutil.rmtree(profile, ignore_errors=True)

    atexit.register(end)
    return started
