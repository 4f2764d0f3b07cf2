// Draws a scene on a canvas.

import { shortText } from "./format.js";
import { isLayer, secondLine } from "./level.js";
import { SMALLEST_EDGE, SMALLEST_TEXT } from "./scene.js";

/** @typedef {import("./graph.js").Graph} Graph */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").BoxItem} BoxItem */
/** @typedef {import("./types").Camera} Camera */
/** @typedef {import("./types").Mark} Mark */
/** @typedef {import("./types").Point} Point */

/**
 * The colours of a theme: the custom properties of page.css.
 * @typedef {Record<string, string>} Colours
 */

/**
 * How boxes look besides their place.
 * @typedef {{
 *   graph: Graph,
 *   colours: Colours,
 *   selected: Box | null,
 *   related: Set<Box>,
 *   selectedEdge: object | null,
 *   marks: Map<Box, Map<Mark, number>>,
 *   heat: ((box: Box) => {share: number, text: string} | null) | null,
 * }} Look
 */

const HUES = 10;
const MARK_SIGNS = { added: "+", removed: "−", changed: "~" };

/**
 * A number from 0 to 9 for a class: equal classes have equal colours.
 * @param {string} className
 */
export function hueOf(className) {
  let hash = 7;
  for (const letter of className.toLowerCase()) hash = (hash * 31 + letter.charCodeAt(0)) % 104729;
  return hash % HUES;
}

/**
 * The fill of a box, and of the bar at its left.
 * @param {Look} look
 * @param {BoxItem} item
 */
export function fillOf(look, { box, isOpen }) {
  const { colours } = look;
  const heat = look.heat?.(box);
  if (isOpen) return { fill: colours.group, bar: "" };
  if (heat) return { fill: colours[`heat${Math.min(8, Math.floor(heat.share * 9))}`], bar: "" };
  if (box.kind !== "op") return { fill: colours.port, bar: "" };
  if (!box.isLeaf && !isLayer(box)) return { fill: colours.folded, bar: "" };
  return { fill: box.isLeaf ? colours.box : colours.folded, bar: colours[`hue${hueOf(box.className)}`] };
}

/**
 * "+2 −1 ~3" for what a comparison marked in a box.
 * @param {Look} look
 * @param {Box} box
 */
export function markText(look, box) {
  const counts = look.marks.get(box);
  if (!counts) return "";
  const texts = [...counts].map(([mark, count]) => MARK_SIGNS[mark] + (box.isLeaf ? "" : count));
  return texts.join(" ");
}

/**
 * @param {Look} look
 * @param {Box} box
 */
export function strokeOf(look, box) {
  const { colours } = look;
  if (look.selected === box) return { stroke: colours.accent, width: 2.5 };
  const counts = look.marks.get(box);
  if (counts) return { stroke: colours[counts.size > 1 ? "changed" : [...counts.keys()][0]], width: 2.5 };
  if (look.related.has(box)) return { stroke: colours.accent, width: 1.5 };
  return { stroke: colours.line, width: 1 };
}

/** The texts of a box: its name, the line below it, and where something was measured a number. */
export class BoxText {
  /**
   * @param {Look} look
   * @param {BoxItem} item
   */
  constructor(look, { box }) {
    const mark = markText(look, box);
    this.name = shortText(box.name, 30);
    this.mark = mark ? ` ${mark}` : "";
    const heat = look.heat?.(box);
    this.belowColour = heat ? look.colours.text : look.colours.muted; // on all heats
    this.below = heat ? heat.text : shortText(secondLine(look.graph, box), 36);
    this.sign = box.isLeaf ? "" : box.isOpen ? "▾" : "▸";
  }
}

