// Lays graphs out: each open box alone, in a worker, and only where something has changed.

import { closedSize, HEADER, laidOut, PADDING, requestOf } from "./level.js";
import { textWidth } from "./format.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./level.js").LaidOut} LaidOut */
/** @typedef {import("./level.js").Share} Share */
/** @typedef {import("./types").LayoutRequest} LayoutRequest */

/** Calls the library, in a worker if the page may have one. */
export class LayoutEngine {
  /**
   * @param {string} script the text of the library and of worker.js
   * @param {(request: LayoutRequest) => LayoutRequest} here lays out in this thread
   */
  constructor(script, here) {
    this.here = here;
    this.calls = 0;
    this.largest = 0; // boxes of a call
    /** @type {Map<string, Promise<LayoutRequest>>} */
    this.known = new Map();
    /** @type {Map<number, {resolve: (answer: LayoutRequest) => void, reject: (error: Error) => void, request: LayoutRequest}>} */
    this.waiting = new Map();
    this.worker = this.#start(script);
  }

  /** @param {string} script */
  #start(script) {
    try {
      const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
      const worker = new Worker(address);
      worker.onmessage = ({ data }) => {
        const call = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if (data.error) call?.reject(new Error(data.error));
        else call?.resolve(data.result);
      };
      // Where frames may have no workers, the script does not load.
      worker.onerror = () => {
        this.worker = null;
        for (const { resolve, request } of this.waiting.values()) resolve(this.here(request));
        this.waiting.clear();
      };
      return worker;
    } catch {
      return null;
    }
  }

  /**
   * @param {LayoutRequest} request
   * @returns {Promise<LayoutRequest>}
   */
  layOut(request) {
    const key = JSON.stringify(request);
    const known = this.known.get(key);
    if (known) return known;
    this.largest = Math.max(this.largest, request.nodes.length);
    const id = ++this.calls;
    const worker = this.worker;
    const answer = worker
      ? new Promise((resolve, reject) => {
          this.waiting.set(id, { resolve, reject, request });
          worker.postMessage({ id, request });
        })
      : Promise.resolve(this.here(request));
    this.known.set(key, answer);
    return answer;
  }
}

/** The layout of a graph with its open boxes. */
export class GraphLayout {
  /**
   * @param {Graph} graph
   * @param {LayoutEngine} engine
   */
  constructor(graph, engine) {
    this.graph = graph;
    this.engine = engine;
    /** @type {Share} */
    this.share = () => 0;
    /** @type {Map<Box, LaidOut>} */
    this.levels = new Map();
    this.changes = 0; // how often levels were invalidated
  }

  /**
   * After a box was opened or closed.
   * @param {Box} box
   */
  invalidate(box) {
    ++this.changes;
    for (let each = /** @type {Box | null} */ (box); each; each = each.parent) this.levels.delete(each);
  }

  invalidateAll() {
    ++this.changes;
    this.levels.clear();
  }

  /** @param {Box} box */
  sizeOf(box) {
    const level = box.isOpen ? this.levels.get(box) : undefined;
    if (!level) return closedSize(this.graph, box, this.share);
    return {
      width: Math.max(level.width + 2 * PADDING, textWidth(box.name, 13) + textWidth(box.className, 11) + 50),
      height: level.height + HEADER + 2 * PADDING,
    };
  }

  /**
   * Lays out what has changed.
   * @param {Box} [box]
   * @returns {Promise<void>}
   */
  async update(box = this.graph.root) {
    while (!this.levels.has(box)) {
      const change = this.changes;
      await Promise.all(box.children.filter((child) => child.isOpen).map((child) => this.update(child)));
      const asked = requestOf(this.graph, box, (child) => this.sizeOf(child));
      const answer = await this.engine.layOut(asked.request);
      // Boxes that were opened or closed meanwhile have other sizes.
      if (change === this.changes) this.levels.set(box, laidOut(this.graph, box, asked, answer));
    }
  }
}
