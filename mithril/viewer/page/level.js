// The sizes of boxes, and what the layout of one level gets and gives.

import { MOST_BOXES } from "./groups.js";
import { countText, shortText, textWidth } from "./format.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./types").LayoutRequest} LayoutRequest */
/** @typedef {import("./types").Rectangle} Rectangle */
/** @typedef {import("./types").Point} Point */

export const HEADER = 26;
export const PADDING = 14;
/** The most boxes that a call of the library gets. */
export const MOST_LAID_OUT = 500;
const MOST_PORTS = 12; // that are drawn apart
const MOST_COPIES = 80; // edges from ports of a level where ports are repeated

/**
 * A value that enters or leaves a level, or several of them together.
 * @typedef {{key: string, values: number[], text: string, isInput: boolean}} PortBox
 */

/**
 * A laid out level. Places are relative to the start of its contents.
 * @typedef {{
 *   width: number, height: number,
 *   boxes: {box: Box, place: Rectangle}[],
 *   ports: {port: PortBox, place: Rectangle}[],
 *   edges: {values: number[], from: string, to: string, points: Point[], label: string, at: Point | null}[],
 * }} LaidOut
 */

/**
 * Whether the class of a box says something: not one that was composed without a class.
 * @param {Box} box
 */
export function isLayer({ className }) {
  return className !== "" && className !== "Model";
}

/**
 * What a box says below its name.
 * @param {Graph} graph
 * @param {Box} box
 */
export function secondLine(graph, box) {
  if (box.isLeaf && box.kind !== "op") {
    const node = graph.node(box);
    const [port] = node.outputs ?? node.inputs ?? [];
    return port ? graph.valueText(port[1]) : box.kind;
  }
  if (box.isLeaf) return box.className;
  const count = `${countText(box.size)} ${box.size === 1 ? "node" : "nodes"}`;
  return isLayer(box) ? `${box.className}, ${count}` : count;
}

/**
 * How much larger a box is drawn for its share of what was measured, from 0 to 1.
 * @typedef {(box: Box) => number} Share
 */

/**
 * The size of a box that shows none of its own boxes.
 * @param {Graph} graph
 * @param {Box} box
 * @param {Share} share
 */
export function closedSize(graph, box, share) {
  const texts = [textWidth(shortText(box.name, 30), 13), textWidth(shortText(secondLine(graph, box), 36), 11)];
  const width = Math.max(60, ...texts) + 28;
  const grown = 30 * Math.sqrt(share(box));
  return { width: Math.round(width + grown), height: Math.round(40 + grown) };
}

/**
 * The ports of one side of a level. A value that many boxes read has a port at each of them, because
 * long edges hide what is between.
 * @param {Graph} graph
 * @param {import("./graph.js").Edge[]} edges that begin, or end, at a port
 * @param {boolean} isInput
 */
function portsOf(graph, edges, isInput) {
  const letter = isInput ? "i" : "o";
  /** @param {import("./graph.js").Edge} edge */
  const keyOf = (edge) => (isInput ? edge.from : edge.to);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const edge of edges) counts.set(keyOf(edge), (counts.get(keyOf(edge)) ?? 0) + 1);
  const isTogether = counts.size > MOST_PORTS;
  const isRepeated = !isTogether && isInput && edges.length <= MOST_COPIES;
  /** @type {Map<string, PortBox>} */
  const ports = new Map();
  const shown = edges.map((edge) => {
    const key = keyOf(edge);
    const hasMany = isRepeated && (counts.get(key) ?? 0) > 3;
    const name = isTogether ? `${letter}*` : hasMany ? `${key}@${edge.to}` : key;
    const port = ports.get(name);
    if (!port) ports.set(name, { key: name, values: [...edge.values], text: "", isInput });
    else for (const value of edge.values) if (!port.values.includes(value)) port.values.push(value);
    return isInput ? { ...edge, from: name } : { ...edge, to: name };
  });
  for (const port of ports.values()) {
    const { values } = port;
    port.text = values.length > 1 ? `${countText(values.length)} values` : shortText(graph.data.values[values[0]][0], 28);
  }
  return { ports: [...ports.values()], edges: shown };
}