export class Painter {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  }

  /**
   * @param {Scene} scene
   * @param {Look} look
   * @param {Camera} camera
   * @param {number} ratio device pixels per pixel
   */
  paint(scene, look, camera, ratio) {
    const { context, canvas } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.colours.canvas;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const scale = camera.scale * ratio;
    context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
    context.lineJoin = "round";
    context.textBaseline = "middle";
    const open = scene.boxes.filter(({ isOpen }) => isOpen);
    const closed = scene.boxes.filter(({ isOpen }) => !isOpen);
    for (const item of open) this.#box(look, item, camera.scale);
    this.#edges(look, scene, camera.scale);
    for (const item of closed) this.#box(look, item, camera.scale);
    for (const { port, place } of scene.ports) this.#port(look, port, place, camera.scale);
  }

  /**
   * @param {Look} look
   * @param {BoxItem} item
   * @param {number} scale
   */
  #box(look, item, scale) {
    const { context } = this;
    const { box, place, isOpen } = item;
    const { fill, bar } = fillOf(look, item);
    const { stroke, width } = strokeOf(look, box);
    context.fillStyle = fill;
    context.strokeStyle = stroke;
    context.lineWidth = Math.max(width, 0.75 / scale);
    if (scale < SMALLEST_EDGE) {
      context.fillRect(place.x, place.y, place.width, place.height);
      context.lineWidth = (width > 1 ? 2 : 0.5) / scale;
      context.strokeRect(place.x, place.y, place.width, place.height);
    } else {
      const radius = box.kind === "op" ? 6 : place.height / 2;
      context.beginPath();
      context.roundRect(place.x, place.y, place.width, place.height, radius);
      context.fill();
      if (bar) {
        context.fillStyle = bar;
        context.fillRect(place.x + 1, place.y + 6, 4, place.height - 12);
      }
      context.stroke();
    }
    if (scale >= SMALLEST_TEXT) this.#boxText(look, item, isOpen);
  }

  /**
   * @param {Look} look
   * @param {BoxItem} item
   * @param {boolean} isOpen
   */
  #boxText(look, item, isOpen) {
    const { context } = this;
    const { colours } = look;
    const { x, y, width, height } = item.place;
    const text = new BoxText(look, item);
    const left = x + 12 + (text.sign ? 14 : 0);
    context.textAlign = "left";
    context.fillStyle = colours.muted;
    context.font = "12px system-ui, sans-serif";
    if (text.sign) context.fillText(text.sign, x + 10, y + 14);
    context.fillStyle = colours.text;
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(text.name + text.mark, left, y + 14, width - (left - x) - 6);
    context.fillStyle = text.belowColour;
    context.font = "11px system-ui, sans-serif";
    if (!isOpen) {
      context.fillText(text.below, x + 12, y + height - 12, width - 18);
    } else if (isLayer(item.box)) {
      context.textAlign = "right";
      context.fillText(shortText(item.box.className, 30), x + width - 10, y + 14);
    }
  }

  /**
   * @param {Look} look
   * @param {Scene} scene
   * @param {number} scale
   */
  #edges(look, scene, scale) {
    const { context } = this;
    const { colours } = look;
    context.lineWidth = Math.max(1, 0.75 / scale);
    context.strokeStyle = colours.edge;
    context.beginPath();
    for (const { edge, origin } of scene.edges) {
      if (edge !== look.selectedEdge) this.#line(edge.points, origin);
    }
    context.stroke();
    const lit = scene.edges.find(({ edge }) => edge === look.selectedEdge);
    if (lit) {
      context.strokeStyle = colours.accent;
      context.lineWidth = 2.5;
      context.beginPath();
      this.#line(lit.edge.points, lit.origin);
      context.stroke();
    }
    if (scale < SMALLEST_TEXT) return;
    for (const { edge, origin } of scene.edges) {
      this.#arrow(edge.points, origin, edge === look.selectedEdge ? colours.accent : colours.edge);
    }
    this.#labels(look, scene);
  }

  /**
   * @param {Look} look
   * @param {Scene} scene
   */
  #labels(look, scene) {
    const { context } = this;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    for (const { edge, origin, level } of scene.edges) {
      if (!edge.label || !edge.at) continue;
      const [x, y] = [origin.x + edge.at.x, origin.y + edge.at.y];
      const width = context.measureText(edge.label).width + 4;
      context.fillStyle = level.parent ? look.colours.group : look.colours.canvas;
      context.fillRect(x - width / 2, y - 6, width, 12);
      context.fillStyle = edge === look.selectedEdge ? look.colours.accent : look.colours.muted;
      context.fillText(edge.label, x, y);
    }
  }

  /**
   * @param {Point[]} points
   * @param {Point} origin
   */
  #line(points, origin) {
    const { context } = this;
    if (points.length < 2) return;
    const at = points.map(({ x, y }) => ({ x: x + origin.x, y: y + origin.y }));
    context.moveTo(at[0].x, at[0].y);
    for (let i = 1; i < at.length - 1; ++i) {
      const middle = { x: (at[i].x + at[i + 1].x) / 2, y: (at[i].y + at[i + 1].y) / 2 };
      const end = i === at.length - 2 ? at[i + 1] : middle;
      context.quadraticCurveTo(at[i].x, at[i].y, end.x, end.y);
    }
    if (at.length === 2) context.lineTo(at[1].x, at[1].y);
  }

  /**
   * @param {Point[]} points
   * @param {Point} origin
   * @param {string} colour
   */
  #arrow(points, origin, colour) {
    const { context } = this;
    if (points.length < 2) return;
    const [from, tip] = [points[points.length - 2], points[points.length - 1]];
    const angle = Math.atan2(tip.y - from.y, tip.x - from.x);
    context.fillStyle = colour;
    context.beginPath();
    context.moveTo(tip.x + origin.x, tip.y + origin.y);
    for (const side of [-0.4, 0.4]) {
      context.lineTo(tip.x + origin.x - 7 * Math.cos(angle + side), tip.y + origin.y - 7 * Math.sin(angle + side));
    }
    context.fill();
  }

  /**
   * @param {Look} look
   * @param {import("./level.js").PortBox} port
   * @param {import("./types").Rectangle} place
   * @param {number} scale
   */
  #port(look, port, place, scale) {
    const { context } = this;
    context.fillStyle = look.colours.port;
    context.strokeStyle = look.colours.line;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(place.x, place.y, place.width, place.height, place.height / 2);
    context.fill();
    context.stroke();
    if (scale < SMALLEST_TEXT) return;
    context.fillStyle = look.colours.muted;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(port.text, place.x + place.width / 2, place.y + place.height / 2, place.width - 8);
  }
}
