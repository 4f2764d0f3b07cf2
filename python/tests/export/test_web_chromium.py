"""Generated modules and the page of examples/web in headless Chromium."""

from __future__ import annotations

import json
import runpy
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from processes import environment
from web_browser import browser, needs_chromium, served
from web_models import CASES
from web_tools import ROOT, has_wasm, needs_wasm, web_package, write_case

KEPT = ROOT / "build" / "web"


def visit(folder: Path, page: str, screenshot: Path) -> Any:
    """Returns what the page posts, and then takes a screenshot."""
    with served(folder) as (address, answers):
        browser().open(f"{address}/{page}")
        answer = answers.get(timeout=240)
        screenshot.write_bytes(browser().screenshot())
        return answer


POST = """
const post = (answer) => fetch("/answer", { method: "POST", body: JSON.stringify(answer) });
"""


@needs_chromium
@pytest.mark.slow
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
    found = visit(folder, "index.html", tmp_path / "models.png")
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
@pytest.mark.slow
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
    found = visit(folder, "test.html", screenshot)
    assert "error" not in found, found["error"]
    assert found["accuracy"] > 0.95
    assert found["status"].startswith("Epoch 12 of 12")
    assert found["answers"] == ["It is a 7.", "It is a 0."]
    assert found["red"] > 400
    assert found["blue"] > 400
    image = screenshot.read_bytes()
    assert image.startswith(b"\x89PNG")
    assert struct.unpack(">I", image[16:20]) == (1000,)


@needs_chromium
@needs_wasm
@pytest.mark.slow
def test_the_benchmark_of_web_modules_runs() -> None:
    command = [
        sys.executable,
        ROOT / "benchmarks" / "web" / "run.py",
        "--chromium",
        "--rounds",
        "1",
    ]
    workload = "MLP 64-256-10, batch 32"
    run = subprocess.run(
        [*command, workload], env=environment(), stdout=subprocess.PIPE, text=True, check=True
    )
    name, *times = run.stdout.splitlines()[-1].strip("| ").split(" | ")
    assert name == workload
    assert len(times) == 5 and all(float(time) > 0 for time in times)