/**
 * The ports of an open box, and its edges.
 * @param {Graph} graph
 * @param {Box} box
 */
export function contentsOf(graph, box) {
  const all = [...graph.level(box).edges.values()];
  const isPort = (/** @type {string} */ key) => key[0] !== "b";
  const inputs = portsOf(graph, all.filter(({ from }) => isPort(from)), true);
  const outputs = portsOf(graph, all.filter(({ to }) => isPort(to)), false);
  const inner = all.filter(({ from, to }) => !isPort(from) && !isPort(to));
  /** @type {Map<string, import("./graph.js").Edge>} */
  const edges = new Map();
  for (const { from, to, values } of [...inputs.edges, ...inner, ...outputs.edges]) {
    const same = edges.get(`${from}>${to}`);
    if (same) same.values.push(...values);
    else edges.set(`${from}>${to}`, { from, to, values: [...values] });
  }
  return { ports: [...inputs.ports, ...outputs.ports], edges: [...edges.values()] };
}

/**
 * @param {Graph} graph
 * @param {number[]} values of an edge
 */
function labelOf(graph, values) {
  if (values.length > 1) return `${values.length} values`;
  return shortText(graph.data.values[values[0]][1], 24);
}

/**
 * @param {Graph} graph
 * @param {Box} box an open one
 * @param {(child: Box) => {width: number, height: number}} sizeOf
 */
export function requestOf(graph, box, sizeOf) {
  const { ports, edges } = contentsOf(graph, box);
  /** @type {LayoutRequest} */
  const request = { nodes: [], edges: [] };
  for (const port of ports.filter((each) => each.isInput)) {
    request.nodes.push({ v: port.key, width: Math.round(textWidth(port.text, 11)) + 20, height: 20 });
  }
  for (const child of box.children) request.nodes.push({ v: graph.key(child), ...sizeOf(child) });
  for (const port of ports.filter((each) => !each.isInput)) {
    request.nodes.push({ v: port.key, width: Math.round(textWidth(port.text, 11)) + 20, height: 20 });
  }
  if (request.nodes.length > MOST_LAID_OUT) {
    throw new Error(`a level has ${request.nodes.length} boxes, of at most ${MOST_BOXES}`);
  }
  const labelled = edges.length <= 120;
  for (const edge of edges) {
    const width = labelled ? Math.round(textWidth(labelOf(graph, edge.values), 10)) + 6 : 0;
    request.edges.push({ v: edge.from, w: edge.to, width, height: labelled ? 12 : 0, labelpos: "r", labeloffset: 3 });
  }
  return { request, ports, edges, labelled };
}

/**
 * @param {Graph} graph
 * @param {Box} box
 * @param {ReturnType<typeof requestOf>} asked
 * @param {LayoutRequest} answer
 * @returns {LaidOut}
 */
export function laidOut(graph, box, asked, answer) {
  let [width, height] = [0, 0];
  /** @type {Map<string, Rectangle>} */
  const places = new Map();
  for (const { v, x = 0, y = 0, width: w, height: h } of answer.nodes) {
    places.set(v, { x: x - w / 2, y: y - h / 2, width: w, height: h });
    width = Math.max(width, x + w / 2);
    height = Math.max(height, y + h / 2);
  }
  const edges = answer.edges.map((edge, i) => {
    const { values, from, to } = asked.edges[i];
    const at = edge.x === undefined ? null : { x: edge.x, y: edge.y ?? 0 };
    for (const { x, y } of edge.points ?? []) [width, height] = [Math.max(width, x), Math.max(height, y)];
    if (at) width = Math.max(width, at.x + edge.width / 2);
    return { values, from, to, points: edge.points ?? [], label: asked.labelled ? labelOf(graph, values) : "", at };
  });
  /** @param {string} key */
  const place = (key) => /** @type {Rectangle} */ (places.get(key));
  return {
    width,
    height,
    boxes: box.children.map((child) => ({ box: child, place: place(graph.key(child)) })),
    ports: asked.ports.map((port) => ({ port, place: place(port.key) })),
    edges,
  };
}
