// A drawing of one graph: what it shows, and how it is moved.

import { Painter } from "./canvas.js";
import { GraphLayout } from "./layout.js";
import { itemAt, placeOf, sceneOf } from "./scene.js";
import { svgOf } from "./svg.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./canvas.js").Look} Look */
/** @typedef {import("./layout.js").LayoutEngine} LayoutEngine */
/** @typedef {import("./types").Camera} Camera */
/** @typedef {import("./types").Mark} Mark */
/** @typedef {import("./types").Point} Point */

const MOST_SCALE = 3;

/**
 * What a pane tells the page.
 * @typedef {{
 *   selectBox: (pane: Pane, box: Box | null) => void,
 *   selectValues: (pane: Pane, values: number[]) => void,
 *   toggle: (pane: Pane, box: Box) => Promise<void>,
 *   zoomed: (pane: Pane, at: Point, factor: number) => void,
 *   panned: (pane: Pane, dx: number, dy: number) => void,
 *   colours: () => Record<string, string>,
 * }} PaneActions
 */

export class Pane {
  /**
   * @param {HTMLElement} holder with a canvas
   * @param {LayoutEngine} engine
   * @param {PaneActions} actions
   */
  constructor(holder, engine, actions) {
    this.holder = holder;
    this.engine = engine;
    this.actions = actions;
    this.canvas = /** @type {HTMLCanvasElement} */ (holder.querySelector("canvas"));
    this.painter = new Painter(this.canvas);
    /** @type {Camera} */
    this.camera = { x: 0, y: 0, scale: 1 };
    /** @type {Graph | null} */
    this.graph = null;
    /** @type {Map<Graph, GraphLayout>} */
    this.layouts = new Map();
    /** @type {Box | null} */
    this.selected = null;
    /** @type {Set<Box>} */
    this.related = new Set();
    /** @type {object | null} */
    this.selectedEdge = null;
    /** @type {Map<Box, Map<Mark, number>>} */
    this.marks = new Map();
    /** @type {Look["heat"]} */
    this.heat = null;
    /** @type {(box: Box) => number} */
    this.share = () => 0;
    /** @type {import("./scene.js").Scene} */
    this.scene = { boxes: [], ports: [], edges: [] };
    this.isDue = false;
    this.longestFrame = 0; // milliseconds of drawing
    new ResizeObserver(() => this.draw()).observe(holder);
    this.#listen();
  }

  get layout() {
    const graph = /** @type {Graph} */ (this.graph);
    let layout = this.layouts.get(graph);
    if (!layout) this.layouts.set(graph, (layout = new GraphLayout(graph, this.engine)));
    layout.share = this.share;
    return layout;
  }

  get size() {
    return { width: this.holder.clientWidth, height: this.holder.clientHeight };
  }

  get name() {
    return /** @type {HTMLElement} */ (this.holder.querySelector(".name"));
  }

  /** @param {string} text above the drawing; "": none */
  setName(text) {
    this.name.textContent = text;
    this.name.hidden = !text;
  }

  /** @param {Graph} graph */
  async show(graph) {
    this.graph = graph;
    this.selected = null;
    this.selectedEdge = null;
    this.related.clear();
    this.canvas.setAttribute("aria-label", `Drawing of ${graph.title}. The tree beside it has the same boxes.`);
    await this.layout.update();
    this.fit();
  }

  /** After sizes of boxes have changed. */
  async layOutAgain() {
    this.layout.invalidateAll();
    await this.layout.update();
    this.draw();
  }

  /**
   * Lays out after boxes were opened or closed. The box stays where it is on the screen.
   * @param {Box} box
   */
  async changed(box) {
    const before = placeOf(this.layout, box);
    this.layout.invalidate(box);
    await this.layout.update();
    const after = placeOf(this.layout, box);
    if (before && after) {
      this.camera.x += after.x - before.x;
      this.camera.y += after.y - before.y;
    }
    if (box.isOpen && this.camera.scale >= 0.45) this.reveal(box);
    this.draw();
  }

  /** Shows all of the drawing, below the name. */
  fit() {
    const level = this.graph && this.layout.levels.get(this.graph.root);
    if (!level) return;
    const { width, height } = this.size;
    const margin = 24;
    const top = this.name.offsetTop + this.name.offsetHeight; // 0 without a name
    const scale = Math.min((width - 2 * margin) / level.width, (height - top - 2 * margin) / level.height, 1.2);
    // A drawing that would be unreadable begins at its top instead.
    const readable = Math.max(scale, Math.min(0.55, (width - 2 * margin) / level.width), 0.02);
    this.camera.scale = readable;
    this.camera.x = level.width / 2 - width / 2 / readable;
    this.camera.y = scale >= readable ? level.height / 2 - (height + top) / 2 / readable : -(margin + top) / readable;
    this.draw();
  }

  /**
   * Moves a box into sight, and makes the drawing smaller if an open one is larger than the pane.
   * @param {Box} box
   */
  reveal(box) {
    const place = placeOf(this.layout, box);
    if (!place) return;
    const { camera } = this;
    const { width, height } = this.size;
    if (camera.scale < 0.45) camera.scale = 0.8;
    const fitting = Math.min(width / (place.width + 40), height / (place.height + 40));
    if (box.isOpen) camera.scale = Math.max(Math.min(camera.scale, fitting), Math.min(0.5, camera.scale));
    const [seenWidth, seenHeight] = [width / camera.scale, height / camera.scale];
    const isSeen =
      place.x >= camera.x && place.x + Math.min(place.width, seenWidth) <= camera.x + seenWidth &&
      place.y >= camera.y && place.y + Math.min(place.height, seenHeight) <= camera.y + seenHeight;
    if (!isSeen) {
      camera.x = place.x + place.width / 2 - seenWidth / 2;
      camera.y = place.height > seenHeight ? place.y - 20 : place.y + place.height / 2 - seenHeight / 2;
    }
    this.draw();
  }

