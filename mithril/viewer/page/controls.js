// The fields and buttons above the drawing, and the keys of the page.

import { changeTheme } from "./theme.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./types").PageData} PageData */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * A field of the page, with its value.
 * @param {string} id
 * @returns {HTMLSelectElement}
 */
export function field(id) {
  return /** @type {HTMLSelectElement} */ (document.getElementById(id));
}

/**
 * @param {HTMLSelectElement} select
 * @param {[value: string, text: string][]} options
 */
function fillSelect(select, options) {
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      return option;
    }),
  );
}

/**
 * The graphs to choose from, and what was measured.
 * @param {PageData} data
 */
export function fillControls(data) {
  const { graphs, measured } = data;
  byId("title").textContent = data.title;
  /** @type {[string, string][]} */
  const titles = graphs.map(({ id, title }) => [id, title]);
  /** @type {[string, string][]} */
  const names = Object.keys(measured).map((name) => [name, name]);
  fillSelect(field("graph"), titles);
  fillSelect(field("beside"), [["", "nothing"], ...titles]);
  fillSelect(field("colour"), [["", "class"], ...names]);
  byId("graphs").hidden = titles.length < 2;
  byId("colours").hidden = names.length === 0;
}

/** @param {Page} page */
export function connectControls(page) {
  byId("graph").addEventListener("change", () => page.showSelected());
  byId("beside").addEventListener("change", () => page.showSelected());
  byId("colour").addEventListener("change", () => page.colourBy(field("colour").value));
  byId("fit").addEventListener("click", () => page.panes().forEach((pane) => pane.fit()));
  byId("unfold").addEventListener("click", () => page.unfoldNext());
  byId("fold").addEventListener("click", () => page.foldAll());
  byId("values").addEventListener("click", () => page.showValues(!page.showsValues));
  byId("svg").addEventListener("click", () => page.save());
  byId("theme").addEventListener("click", () => {
    changeTheme(document.documentElement);
    page.recolour();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.recolour());
  window.addEventListener("hashchange", () => page.follow(location.hash));
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    byId("search").focus();
  });
  for (const pane of [page.left, page.right]) {
    pane.canvas.addEventListener("pointerdown", () => page.activate(pane), true);
    pane.canvas.addEventListener("focus", () => page.activate(pane));
  }
}
