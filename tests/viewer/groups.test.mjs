// The tree of boxes: parts, components of names, runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { componentsOf, eachBox, MOST_BOXES, treeOf } from "../../mithril/viewer/page/groups.js";

const graphOf = (nodes, groups = []) => ({ id: "g", title: "G", groups, values: [], origins: [], nodes });
const names = (box) => box.children.map((child) => child.name);
const find = (root, path) => {
  let found = null;
  eachBox(root, (box) => {
    if (box.path === path) found = box;
  });
  return found;
};

test("parts are boxes in the boxes of the parts that contain them", () => {
  const root = treeOf(
    graphOf(
      [{ name: "x", kind: "input" }, { name: "relu", class: "Relu", group: 1 }, { name: "add", class: "Add", group: 0 }],
      [{ name: "block", class: "Model" }, { name: "act", class: "Activation", parent: 0 }],
    ),
  );
  assert.deepEqual(names(root), ["x", "block"]);
  assert.equal(find(root, "block.act.relu").className, "Relu");
  assert.equal(find(root, "block.act.relu").modelPath, "block.act.relu");
  assert.equal(find(root, "block").size, 2);
});

test("a group without nodes has no box", () => {
  const root = treeOf(graphOf([{ name: "a" }], [{ name: "empty", class: "Model" }]));
  assert.deepEqual(names(root), ["a"]);
});

test("components of names are groups", () => {
  assert.deepEqual(componentsOf("h.0.attn"), ["h", "0", "attn"]);
  assert.deepEqual(componentsOf("/encoder/layer.0/MatMul"), ["encoder", "layer.0", "MatMul"]);
  assert.deepEqual(componentsOf("..."), ["..."]);
  const nodes = ["h.0.ln", "h.0.fc", "h.1.ln", "h.1.fc", "head"].map((name) => ({ name, named: true }));
  const root = treeOf(graphOf(nodes));
  assert.deepEqual(names(root), ["h", "head"]);
  assert.deepEqual(names(find(root, "h")), ["0", "1"]);
  assert.deepEqual(names(find(root, "h.1")), ["ln", "fc"]);
});

test("a node without a name is where the named ones around it both are", () => {
  const nodes = [
    { name: "h.0.fc", named: true },
    { name: "gelu" },
    { name: "h.0.proj", named: true },
    { name: "add" },
    { name: "h.1.fc", named: true },
    { name: "h.1.proj", named: true },
    { name: "softmax" },
  ];
  const root = treeOf(graphOf(nodes));
  assert.deepEqual(names(find(root, "h.0")), ["fc", "gelu", "proj"]);
  assert.deepEqual(names(find(root, "h")), ["0", "add", "1"]);
  assert.deepEqual(names(root), ["h", "softmax"]);
});

test("a group of one box takes its place", () => {
  const root = treeOf(graphOf([{ name: "a.b.c", named: true }, { name: "d", named: true }]));
  assert.deepEqual(names(root), ["a.b.c", "d"]);
  assert.equal(root.children[0].path, "a.b.c");
});

test("no level has more boxes than the limit", () => {
  for (const count of [0, 1, MOST_BOXES, MOST_BOXES + 1, 10000, 70000]) {
    const root = treeOf(graphOf(Array.from({ length: count }, (_, i) => ({ name: `relu_${i}` }))));
    let leaves = 0;
    eachBox(root, (box) => {
      assert.ok(box.children.length <= MOST_BOXES, `${box.children.length} boxes`);
      leaves += Number(box.isLeaf);
    });
    assert.equal(leaves, count);
  }
});

test("many inputs and outputs are groups", () => {
  const nodes = [];
  for (let i = 0; i < 120; ++i) nodes.push({ name: `x${i}`, kind: "input" });
  for (let i = 0; i < 51; ++i) nodes.push({ name: `y${i}`, kind: "output" });
  const root = treeOf(graphOf(nodes));
  assert.deepEqual(names(root), ["inputs 1 to 120", "outputs 1 to 51"]);
});

test("equal names get different paths", () => {
  const root = treeOf(graphOf([{ name: "a" }, { name: "a" }, { name: "a" }]));
  assert.deepEqual(root.children.map((box) => box.path), ["a", "a~2", "a~3"]);
});

test("nodes that are not shown have no box", () => {
  const root = treeOf(graphOf([{ name: "a" }, { name: "b" }]), (node) => node !== 0);
  assert.deepEqual(names(root), ["b"]);
});
