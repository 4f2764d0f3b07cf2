// What the page says about the selected box or edge.

import { countText, measureText } from "./format.js";
import { eachBox } from "./groups.js";
import { histogramElement } from "./histogram.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./types").PageData} PageData */

const MOST_READERS = 6; // whose parameters a group shows

/**
 * What the details need of the page.
 * @typedef {{
 *   data: PageData,
 *   measured: Map<string, Map<number, number>>,
 *   open: (box: Box) => void,
 *   toggle: (box: Box) => void,
 *   markOf: (box: Box) => string,
 * }} Context
 */

/**
 * An element with text, never with markup: names come from files.
 * @param {string} tag
 * @param {string} [text]
 * @param {string} [className]
 */
export function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/**
 * @param {string} title
 * @param {...(Node | string)} contents
 */
function section(title, ...contents) {
  const made = element("section");
  made.append(element("h3", title), ...contents);
  return made;
}

/** @param {[string, string][]} pairs */
function table(pairs) {
  const list = element("dl", "", "pairs");
  for (const [name, text] of pairs) list.append(element("dt", name), element("dd", text));
  return list;
}

export class Details {
  /**
   * @param {HTMLElement} panel
   * @param {Context} context
   */
  constructor(panel, context) {
    this.panel = panel;
    this.context = context;
  }

