"""Generated modules and the page of examples/web in headless Chromium."""

from __future__ import annotations

import base64
import json
import os
import queue
import runpy
import shutil
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from web_models import CASES
from web_tools import ROOT, has_wasm, needs_wasm, web_package, write_case

CHROMIUM = shutil.which("chromium")
KEPT = ROOT / "build" / "web"
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


class Chromium:
    """Headless, driven over pipes by the DevTools protocol: JSON that ends with a zero byte."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        given, self._write = os.pipe()
        self._read, written = os.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += ["--disable-dev-shm-usage", "--window-size=1000,720"]
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
        page = next(each["targetId"] for each in targets if each["type"] == "page")
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
            piece = os.read(self._read, 1 << 16)
            assert piece, "chromium has ended"
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def open(self, address: str) -> None:
        self.call("Page.navigate", {"url": address}, self._session)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", {}, self._session)["data"])

    def close(self) -> None:
        self.call("Browser.close")
        self._process.wait(30)
        os.close(self._write)
        os.close(self._read)


def visit(folder: Path, page: str, profile: Path, screenshot: Path) -> Any:
    """What the page posts, before a screenshot."""
    with served(folder) as (address, answers):
        browser = Chromium(profile)
        try:
            browser.open(f"{address}/{page}")
            answer = answers.get(timeout=240)
            screenshot.write_bytes(browser.screenshot())
        finally:
            browser.close()
        return answer


POST = """
const post = (answer) => fetch("/answer", { method: "POST", body: JSON.stringify(answer) });
"""


@needs_chromium
def test_modules_agree_with_the_cpu_backend_in_chromium(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(ROOT / "tests" / "web" / "comparison.mjs", folder)
    targets = ["javascript", "wasm"] if has_wasm() else ["javascript"]
    names = []
    for number, name in enumerate(CASES):
        write_case(name, folder / f"{number}.safetensors")
        for target in targets:
            shutil.copytree(web_package(target, name), folder / f"{target}{number}")
            names.append([f"{target}{number}", number, f"{name}, {target}"])
    (folder / "index.html").write_text(
        f"""<script type="module">
        import {{ compare }} from "./comparison.mjs";
        {POST}
        const found = {{}};
        try {{
          for (const [folder, number, name] of {json.dumps(names)}) {{
            const file = await fetch(`${{number}}.safetensors`).then((each) => each.arrayBuffer());
            found[name] = await compare(await import(`./${{folder}}/model.mjs`), file);
          }}
        }} catch (error) {{
          found.error = error.message;
        }}
        await post(found);
        </script>"""
    )
    found = visit(folder, "index.html", tmp_path / "profile", tmp_path / "models.png")
    assert "error" not in found, found["error"]
    assert len(found) == len(CASES) * len(targets)
    for name, differences in found.items():
        assert max(differences["outputs"].values()) < 1e-5, name
        assert max(differences["gradients"].values(), default=0) < 1e-4, name


DRAW = """
import { ready } from "./page.js";
try {
  const classifier = await ready;
  const pad = document.getElementById("pad");
  const frame = pad.getBoundingClientRect();
  const event = (type, x, y) =>
    pad.dispatchEvent(new PointerEvent(type, {
      bubbles: true, clientX: frame.left + x, clientY: frame.top + y,
    }));
  const draw = (points) => {
    document.getElementById("clear").click();
    event("pointerdown", ...points[0]);
    for (const point of points) event("pointermove", ...point);
    event("pointerup", ...points.at(-1));
    return document.getElementById("answer").textContent;
  };
  const circle = Array.from({ length: 40 }, (_, i) => [
    120 + 55 * Math.cos((i * Math.PI) / 19), 120 + 80 * Math.sin((i * Math.PI) / 19),
  ]);
  const answers = [
    draw([[70, 40], [170, 40], [140, 120], [110, 200]]),
    draw(circle),
  ];
  const curve = document.getElementById("curve");
  const { data } = curve.getContext("2d").getImageData(0, 0, curve.width, curve.height);
  let [red, blue] = [0, 0];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 128 && data[i] > data[i + 2]) ++red;
    if (data[i + 3] > 128 && data[i] < data[i + 2]) ++blue;
  }
  await post({
    accuracy: classifier.testAccuracy(), answers, red, blue,
    status: document.getElementById("status").textContent,
  });
} catch (error) {
  await post({ error: error.message });
}
"""


@needs_chromium
@needs_wasm
def test_the_page_trains_and_answers_drawn_digits(tmp_path: Path) -> None:
    build = runpy.run_path(str(ROOT / "examples" / "web" / "build.py"))["build"]

    folder = tmp_path / "site"
    shutil.copytree(ROOT / "examples" / "web", folder, ignore=shutil.ignore_patterns("built"))
    build("wasm", folder / "built")
    page = (folder / "index.html").read_text()
    script = f'<script type="module">{DRAW.replace("try {", POST + "try {", 1)}</script>'
    (folder / "test.html").write_text(page.replace("</body>", script + "</body>"))
    KEPT.mkdir(parents=True, exist_ok=True)
    screenshot = KEPT / "digits.png"
    screenshot.unlink(missing_ok=True)
    found = visit(folder, "test.html", tmp_path / "profile", screenshot)
    assert "error" not in found, found["error"]
    assert found["accuracy"] > 0.95
    assert found["status"].startswith("Epoch 12 of 12")
    assert found["answers"] == ["It is a 7.", "It is a 0."]
    assert found["red"] > 400
    assert found["blue"] > 400
    image = screenshot.read_bytes()
    assert image.startswith(b"\x89PNG")
    assert struct.unpack(">I", image[16:20]) == (1000,)
