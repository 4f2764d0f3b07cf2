// The tree of boxes beside the drawing: the same boxes for the keyboard and for screen readers.

import { element } from "./details.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */

export class Tree {
  /**
   * @param {HTMLElement} list
   * @param {{select: (box: Box) => void, toggle: (box: Box) => Promise<void>, markOf: (box: Box) => string}} actions
   */
  constructor(list, actions) {
    this.list = list;
    this.actions = actions;
    /** @type {Map<Box, HTMLElement>} */
    this.items = new Map();
    /** @type {WeakMap<Element, Box>} */
    this.boxes = new WeakMap();
    /** @type {Graph | null} */
    this.graph = null;
    /** @type {Box | null} */
    this.current = null; // the one that Tab reaches
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("click", (event) => this.#click(event));
  }

  /** @param {Graph} graph */
  show(graph) {
    this.graph = graph;
    this.items.clear();
    this.current = null;
    this.list.setAttribute("aria-label", `Boxes of ${graph.title}`);
    this.list.replaceChildren(...graph.root.children.map((box) => this.#item(box)));
    this.#makeCurrent(graph.root.children[0] ?? null);
  }

  /**
   * @param {Box} box
   * @returns {HTMLElement}
   */
  #item(box) {
    const item = element("li");
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-level", String(box.ancestors().length + 1));
    item.setAttribute("aria-selected", "false");
    item.tabIndex = -1;
    const row = element("div", "", "row");
    if (!box.isLeaf) {
      const sign = element("span", "", "sign");
      sign.ariaHidden = "true"; // aria-expanded says it
      row.append(sign);
    }
    row.append(element("span", box.name, "name"));
    const kind = box.kind === "op" ? box.className : box.kind;
    if (kind && kind !== "Model") row.append(" ", element("span", kind, "muted"));
    const mark = this.actions.markOf(box);
    const kindOfMark = mark.includes(",") ? "changed" : mark.replace(/^\d+ /, "");
    if (mark) row.append(" ", element("span", mark, `mark ${kindOfMark}`));
    item.append(row);
    this.items.set(box, item);
    this.boxes.set(item, box);
    if (!box.isLeaf) this.update(box);
    return item;
  }

  /**
   * After a box was opened or closed.
   * @param {Box} box
   */
  update(box) {
    const item = this.items.get(box);
    if (!item) return;
    item.setAttribute("aria-expanded", String(box.isOpen));
    item.querySelector(":scope > ul")?.remove();
    if (!box.isOpen) return;
    const inner = element("ul");
    inner.setAttribute("role", "group");
    inner.append(...box.children.map((child) => this.#item(child)));
    item.append(inner);
  }

  /** @param {Box | null} box */
  #makeCurrent(box) {
    const before = this.current && this.items.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = box;
    const item = box && this.items.get(box);
    if (item) item.tabIndex = 0;
  }

  /** @param {Box | null} box */
  select(box) {
    this.list.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    const item = box && this.items.get(box);
    if (!box || !item) return;
    item.setAttribute("aria-selected", "true");
    this.#makeCurrent(box);
    item.querySelector(".row")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Box | null | undefined} box */
  #focus(box) {
    const item = box && this.items.get(box);
    if (!box || !item) return;
    this.#makeCurrent(box);
    item.focus();
  }

  /** @returns {Box[]} in the order of the page */
  #visible() {
    /** @type {Box[]} */
    const boxes = [];
    /** @param {Box} box */
    const add = (box) => {
      for (const child of box.children) {
        boxes.push(child);
        if (child.isOpen) add(child);
      }
    };
    if (this.graph) add(this.graph.root);
    return boxes;
  }

  /** @param {Event} event */
  #boxOf(event) {
    const item = event.target instanceof Element ? event.target.closest("[role=treeitem]") : null;
    return item ? this.boxes.get(item) : undefined;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const box = this.#boxOf(event);
    if (!box) return;
    if (event.target instanceof Element && event.target.closest(".sign")) this.actions.toggle(box);
    else this.actions.select(box);
  }

  /** @param {KeyboardEvent} event */
  async #key(event) {
    const box = this.#boxOf(event);
    if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
    const boxes = this.#visible();
    const at = boxes.indexOf(box);
    /** @type {Record<string, () => void | Promise<void>>} */
    const keys = {
      ArrowDown: () => this.#focus(boxes[at + 1]),
      ArrowUp: () => this.#focus(boxes[at - 1]),
      Home: () => this.#focus(boxes[0]),
      End: () => this.#focus(boxes.at(-1)),
      Enter: () => this.actions.select(box),
      " ": () => this.actions.select(box),
      ArrowRight: () => {
        if (box.isLeaf) return;
        if (box.isOpen) return this.#focus(box.children[0]);
        return this.actions.toggle(box).then(() => this.#focus(box));
      },
      ArrowLeft: () => {
        if (box.isOpen) return this.actions.toggle(box).then(() => this.#focus(box));
        return this.#focus(box.parent);
      },
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    await action();
  }
}
