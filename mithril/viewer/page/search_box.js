// The field of the search, and the list of what it found.

import { element } from "./details.js";
import { countText } from "./format.js";
import { SearchIndex } from "./search.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */

export class SearchBox {
  /**
   * @param {HTMLInputElement} field
   * @param {HTMLElement} list
   * @param {{graph: () => Graph, open: (box: Box) => void, say: (text: string) => void, changed: (isSearching: boolean) => void}} actions
   */
  constructor(field, list, actions) {
    this.field = field;
    this.list = list;
    this.actions = actions;
    /** @type {WeakMap<Graph, SearchIndex>} */
    this.indices = new WeakMap();
    field.addEventListener("input", () => this.search());
    field.addEventListener("keydown", (event) => this.#fieldKey(event));
    list.addEventListener("keydown", (event) => this.#listKey(event));
  }

  search() {
    const graph = this.actions.graph();
    let index = this.indices.get(graph);
    if (!index) this.indices.set(graph, (index = new SearchIndex(graph)));
    const query = this.field.value;
    const { boxes, count } = index.find(query);
    this.list.replaceChildren(...boxes.map((box) => this.#item(box)));
    this.list.hidden = !query;
    this.actions.changed(query !== "");
    if (query) this.actions.say(`${countText(count)} found${count > boxes.length ? `, ${boxes.length} shown` : ""}`);
  }

  /** @param {Box} box */
  #item(box) {
    const item = element("li");
    const button = element("button", box.path || box.name);
    const below = box.kind === "op" ? box.className : box.kind;
    if (below) button.append(" ", element("span", below, "muted"));
    button.addEventListener("click", () => this.actions.open(box));
    item.append(button);
    return item;
  }

  /** @param {KeyboardEvent} event */
  #fieldKey(event) {
    const first = this.list.querySelector("button");
    if (event.key === "Escape") {
      this.field.value = "";
      this.search();
    } else if (event.key === "Enter") {
      first?.click();
    } else if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.focus();
    }
  }

  /** @param {KeyboardEvent} event */
  #listKey(event) {
    const item = document.activeElement?.parentElement;
    const next = item?.nextElementSibling?.querySelector("button");
    const previous = item?.previousElementSibling?.querySelector("button") ?? this.field;
    /** @type {Record<string, HTMLElement | null | undefined>} */
    const targets = { ArrowDown: next, ArrowUp: previous, Escape: this.field };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    target.focus();
  }
}
