// The differences of two graphs.

import { countText } from "./format.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./types").NodeData} NodeData */
/** @typedef {import("./types").Mark} Mark */

/**
 * What names a node in all graphs: the name of the first value that it makes.
 * @param {Graph} graph
 * @param {NodeData} node
 */
export function identityOf(graph, node) {
  const output = node.outputs?.[0];
  return output ? graph.data.values[output[1]][0] : `${node.kind ?? "op"} ${node.name}`;
}

/**
 * What a node computes.
 * @param {Graph} graph
 * @param {NodeData} node
 */
function meaningOf(graph, node) {
  const { values } = graph.data;
  /** @param {number} value */
  const text = (value) => values[value].slice(0, 3).join(" ");
  const inputs = (node.inputs ?? []).map(([, value]) => values[value][0]);
  const parameters = (node.parameters ?? []).map(([, key]) => key);
  const outputs = (node.outputs ?? []).map(([, value]) => text(value));
  return JSON.stringify([(node.class ?? "").toLowerCase(), node.arguments ?? [], inputs, parameters, outputs]);
}

/**
 * @param {Graph} graph
 * @returns {Map<string, NodeData>}
 */
function nodesByIdentity(graph) {
  return new Map(graph.data.nodes.map((node) => [identityOf(graph, node), node]));
}

/**
 * The shown nodes of `graph` that `other` lacks, or has otherwise.
 * @param {Graph} graph
 * @param {Graph} other
 * @param {Mark} missing the mark of a node that the other lacks
 * @returns {Map<Box, Mark>}
 */
export function differences(graph, other, missing) {
  const theirs = nodesByIdentity(other);
  /** @type {Map<Box, Mark>} */
  const marks = new Map();
  graph.data.nodes.forEach((node, i) => {
    if (!graph.leaves[i]) return; // hidden
    const twin = theirs.get(identityOf(graph, node));
    if (!twin) marks.set(graph.leaves[i], missing);
    else if (meaningOf(graph, node) !== meaningOf(other, twin)) marks.set(graph.leaves[i], "changed");
  });
  return marks;
}

/**
 * How many marks of each kind a box has in it: "2 added, 1 changed".
 * @param {Map<Box, Mark>} marks
 * @returns {Map<Box, Map<Mark, number>>}
 */
export function countMarks(marks) {
  /** @type {Map<Box, Map<Mark, number>>} */
  const counts = new Map();
  for (const [leaf, mark] of marks) {
    for (const box of [leaf, ...leaf.ancestors()]) {
      const count = counts.get(box) ?? new Map();
      counts.set(box, count.set(mark, (count.get(mark) ?? 0) + 1));
    }
  }
  return counts;
}

/**
 * How many nodes differ, in words.
 * @param {Map<Box, Map<Mark, number>>} left
 * @param {Map<Box, Map<Mark, number>>} right
 */
export function comparisonText(left, right) {
  /**
   * @param {Map<Box, Map<Mark, number>>} marks
   * @param {Mark} mark
   */
  const count = (marks, mark) => {
    const leaves = [...marks].filter(([box]) => box.isLeaf);
    return countText(leaves.reduce((sum, [, counts]) => sum + (counts.get(mark) ?? 0), 0));
  };
  return `${count(right, "added")} added (+), ${count(left, "removed")} removed (−), ${count(right, "changed")} changed (~)`;
}
