// The edges of levels, what is measured, comparisons, and search.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, fragmentOf } from "../../mithril/viewer/page/address.js";
import { comparisonText, countMarks, differences } from "../../mithril/viewer/page/compare.js";
import { measureText, numberText, shortText } from "../../mithril/viewer/page/format.js";
import { Graph } from "../../mithril/viewer/page/graph.js";
import { Heat } from "../../mithril/viewer/page/heat.js";
import { histogramText } from "../../mithril/viewer/page/histogram.js";
import { GraphLayout } from "../../mithril/viewer/page/layout.js";
import { contentsOf, MOST_LAID_OUT, requestOf } from "../../mithril/viewer/page/level.js";
import { SearchIndex } from "../../mithril/viewer/page/search.js";
import { escapeXml } from "../../mithril/viewer/page/svg.js";

const size = () => ({ width: 50, height: 40 });

// x -> block(fc -> relu) -> head -> y, and the shape of fc's result, which is a value.
const small = (change = {}) => ({
  id: "model",
  title: "Model",
  groups: [{ name: "block", class: "Model", named: true }],
  values: [
    ["x", "[N, 8]", "float", true, ["8", 0]],
    ["block.fc.output", "[N, 4]", "float", true],
    ["block.relu.output", "[N, 4]", "float", true],
    ["y", "[N, 3]", "float", true],
    ["shape.output", "(N, 4)", "tuple", false],
    ["block.fc.weight", "[4, 8]", "float", true],
  ],
  origins: ["given by set_shapes"],
  nodes: [
    { name: "x", kind: "input", outputs: [["", 0]] },
    { name: "fc", class: "Linear", group: 0, inputs: [["input", 0]], outputs: [["output", 1]], parameters: [["weight", "block.fc.weight", 5]] },
    { name: "relu", class: "Relu", group: 0, inputs: [["input", 1]], outputs: [["output", 2]] },
    { name: "shape", class: "Shape", inputs: [["input", 1]], outputs: [["output", 4]] },
    { name: "head", class: "Linear", inputs: [["input", 2]], outputs: [["output", 3]], ...change },
    { name: "y", kind: "output", inputs: [["", 3]] },
  ],
});

test("an edge joins the boxes of its level, and enters boxes at ports", () => {
  const graph = new Graph(small());
  const outer = [...graph.level(graph.root).edges.values()];
  assert.equal(outer.length, 4); // x block, block head, block shape, head y
  const block = graph.byPath.get("block");
  const inner = graph.level(block);
  assert.deepEqual([...inner.inputs], [0]);
  assert.deepEqual([...inner.outputs].sort(), [1, 2]);
  const { ports, edges } = contentsOf(graph, block);
  assert.deepEqual(ports.map(({ text }) => text), ["x", "block.fc.output", "block.relu.output"]);
  assert.equal(edges.length, 4);
});

test("nodes that compute values may be hidden", () => {
  const graph = new Graph(small(), false);
  assert.equal(graph.hidden, 1);
  assert.equal(graph.byPath.get("shape"), undefined);
  assert.deepEqual([...graph.level(graph.byPath.get("block")).outputs], [2]);
});

test("facts name what stated them", () => {
  assert.deepEqual(new Graph(small()).facts(0), [["8", "given by set_shapes"]]);
});

test("a value that many boxes read has a port at each", () => {
  const data = small();
  for (let i = 0; i < 5; ++i) data.nodes.push({ name: `r${i}`, group: 0, inputs: [["input", 0]], outputs: [] });
  const graph = new Graph(data);
  const { ports } = contentsOf(graph, graph.byPath.get("block"));
  assert.equal(ports.filter(({ isInput }) => isInput).length, 6);
});

test("many ports are one", () => {
  const data = small();
  for (let i = 0; i < 300; ++i) {
    data.values.push([`v${i}`, "[1]", "float", true]);
    data.nodes.push({ name: `x${i}`, kind: "input", outputs: [["", 6 + i]] });
    data.nodes.push({ name: `r${i}`, group: 0, inputs: [["input", 6 + i]], outputs: [] });
  }
  const graph = new Graph(data);
  graph.byPath.get("block").isOpen = true;
  for (const box of [graph.root, ...graph.byPath.values()].filter(({ isLeaf }) => !isLeaf)) {
    assert.ok(requestOf(graph, box, size).request.nodes.length <= MOST_LAID_OUT);
  }
});

