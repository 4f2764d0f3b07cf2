// A graph of the page: its tree of boxes, and the edges of each level.

import { eachBox, treeOf } from "./groups.js";

/** @typedef {import("./types").GraphData} GraphData */
/** @typedef {import("./types").NodeData} NodeData */
/** @typedef {import("./groups.js").Box} Box */

/**
 * An edge of a level: from a box, or from a port of the level, to another.
 * @typedef {{from: string, to: string, values: number[]}} Edge
 */

/** The boxes, ports and edges that an open box shows. */
export class Level {
  constructor() {
    /** @type {Set<number>} */
    this.inputs = new Set(); // values that come from outside
    /** @type {Set<number>} */
    this.outputs = new Set(); // values that are read outside
    /** @type {Map<string, Edge>} */
    this.edges = new Map();
  }

  /**
   * @param {string} from
   * @param {string} to
   * @param {number} value
   */
  add(from, to, value) {
    const key = `${from}>${to}`;
    const edge = this.edges.get(key);
    if (!edge) this.edges.set(key, { from, to, values: [value] });
    else if (!edge.values.includes(value)) edge.values.push(value);
  }
}

export class Graph {
  /**
   * @param {GraphData} data
   * @param {boolean} showsValues whether nodes have boxes that make no tensor: they compute shapes
   */
  constructor(data, showsValues = true) {
    this.data = data;
    this.id = data.id;
    this.title = data.title;
    this.showsValues = showsValues;
    this.hidden = 0; // nodes without a box
    this.root = treeOf(data, (node) => this.#isShown(node));
    /** @type {Map<string, Box>} */
    this.byPath = new Map();
    /** @type {Box[]} */
    this.leaves = [];
    /** @type {Map<Box, number>} */
    this.numbers = new Map();
    eachBox(this.root, (box) => {
      this.numbers.set(box, this.numbers.size);
      if (box.parent) this.byPath.set(box.path, box);
      if (box.isLeaf) this.leaves[box.node] = box;
    });
    /** @type {number[]} the node that makes each value; -1: none */
    this.producers = data.values.map(() => -1);
    /** @type {number[][]} the nodes that read each value */
    this.consumers = data.values.map(() => []);
    data.nodes.forEach((node, i) => {
      if (!this.leaves[i]) return;
      for (const [, value] of node.outputs ?? []) this.producers[value] = i;
      for (const [, value] of node.inputs ?? []) {
        if (this.consumers[value].at(-1) !== i) this.consumers[value].push(i);
      }
    });
    /** @type {Map<Box, Level>} */
    this.levels = new Map();
    this.#connect();
  }

  /** @param {number} node */
  #isShown(node) {
    const { kind, outputs = [] } = this.data.nodes[node];
    const isHidden = !this.showsValues && !kind && outputs.every(([, value]) => !this.data.values[value][3]);
    if (isHidden) ++this.hidden;
    return !isHidden;
  }

  /** @param {Box} box */
  node(box) {
    return this.data.nodes[box.node];
  }

  /**
   * The name of a box within its level, for edges.
   * @param {Box} box
   */
  key(box) {
    return `b${this.numbers.get(box)}`;
  }

  /**
   * @param {Box} box
   * @returns {Level}
   */
  level(box) {
    let level = this.levels.get(box);
    if (!level) this.levels.set(box, (level = new Level()));
    return level;
  }

  #connect() {
    this.producers.forEach((producer, value) => {
      if (producer < 0) return;
      for (const consumer of this.consumers[value]) {
        this.#connectLeaves(this.leaves[producer], this.leaves[consumer], value);
      }
    });
  }

  /**
   * Adds an edge to each level between two leaves: where they meet, and at the ports of the boxes
   * that contain one of them.
   * @param {Box} from
   * @param {Box} to
   * @param {number} value
   */
  #connectLeaves(from, to, value) {
    const left = [from, ...from.ancestors().reverse(), this.root];
    const right = [to, ...to.ancestors().reverse(), this.root];
    while (left.length > 1 && right.length > 1 && left.at(-2) === right.at(-2)) {
      left.pop();
      right.pop();
    }
    const meeting = /** @type {Box} */ (left.at(-1));
    if (left.length > 1 && right.length > 1) {
      const [a, b] = [/** @type {Box} */ (left.at(-2)), /** @type {Box} */ (right.at(-2))];
      this.level(meeting).add(this.key(a), this.key(b), value);
    }
    for (let i = 1; i < left.length - 1; ++i) {
      this.level(left[i]).outputs.add(value);
      this.level(left[i]).add(this.key(left[i - 1]), `o${value}`, value);
    }
    for (let i = 1; i < right.length - 1; ++i) {
      this.level(right[i]).inputs.add(value);
      this.level(right[i]).add(`i${value}`, this.key(right[i - 1]), value);
    }
  }

  /**
   * The box that shows a leaf now: itself, or the outermost closed box around it.
   * @param {Box} box
   */
  shown(box) {
    return box.ancestors().find((each) => !each.isOpen) ?? box;
  }

  /**
   * The leaf that makes a value; null: it is an input of the graph without a box.
   * @param {number} value
   */
  producer(value) {
    const node = this.producers[value];
    return node < 0 ? null : this.leaves[node];
  }

  /** @param {number} value */
  readers(value) {
    return this.consumers[value].map((node) => this.leaves[node]);
  }

  /**
   * What is known about a value, and what stated it.
   * @param {number} value
   * @returns {[string, string][]}
   */
  facts(value) {
    const texts = this.data.values[value][4] ?? [];
    /** @type {[string, string][]} */
    const facts = [];
    for (let i = 0; i < texts.length; i += 2) {
      facts.push([String(texts[i]), this.data.origins[Number(texts[i + 1])]]);
    }
    return facts;
  }

  /**
   * "[N, 64] float" of a tensor, or the value itself.
   * @param {number} value
   */
  valueText(value) {
    const [, shape, dtype, isTensor] = this.data.values[value];
    return isTensor ? `${shape} ${dtype}` : shape;
  }

  /**
   * The sum of what was measured in a box.
   * @param {Box} box
   * @param {Map<number, number>} numbers by node
   */
  total(box, numbers) {
    if (box.isLeaf) return numbers.get(box.node) ?? 0;
    let sum = 0;
    eachBox(box, (each) => {
      if (each.isLeaf) sum += numbers.get(each.node) ?? 0;
    });
    return sum;
  }

  /**
   * What was measured, by node: a number belongs to the op of its path, to the node that makes the
   * value of this name, or evenly to all nodes of a group.
   * @param {Record<string, number>} measured
   * @returns {Map<number, number>}
   */
  measuredByNode(measured) {
    /** @type {Map<string, Box>} */
    const places = new Map();
    eachBox(this.root, (box) => {
      if (box.parent && box.modelPath && !places.has(box.modelPath)) places.set(box.modelPath, box);
    });
    this.producers.forEach((node, value) => {
      if (node >= 0) places.set(this.data.values[value][0], this.leaves[node]);
    });
    const numbers = new Map();
    for (const [path, number] of Object.entries(measured)) {
      const box = places.get(path);
      if (!box) continue;
      /** @type {number[]} */
      const nodes = [];
      eachBox(box, (each) => {
        if (each.isLeaf) nodes.push(each.node);
      });
      for (const node of nodes) numbers.set(node, (numbers.get(node) ?? 0) + number / nodes.length);
    }
    return numbers;
  }
}
