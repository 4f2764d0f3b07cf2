// What a pane shows of a laid out graph: the boxes, ports and edges that are on the screen, in the
// order of drawing. The canvas and the SVG draw the same.

import { HEADER, PADDING } from "./level.js";

/** @typedef {import("./layout.js").GraphLayout} GraphLayout */
/** @typedef {import("./groups.js").Box} Box */
/** @typedef {import("./level.js").LaidOut} LaidOut */
/** @typedef {import("./level.js").PortBox} PortBox */
/** @typedef {import("./types").Rectangle} Rectangle */
/** @typedef {import("./types").Point} Point */

/** Below this scale, texts and edges are not drawn, and boxes that are open look closed. */
export const SMALLEST_TEXT = 0.32;
export const SMALLEST_EDGE = 0.14;
export const SMALLEST_BOX = 0.07;

/** @typedef {LaidOut["edges"][number]} LaidEdge */
/** @typedef {{box: Box, place: Rectangle, isOpen: boolean}} BoxItem */
/** @typedef {{level: Box, port: PortBox, place: Rectangle}} PortItem */
/** @typedef {{level: Box, edge: LaidEdge, origin: Point}} EdgeItem */
/** @typedef {{boxes: BoxItem[], ports: PortItem[], edges: EdgeItem[]}} Scene */

/**
 * @param {Rectangle} a
 * @param {Rectangle} b
 */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/**
 * @param {LaidEdge} edge
 * @param {Point} origin
 * @param {Rectangle} window
 */
function edgeIsSeen(edge, origin, window) {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of edge.points) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  const place = { x: origin.x + left, y: origin.y + top, width: right - left + 1, height: bottom - top + 1 };
  return overlap(place, window);
}

/**
 * Where the contents of an open box begin.
 * @param {Rectangle} place of the box
 */
export function contentOrigin(place) {
  return { x: place.x + PADDING, y: place.y + HEADER + PADDING };
}

/**
 * @param {GraphLayout} layout
 * @param {Rectangle} window what is on the screen
 * @param {number} scale
 * @returns {Scene}
 */
export function sceneOf(layout, window, scale) {
  /** @type {Scene} */
  const scene = { boxes: [], ports: [], edges: [] };
  /** @type {{level: LaidOut, box: Box, origin: Point}[]} */
  const waiting = [];
  const root = layout.levels.get(layout.graph.root);
  if (root) waiting.push({ level: root, box: layout.graph.root, origin: { x: 0, y: 0 } });
  for (let i = 0; i < waiting.length; ++i) {
    const { level, box, origin } = waiting[i];
    /** @param {Rectangle} place */
    const moved = (place) => ({ ...place, x: place.x + origin.x, y: place.y + origin.y });
    for (const child of level.boxes) {
      const place = moved(child.place);
      if (!overlap(place, window)) continue;
      const inner = child.box.isOpen ? layout.levels.get(child.box) : undefined;
      const isOpen = inner !== undefined && scale >= SMALLEST_BOX;
      scene.boxes.push({ box: child.box, place, isOpen });
      if (isOpen && inner) waiting.push({ level: inner, box: child.box, origin: contentOrigin(place) });
    }
    if (scale >= SMALLEST_EDGE) {
      for (const { port, place } of level.ports) {
        if (overlap(moved(place), window)) scene.ports.push({ level: box, port, place: moved(place) });
      }
    }
    if (scale >= SMALLEST_EDGE || box === layout.graph.root) {
      for (const edge of level.edges) {
        if (edgeIsSeen(edge, origin, window)) scene.edges.push({ level: box, edge, origin });
      }
    }
  }
  return scene;
}

/**
 * Where a box is, if the boxes around it are open.
 * @param {GraphLayout} layout
 * @param {Box} box
 * @returns {Rectangle | null}
 */
export function placeOf(layout, box) {
  let origin = { x: 0, y: 0 };
  let level = layout.levels.get(layout.graph.root);
  const chain = [...box.ancestors(), box];
  for (const each of chain) {
    const found = level?.boxes.find((child) => child.box === each);
    if (!found) return null;
    const place = { ...found.place, x: found.place.x + origin.x, y: found.place.y + origin.y };
    if (each === box) return place;
    origin = contentOrigin(place);
    level = layout.levels.get(each);
  }
  return null;
}

/**
 * @param {Point} point
 * @param {Point} a
 * @param {Point} b
 */
function distanceToSegment(point, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const along = ((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.max(0, Math.min(1, along));
  return Math.hypot(point.x - a.x - t * dx, point.y - a.y - t * dy);
}

/**
 * The innermost box, port or edge at a point.
 * @param {Scene} scene
 * @param {Point} point
 * @param {number} reach how far from an edge a point may be
 * @returns {{box: Box, onHeader: boolean} | {edge: EdgeItem} | {port: PortItem} | null}
 */
export function itemAt(scene, point, reach) {
  /** @param {Rectangle} place */
  const holds = ({ x, y, width, height }) =>
    point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
  const port = scene.ports.find(({ place }) => holds(place));
  if (port) return { port };
  const boxes = scene.boxes.filter(({ place }) => holds(place));
  const inner = boxes.at(-1);
  if (inner && !inner.isOpen) return { box: inner.box, onHeader: true };
  let [best, nearest] = [reach, /** @type {EdgeItem | null} */ (null)];
  for (const item of scene.edges) {
    const at = { x: point.x - item.origin.x, y: point.y - item.origin.y };
    const { points, at: label } = item.edge;
    for (let i = 1; i < points.length; ++i) {
      const distance = distanceToSegment(at, points[i - 1], points[i]);
      if (distance < best) [best, nearest] = [distance, item];
    }
    if (label && Math.hypot(at.x - label.x, (at.y - label.y) * 2) < 14) return { edge: item };
  }
  if (nearest) return { edge: nearest };
  return inner ? { box: inner.box, onHeader: point.y <= inner.place.y + HEADER } : null;
}