test("what was measured belongs to the part, or to the value of this name", () => {
  const graph = new Graph(small());
  const heat = new Heat(graph, "time", { "block.fc": 0.003, y: 0.001, unknown: 5 });
  assert.equal(heat.total(graph.root), 0.004);
  assert.equal(heat.share(graph.byPath.get("block")), 0.75);
  assert.equal(heat.look(graph.byPath.get("head")).text, "1 ms, 25.0 %");
  assert.equal(heat.look(graph.byPath.get("block.relu")), null);
});

test("a comparison marks what was added, removed and changed", () => {
  const before = new Graph(small());
  const after = new Graph(small({ class: "Conv", outputs: [["output", 3]] }));
  const removed = small();
  removed.nodes.splice(2, 1);
  const shorter = new Graph(removed);
  const marks = (graph, other, missing) =>
    [...differences(graph, other, missing)].map(([box, mark]) => `${box.path} ${mark}`);
  assert.deepEqual(marks(before, before, "removed"), []);
  assert.deepEqual(marks(before, after, "removed"), ["head changed"]);
  assert.deepEqual(marks(before, shorter, "removed"), ["block.relu removed"]);
  const counts = countMarks(differences(before, shorter, "removed"));
  assert.equal(counts.get(before.byPath.get("block")).get("removed"), 1);
  assert.equal(comparisonText(counts, new Map()), "0 added (+), 1 removed (−), 0 changed (~)");
});

test("a comparison leaves out hidden nodes", () => {
  const without = small();
  without.nodes.splice(3, 1);
  const marks = differences(new Graph(small(), false), new Graph(without, false), "removed");
  assert.deepEqual([...marks], []);
});

test("a box that opens during a layout is laid out again", async () => {
  const graph = new Graph(small());
  const block = graph.byPath.get("block");
  const answers = [];
  const layOut = (request) => new Promise((resolve) => answers.push(() => resolve(request)));
  const layout = new GraphLayout(graph, { layOut });
  const done = layout.update();
  block.isOpen = true;
  layout.invalidate(block);
  for (let i = 0; i < 3; ++i) {
    await new Promise(setImmediate);
    answers.shift()();
  }
  await done;
  assert.deepEqual([...layout.levels.keys()], [block, graph.root]);
});

test("a histogram without finite elements names no mean", () => {
  const data = { low: 0, high: 0, mean: 0, deviation: 0, elements: 1, counted: 1, notFinite: 1, bins: [] };
  assert.equal(histogramText(data), "1 element; 1 not finite");
  assert.equal(
    histogramText({ ...data, elements: 2, counted: 2, high: 1, mean: 0.5, deviation: 0.5, notFinite: 0 }),
    "2 elements from 0 to 1; mean 0.5, deviation 0.5",
  );
});

test("search finds names, ops and shapes, the nearest names first", () => {
  const index = new SearchIndex(new Graph(small()));
  const paths = (query) => index.find(query).boxes.map(({ path }) => path);
  assert.deepEqual(paths("head"), ["head"]);
  assert.deepEqual(paths("linear"), ["block.fc", "head"]);
  assert.deepEqual(paths("[N, 3]"), ["head", "y"]);
  assert.deepEqual(paths("linear [n, 3]"), ["head"]);
  assert.deepEqual(paths("weight"), ["block.fc"]);
  assert.deepEqual(paths(""), []);
  assert.deepEqual(paths("nothing"), []);
});

test("an address returns to its place", () => {
  for (const address of [
    { graph: "model", beside: "", at: "", values: false },
    { graph: "gradient", beside: "graph-1-expand_ops", at: "h.0/~&=#", values: true },
    { graph: "model", beside: "", at: '<img src="x">', values: false },
  ]) {
    assert.deepEqual(addressOf(fragmentOf(address)), address);
  }
  assert.equal(fragmentOf({ graph: "model", beside: "", at: "", values: false }), "");
});

test("numbers have units and few digits", () => {
  assert.equal(measureText("time", 0.00123456), "1.23 ms");
  assert.equal(measureText("time", 4e-8), "40 ns");
  assert.equal(measureText("bytes", 3 * 2 ** 20), "3 MiB");
  assert.equal(measureText("bytes", 12), "12 B");
  assert.equal(measureText("calls", 12), "12");
  assert.equal(numberText(0), "0");
  assert.equal(numberText(-1234567), "-1.23e+6");
  assert.equal(shortText("abcdef", 4), "abc…");
});

test("texts in SVG are escaped", () => {
  assert.equal(escapeXml(`<a b="c">'&`), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;");
});
