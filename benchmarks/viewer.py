"""Measures pages of the viewer in headless Chromium.

Prints the times of opening 12 layers of GPT-2 and of unfolding a block, and the longest frames
while 10,000 nodes are moved and zoomed, folded and unfolded group by group.
Usage: python benchmarks/viewer.py [--rounds N]
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import mithril as ml

if TYPE_CHECKING:
    from viewer_page import ViewerPage

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests" / "support"))

UNFOLD = """
const times = [];
for (const path of PATHS) {
  const begin = performance.now();
  await page.toggle(page.left, page.left.graph.byPath.get(path));
  await new Promise(requestAnimationFrame);
  times.push(performance.now() - begin);
}
return times;
"""

# Frames at scales from the smallest to the largest, over the middle of the drawing: zooming in,
# moving, zooming out. Returns intervals between frames, the longest time that the page itself drew
# a frame, and the most boxes of a frame.
MOVE = """
const pane = page.left;
const frame = () => new Promise(requestAnimationFrame);
const { width, height } = pane.size;
const middle = { x: width / 2, y: height / 2 };
const boxes = pane.layout.levels.get(pane.graph.root).boxes;
const { place } = boxes[Math.floor(boxes.length / 2)];
const intervals = [];
let most = 0;
pane.camera = { scale: 0.02, x: 0, y: 0 };
pane.camera.x = place.x + place.width / 2 - width / 2 / 0.02;
pane.camera.y = place.y + place.height / 2 - height / 2 / 0.02;
pane.draw();
await frame();
await frame();
const step = async (action) => {
  const begin = performance.now();
  action();
  await frame();
  intervals.push(performance.now() - begin);
  most = Math.max(most, pane.scene.boxes.length);
};
await frame();
pane.longestFrame = 0;
for (let i = 0; i < 60; ++i) {
  await step(() => pane.zoom(middle, 1.08));
  for (let k = 0; k < 4; ++k) await step(() => pane.pan(k < 2 ? 23 : -23, k % 2 ? 31 : -31));
}
for (let i = 0; i < 60; ++i) await step(() => pane.zoom(middle, 1 / 1.08));
intervals.sort((a, b) => b - a);
const [longest, second] = intervals;
return { longest, second, median: intervals[intervals.length / 2], draw: pane.longestFrame, most };
"""


def times_of_opening(path: Path, rounds: int) -> list[float]:
    from viewer_page import ViewerPage  # noqa: PLC0415
    from web_browser import browser  # noqa: PLC0415

    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        ViewerPage(browser(), path)
        times.append(1e3 * (time.perf_counter() - begin))
    return times


def moved(page: "ViewerPage") -> str:
    found = page.evaluate(MOVE)
    return (
        f"frames of at most {found['longest']:.0f} ms, then {found['second']:.0f}, median "
        f"{found['median']:.0f}; drawing takes at most {found['draw']:.0f}; "
        f"{found['most']} boxes on the screen"
    )


def wide(branches: int, nodes: int) -> ml.Model:
    """Branches beside each other, of ops in pairs: many boxes are on the screen."""
    net = ml.Model()
    for number in range(branches):
        branch = ml.Model(name=f"branch{number}")
        for i in range(nodes):
            before = "x" if i == 0 else f"v{number}_{(i - 1) // 2}"
            branch |= ml.Relu()(input=before, output=f"v{number}_{i}")
        last = f"v{number}_{nodes - 1}"
        branch.expose_keys(last)
        net |= branch(**{"x": "x", last: f"y{number}"})
    net.set_shapes(x=["N", 64])
    return net


def main() -> None:
    from viewer_models import chain, gpt2  # noqa: PLC0415
    from viewer_page import ViewerPage  # noqa: PLC0415
    from web_browser import browser  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    browser().emulate(width=1400, height=900)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net.html")
        begin = time.perf_counter()
        gpt2().view().save(path)
        print(f"12 layers of GPT-2: page of {path.stat().st_size / 1e3:.0f} kB,", end=" ")
        print(f"written with the model in {1e3 * (time.perf_counter() - begin):.0f} ms")
        times = times_of_opening(path, rounds)
        print(f"  open: median {statistics.median(times):.0f} ms, most {max(times):.0f} ms")
        unfold = UNFOLD.replace("PATHS", '["h", "h.3", "h.3.attn", "h.7"]')
        times = [round(each) for each in ViewerPage(browser(), path).evaluate(unfold)]
        print(f"  unfold h, h.3, h.3.attn, h.7: {times} ms")
        for name, model in {"a chain": chain(10_000), "100 branches": wide(100, 100)}.items():
            model.view().save(path)
            print(f"10,000 nodes, {name}: page of {path.stat().st_size / 1e6:.1f} MB")
            times = times_of_opening(path, rounds)
            print(f"  open: median {statistics.median(times):.0f} ms, most {max(times):.0f} ms")
            page = ViewerPage(browser(), path)
            print(f"  folded: {moved(page)}")
            groups = "page.left.graph.root.children.filter((box) => !box.isLeaf)"
            unfold = UNFOLD.replace("PATHS", f"{groups}.map((box) => box.path)")
            times = page.evaluate(unfold)
            print(
                f"  unfold {len(times)} groups: median {statistics.median(times):.0f} ms,", end=" "
            )
            print(f"most {max(times):.0f} ms")
            print(f"  unfolded: {moved(page)}")
            print(f"  boxes of the largest layout: {page.evaluate('return page.engine.largest')}")


if __name__ == "__main__":
    main()
