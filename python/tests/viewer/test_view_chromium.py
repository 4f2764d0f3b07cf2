"""What pages of the viewer show in headless Chromium. The pictures are kept in build/viewer."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from viewer_models import chain, gpt2, perceptron
from viewer_page import ViewerPage
from web_browser import browser, needs_chromium
from web_tools import ROOT

import mithril as ml

KEPT = ROOT / "build" / "viewer"
pytestmark = needs_chromium


def opened(view: ml.View, folder: Path, fragment: str = "", *, dark: bool = False) -> ViewerPage:
    path = folder / "net.html"
    view.save(path)
    browser().emulate(dark=dark, width=1200, height=800)
    return ViewerPage(browser(), path, fragment)


def test_boxes_unfold_and_fold(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    assert sorted(page.boxes()) == ["block", "head", "x", "y"]
    page.toggle("block")
    assert {"block", "block.fc1", "block.gelu", "head"} <= set(page.boxes())
    assert page.text("status") == "block unfolded: 2 boxes"
    page.save(KEPT / "unfolded.png")
    page.toggle("block")
    assert sorted(page.boxes()) == ["block", "head", "x", "y"]


def test_a_node_shows_its_arguments_parameters_and_what_stated_them(tmp_path: Path) -> None:
    net = perceptron()
    params = {"block.fc1.weight": np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)}
    page = opened(net.view(params), tmp_path, "#at=block.fc1.primitivelinear")
    details = page.text("details")
    for text in [
        "PrimitiveLinear",
        "block.fc1.primitivelinear",
        "[N, 5]",
        '5 given by set_shapes({"x": [N, 5]})',
        "weight",
        "[4, 5]",
        "20 elements from -1 to 1",
        "read by block.gelu",
    ]:
        assert text in details
    label = page.browser.evaluate(
        'document.querySelector("#details svg").getAttribute("aria-label")'
    )
    assert label.startswith("Histogram: 20 elements")
    page.save(KEPT / "details.png")


def test_a_part_shows_the_line_that_added_it(tmp_path: Path) -> None:
    line = sys._getframe().f_lineno + 2
    net = ml.Model()
    net |= ml.Linear(4, name="fc1")(input="x", output="y")
    here = f"{Path(__file__).name}:{line}"
    for path in ("fc1", "fc1.primitivelinear"):
        details = opened(net.view(), tmp_path, f"#at={path}").text("details")
        assert "added at " in details and here in details
    page = opened(net.view(), tmp_path, "#at=fc1.primitivelinear")
    page.save(KEPT / "line.png")
    loaded = ml.Model.from_json(net.to_json())
    assert "added at" not in opened(loaded.view(), tmp_path, "#at=fc1").text("details")


def test_an_edge_shows_its_value(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    page.boxes()
    at = page.evaluate(
        """const { scene, camera } = page.left;
        const { edge, origin } = scene.edges.find(({ edge }) => edge.label === "[N, 4]");
        const frame = page.left.canvas.getBoundingClientRect();
        return [frame.left + (origin.x + edge.at.x - camera.x) * camera.scale,
                frame.top + (origin.y + edge.at.y - camera.y) * camera.scale];"""
    )
    page.browser.click(*at)
    details = page.text("details")
    assert "[N, 4] float" in details
    assert "from block.gelu" in details and "read by head.primitivelinear" in details


def test_search_finds_and_jumps(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    page.key("/", "/")
    assert page.browser.evaluate("document.activeElement.id") == "search"
    for letter in "gelu":
        page.key(letter, letter)
    assert page.text("found") == "block.gelu Gelu"
    assert page.text("status") == "1 found"
    page.key("Enter")
    page.evaluate("while (!page.left.selected) await new Promise(requestAnimationFrame)")
    assert page.evaluate("return page.left.selected.path") == "block.gelu"
    assert page.browser.evaluate("location.hash") == "#at=block.gelu"
    assert "block.gelu" in page.boxes()


def test_a_link_opens_the_same_place(tmp_path: Path) -> None:
    view = perceptron().view(gradients=True)
    page = opened(view, tmp_path, "#graph=gradient")
    path = page.evaluate(
        """const paths = [...page.left.graph.byPath.keys()];
        return paths.find((each) => each.startsWith("gradient.head."));"""
    )
    page = opened(view, tmp_path, f"#graph=gradient&at={path}")
    assert page.evaluate("return page.left.graph.id") == "gradient"
    assert page.evaluate("return page.left.selected.path") == path
    assert path in page.boxes()


def test_the_tree_is_used_with_the_keyboard(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    page.evaluate("page.tree.items.get(page.tree.current).focus()")
    focused = "document.activeElement.querySelector('.name').innerText"

    def after(key: str) -> str:
        page.key(key)
        page.evaluate("await new Promise((resolve) => setTimeout(resolve, 200))")
        name: str = page.browser.evaluate(focused)
        return name

    assert page.browser.evaluate(focused) == "x"
    assert after("ArrowDown") == "block"
    expanded = "document.activeElement.getAttribute('aria-expanded')"
    assert page.browser.evaluate(expanded) == "false"
    assert after("ArrowRight") == "block"
    assert page.browser.evaluate(expanded) == "true"
    assert after("ArrowRight") == "fc1"
    assert page.browser.evaluate("document.activeElement.getAttribute('aria-level')") == "2"
    assert after("ArrowLeft") == "block"
    assert after("ArrowLeft") == "block"
    assert page.browser.evaluate(expanded) == "false"
    assert after("End") == "y"
    assert after("Home") == "x"
    page.key("Enter")
    assert page.text("details").startswith("x\n")


def test_everything_has_a_name_for_screen_readers(tmp_path: Path) -> None:
    page = opened(perceptron().view(gradients=True), tmp_path)
    tree = page.browser.call("Accessibility.getFullAXTree", {}, page.browser.session)["nodes"]
    roles: dict[str, list[str]] = {}
    for node in tree:
        if not node["ignored"]:
            name = node.get("name", {}).get("value", "")
            roles.setdefault(node["role"]["value"], []).append(name)
    assert roles["treeitem"] == ["x input", "block", "head Linear", "y output"]
    assert roles["tree"] == ["Boxes of Model"]
    assert roles["complementary"] == ["Details"]
    for role in ["button", "combobox", "searchbox", "image"]:
        assert all(roles.get(role, ["named"])), role


def test_passes_are_compared_side_by_side(tmp_path: Path) -> None:
    x = ml.IOKey("x", shape=["N", 4])
    net = ml.Model.create(y=ml.Relu()(x) + ml.Relu()(x))
    fragment = "#graph=graph&beside=graph-3-eliminate_common_subexpressions"
    page = opened(net.view(passes=True), tmp_path, fragment)
    assert page.text("status") == "0 added (+), 1 removed (\u2212), 1 changed (~)"
    marks = page.evaluate(
        "return [...page.left.marks].map(([box, counts]) => [box.path, [...counts.keys()][0]])"
    )
    assert sorted(marks) == [["add", "changed"], ["relu_1", "removed"]]
    assert page.evaluate("return page.compares")
    below_names = page.evaluate(
        """await new Promise(requestAnimationFrame);
        return page.panes().map(({ scene, camera, name }) => {
          const tops = scene.boxes.map(({ place }) => (place.y - camera.y) * camera.scale);
          return Math.min(...tops) - name.offsetTop - name.offsetHeight;
        });"""
    )
    assert min(below_names) > 0
    page.save(KEPT / "passes.png")


def test_measured_numbers_are_colours_sizes_and_texts(tmp_path: Path) -> None:
    net = perceptron()
    times = {"block.fc1": 0.003, "block.gelu": 0.0005, "head": 0.0015}
    page = opened(net.view(measured={"time": times}), tmp_path, "#at=block")
    assert "time\n3.5 ms, 70.0 %" in page.text("details")
    page.evaluate("await page.colourBy('time')")
    texts = page.evaluate(
        """await new Promise(requestAnimationFrame);
        const look = page.left.look();
        return page.left.scene.boxes.map(({ box, place }) => [
          box.path, look.heat(box)?.text, place.height,
        ]);"""
    )
    found = {path: (text, height) for path, text, height in texts}
    assert found["block"][0] == "3.5 ms, 70.0 %"
    assert found["head"][0] == "1.5 ms, 30.0 %"
    assert found["block"][1] > found["head"][1] > found["x"][1]
    page.save(KEPT / "measured.png")


NAMES = [
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    '"><svg onload="window.hacked = 3">',
    "javascript:window.hacked = 4",
    "<!--<script>",
    "\u2028${window.hacked = 5}`",
    "__proto__",
]


def test_hostile_names_are_texts(tmp_path: Path) -> None:
    net = ml.Model()
    for i, name in enumerate(NAMES):
        net |= ml.Relu(name=name)(input=f"x{name}", output=f"{i}{name}")
    page = opened(net.view(title=NAMES[0], gradients=True), tmp_path)
    page.evaluate("await page.unfoldNext()")
    for path in page.evaluate("return [...page.left.graph.byPath.keys()]"):
        page.evaluate(f"await page.open(page.left.graph.byPath.get({path!r}))")
        assert page.text("details")
    page.evaluate("await page.show('gradient', 'model')")
    svg = page.evaluate("return page.left.svg()")
    assert "<script" not in svg and "<img" not in svg
    assert page.browser.evaluate("typeof window.hacked") == "undefined"
    assert page.text("title") == NAMES[0]
    assert page.browser.evaluate("document.querySelectorAll('img, script').length") == 3


def test_the_page_asks_no_network_for_anything(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    entries = page.browser.evaluate(
        "performance.getEntriesByType('resource').map(({ name }) => name)"
    )
    assert [entry for entry in entries if not entry.startswith("blob:")] == []
    assert page.evaluate("return page.engine.worker !== null")


def test_a_notebook_shows_the_page_in_a_frame(tmp_path: Path) -> None:
    (tmp_path / "notebook.html").write_text(
        f"<!doctype html><meta charset=utf-8>{perceptron().view()._repr_html_()}", encoding="utf-8"
    )
    browser().emulate(width=1200, height=800)
    browser().open((tmp_path / "notebook.html").as_uri())
    ready = """new Promise((resolve) => {
      const look = () => {
        const inner = document.querySelector("iframe")?.contentDocument?.documentElement;
        inner?.dataset.ready ? resolve(inner.innerText) : setTimeout(look, 10);
      };
      look();
    })"""
    assert "block" in browser().evaluate(ready)


def test_svg_has_the_drawing(tmp_path: Path) -> None:
    page = opened(perceptron().view(), tmp_path)
    page.toggle("block")
    svg = page.evaluate("return page.left.svg()")
    for text in [">block<", ">fc1<", ">gelu<", ">[N, 4]<", ">x<", ">y<"]:
        assert text in svg
    assert svg.count("<path d=") >= 5


@pytest.mark.parametrize("dark", [False, True])
def test_pictures_of_gpt2(tmp_path: Path, dark: bool) -> None:
    page = opened(gpt2(layers=12).view(title="gpt2"), tmp_path, "#at=h.3.attn", dark=dark)
    page.toggle("h.3.attn")
    assert "h.3.attn.c_attn" in page.boxes()
    background = page.browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(18, 22, 28)" if dark else "rgb(251, 251, 253)")
    page.save(KEPT / f"gpt2_{'dark' if dark else 'light'}.png")


@pytest.mark.slow
def test_no_layout_of_10000_nodes_gets_more_than_500_boxes(tmp_path: Path) -> None:
    page = opened(chain(10_000).view(), tmp_path)
    page.evaluate("await page.unfoldNext()")
    assert page.evaluate("return page.engine.largest") <= 500
    assert page.evaluate("return page.left.graph.leaves.filter(Boolean).length") == 10_002
    assert page.evaluate("return page.left.layout.levels.size") > 50
