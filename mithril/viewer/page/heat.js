// Boxes coloured by what was measured in them.

import { measureText } from "./format.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */

export class Heat {
  /**
   * @param {Graph} graph
   * @param {string} name "time"
   * @param {Record<string, number>} measured by path
   */
  constructor(graph, name, measured) {
    this.graph = graph;
    this.name = name;
    this.numbers = graph.measuredByNode(measured);
    this.most = [...this.numbers.values()].reduce((a, b) => Math.max(a, b), 0); // of a node
    /** @type {Map<Box, number>} */
    this.totals = new Map();
    this.whole = this.total(graph.root);
  }

  /** @param {Box} box */
  total(box) {
    let sum = this.totals.get(box);
    if (sum === undefined) this.totals.set(box, (sum = this.graph.total(box, this.numbers)));
    return sum;
  }

  /**
   * Of the whole, from 0 to 1.
   * @param {Box} box
   */
  share(box) {
    return this.whole ? this.total(box) / this.whole : 0;
  }

  /**
   * The heat of a colour, from 0 to 1, and the numbers; null: nothing was measured.
   * @param {Box} box
   */
  look(box) {
    const sum = this.total(box);
    if (!sum) return null;
    const share = box.isLeaf ? sum / this.most : this.share(box);
    return { share, text: `${measureText(this.name, sum)}, ${(100 * this.share(box)).toFixed(1)} %` };
  }
}