  /** @param {...Node} contents */
  #show(...contents) {
    this.panel.replaceChildren(...contents);
    this.panel.scrollTop = 0;
  }

  /**
   * @param {Box} box
   * @param {string} [text]
   */
  #link(box, text = box.path || box.name) {
    const button = element("button", text, "link");
    button.addEventListener("click", () => this.context.open(box));
    return button;
  }

  /**
   * A value: its shape and dtype, and what stated them.
   * @param {Graph} graph
   * @param {number} value
   */
  #value(graph, value) {
    const [name, shape, dtype, isTensor] = graph.data.values[value];
    const made = element("div", "", "value");
    const line = element("div");
    line.append(element("code", shape, "shape"), " ", element("span", isTensor ? dtype : "a value", "muted"));
    made.append(line);
    if (name) made.append(element("div", name, "muted path"));
    const facts = graph.facts(value);
    if (facts.length) {
      const list = element("ul", "", "facts");
      for (const [what, origin] of facts) {
        const item = element("li");
        item.append(element("code", what), ` ${origin}`);
        list.append(item);
      }
      made.append(list);
    }
    return made;
  }

  /**
   * @param {Graph} graph
   * @param {[port: string, value: number][]} ports
   * @param {boolean} isInput
   */
  #ports(graph, ports, isInput) {
    return ports.map(([port, value]) => {
      const made = element("div", "", "port");
      if (port) made.append(element("h4", port));
      made.append(this.#value(graph, value));
      const producer = graph.producer(value);
      const others = isInput ? (producer ? [producer] : []) : graph.readers(value);
      if (others.length) {
        const line = element("div", isInput ? "from " : "read by ", "muted");
        others.slice(0, 20).forEach((other, i) => line.append(i ? ", " : "", this.#link(other)));
        if (others.length > 20) line.append(` and ${countText(others.length - 20)} more`);
        made.append(line);
      }
      return made;
    });
  }

  /**
   * @param {Graph} graph
   * @param {Box} box
   */
  #parameters(graph, box) {
    return (graph.node(box).parameters ?? []).map(([port, key, value]) => {
      const made = element("div", "", "port");
      made.append(element("h4", port || key), this.#value(graph, value));
      const { histograms } = this.context.data;
      if (Object.hasOwn(histograms, key)) made.append(histogramElement(histograms[key]));
      return made;
    });
  }

  /**
   * @param {Graph} graph
   * @param {Box} box
   * @returns {[string, string][]}
   */
  #measured(graph, box) {
    /** @type {[string, string][]} */
    const pairs = [];
    for (const [name, numbers] of this.context.measured) {
      const [part, whole] = [graph.total(box, numbers), graph.total(graph.root, numbers)];
      if (!part) continue;
      pairs.push([name, `${measureText(name, part)}, ${((100 * part) / whole).toFixed(1)} %`]);
    }
    return pairs;
  }

  /**
   * @param {Graph} graph
   * @param {Box} box
   */
  showBox(graph, box) {
    const title = element("h2", box.name || graph.title);
    title.tabIndex = -1;
    const kind = box.kind === "op" ? box.className || "group" : box.kind;
    const parts = [title, element("p", kind, "class")];
    if (box.path && box.path !== box.name) parts.push(element("p", box.path, "muted path"));
    if (box.line) parts.push(element("p", `added at ${box.line}`, "muted line"));
    const mark = this.context.markOf(box);
    if (mark) parts.push(element("p", mark, "mark"));
    const measured = this.#measured(graph, box);
    if (measured.length) parts.push(section("Measured", table(measured)));
    if (box.isLeaf) parts.push(...this.#leaf(graph, box));
    else parts.push(...this.#group(graph, box));
    this.#show(...parts);
  }

  /**
   * @param {Graph} graph
   * @param {Box} box
   */
  #leaf(graph, box) {
    const node = graph.node(box);
    const parts = [];
    if (node.arguments) parts.push(section("Arguments", table(node.arguments)));
    if (node.inputs) parts.push(section("Inputs", ...this.#ports(graph, node.inputs, true)));
    if (node.parameters) parts.push(section("Parameters", ...this.#parameters(graph, box)));
    if (node.outputs) parts.push(section("Outputs", ...this.#ports(graph, node.outputs, false)));
    return parts;
  }

  /**
   * @param {Graph} graph
   * @param {Box} box
   */
  #group(graph, box) {
    const parts = [];
    const button = element("button", box.isOpen ? "Fold" : "Unfold");
    button.addEventListener("click", () => this.context.toggle(box));
    if (box.parent) parts.push(button);
    /** @type {[string, string][]} */
    const counts = [["boxes", countText(box.children.length)], ["nodes", countText(box.size)]];
    parts.push(section("Contents", table(counts)));
    if (box.group?.options) parts.push(section("Options", table(box.group.options)));
    /** @type {Box[]} */
    const readers = [];
    eachBox(box, (each) => {
      if (each.isLeaf && graph.node(each).parameters) readers.push(each);
    });
    const level = graph.level(box);
    /** @param {Set<number>} values @returns {[string, number][]} */
    const ports = (values) => [...values].slice(0, 30).map((value) => ["", value]);
    if (level.inputs.size) parts.push(section("Inputs", ...this.#ports(graph, ports(level.inputs), true)));
    if (readers.length > MOST_READERS) {
      const text = `${countText(readers.length)} ops in it have some: select one of them, or a smaller part`;
      parts.push(section("Parameters", element("p", text)));
    } else if (readers.length) {
      parts.push(section("Parameters", ...readers.flatMap((reader) => this.#parameters(graph, reader))));
    }
    if (level.outputs.size) parts.push(section("Outputs", ...this.#ports(graph, ports(level.outputs), false)));
    return parts;
  }

  /**
   * @param {Graph} graph
   * @param {number[]} values that an edge or a port stands for
   */
  showValues(graph, values) {
    const title = element("h2", values.length === 1 ? "Value" : `${countText(values.length)} values`);
    title.tabIndex = -1;
    const parts = [title];
    for (const value of values.slice(0, 50)) {
      const made = element("div", "", "port");
      made.append(this.#value(graph, value));
      const producer = graph.producer(value);
      if (producer) {
        const line = element("div", "from ", "muted");
        line.append(this.#link(producer));
        made.append(line);
      }
      const line = element("div", "read by ", "muted");
      graph.readers(value).slice(0, 20).forEach((reader, i) => line.append(i ? ", " : "", this.#link(reader)));
      made.append(line);
      parts.push(made);
    }
    this.#show(...parts);
  }
}