  /**
   * @param {Point} at in pixels of the pane
   * @param {number} factor
   */
  zoom(at, factor) {
    const { camera } = this;
    const scale = Math.max(0.01, Math.min(MOST_SCALE, camera.scale * factor));
    camera.x += at.x / camera.scale - at.x / scale;
    camera.y += at.y / camera.scale - at.y / scale;
    camera.scale = scale;
    this.draw();
  }

  /**
   * @param {number} dx in pixels
   * @param {number} dy
   */
  pan(dx, dy) {
    this.camera.x += dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.draw();
  }

  /** Draws before the next frame. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    this.isDue = false;
    if (!this.graph) return;
    const begin = performance.now();
    const { width, height } = this.size;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
    const { x, y, scale } = this.camera;
    this.scene = sceneOf(this.layout, { x, y, width: width / scale, height: height / scale }, scale);
    this.painter.paint(this.scene, this.look(), this.camera, ratio);
    this.longestFrame = Math.max(this.longestFrame, performance.now() - begin);
  }

  /** @returns {Look} */
  look() {
    return {
      graph: /** @type {Graph} */ (this.graph),
      colours: this.actions.colours(),
      selected: this.selected,
      related: this.related,
      selectedEdge: this.selectedEdge,
      marks: this.marks,
      heat: this.heat,
    };
  }

  /** The whole drawing as SVG, without what is selected. */
  svg() {
    const graph = /** @type {Graph} */ (this.graph);
    const level = /** @type {import("./level.js").LaidOut} */ (this.layout.levels.get(graph.root));
    const all = { x: -1e9, y: -1e9, width: 2e9, height: 2e9 };
    const look = { ...this.look(), selected: null, related: new Set(), selectedEdge: null };
    return svgOf(sceneOf(this.layout, all, 1), look, level, graph.title);
  }

  /** @param {Box | null} box */
  select(box) {
    this.selected = box;
    this.selectedEdge = null;
    this.related = new Set();
    const { graph } = this;
    if (box && graph && box.isLeaf) {
      const { inputs = [], outputs = [] } = graph.node(box);
      for (const [, value] of inputs) {
        const producer = graph.producer(value);
        if (producer) this.related.add(graph.shown(producer));
      }
      for (const [, value] of outputs) {
        for (const reader of graph.readers(value)) this.related.add(graph.shown(reader));
      }
    }
    this.draw();
  }

  /**
   * @param {MouseEvent} event
   * @returns {Point} in pixels of the pane
   */
  #at(event) {
    const frame = this.canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  }

  /** @param {Point} at */
  #itemAt(at) {
    const { x, y, scale } = this.camera;
    return itemAt(this.scene, { x: x + at.x / scale, y: y + at.y / scale }, 6 / scale);
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey) this.actions.panned(this, event.deltaY + event.deltaX, 0);
      else this.actions.zoomed(this, this.#at(event), Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
    }, { passive: false });
    let from = { x: 0, y: 0 };
    let hasMoved = false;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = this.#at(event);
      hasMoved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      const to = this.#at(event);
      if (!hasMoved && Math.hypot(to.x - from.x, to.y - from.y) < 4) return;
      hasMoved = true;
      this.actions.panned(this, from.x - to.x, from.y - to.y);
      from = to;
    });
    canvas.addEventListener("click", (event) => {
      if (!hasMoved) this.#click(this.#at(event));
    });
    canvas.addEventListener("dblclick", (event) => {
      const item = this.#itemAt(this.#at(event));
      if (item && "box" in item && !item.box.isLeaf) this.actions.toggle(this, item.box);
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Point} at */
  #click(at) {
    const item = this.#itemAt(at);
    if (!item) return this.actions.selectBox(this, null);
    if ("box" in item) {
      const sign = this.scene.boxes.find(({ box }) => box === item.box);
      const { x, y, scale } = this.camera;
      const onSign =
        sign && !item.box.isLeaf && x + at.x / scale < sign.place.x + 24 && y + at.y / scale < sign.place.y + 26;
      if (onSign) this.actions.toggle(this, item.box);
      else this.actions.selectBox(this, item.box);
      return undefined;
    }
    const values = "edge" in item ? item.edge.edge.values : item.port.port.values;
    this.actions.selectValues(this, values);
    this.selectedEdge = "edge" in item ? item.edge.edge : null;
    this.draw();
    return undefined;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.size;
    const centre = { x: width / 2, y: height / 2 };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.actions.panned(this, -60, 0),
      ArrowRight: () => this.actions.panned(this, 60, 0),
      ArrowUp: () => this.actions.panned(this, 0, -60),
      ArrowDown: () => this.actions.panned(this, 0, 60),
      "+": () => this.actions.zoomed(this, centre, 1.25),
      "=": () => this.actions.zoomed(this, centre, 1.25),
      "-": () => this.actions.zoomed(this, centre, 0.8),
      0: () => this.fit(),
      Enter: () => {
        if (this.selected && !this.selected.isLeaf) this.actions.toggle(this, this.selected);
      },
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
