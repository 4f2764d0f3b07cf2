// A scene as SVG, for files.

import { BoxText, fillOf, strokeOf } from "./canvas.js";

/** @typedef {import("./canvas.js").Look} Look */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").BoxItem} BoxItem */
/** @typedef {import("./types").Point} Point */

/** @param {string} text */
export function escapeXml(text) {
  const names = /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" });
  return text.replace(/[&<>"']/g, (letter) => names[letter]);
}

/** @param {number} number */
function short(number) {
  return String(Math.round(number * 10) / 10);
}

/**
 * @param {Point[]} points
 * @param {Point} origin
 */
function pathOf(points, origin) {
  const at = points.map(({ x, y }) => `${short(x + origin.x)} ${short(y + origin.y)}`);
  if (points.length === 2) return `M${at[0]}L${at[1]}`;
  let text = `M${at[0]}`;
  for (let i = 1; i < at.length - 1; ++i) {
    const [a, b] = [points[i], points[i + 1]];
    const middle = `${short((a.x + b.x) / 2 + origin.x)} ${short((a.y + b.y) / 2 + origin.y)}`;
    text += `Q${at[i]} ${i === at.length - 2 ? at[i + 1] : middle}`;
  }
  return text;
}

/**
 * @param {Look} look
 * @param {BoxItem} item
 */
function boxSvg(look, item) {
  const { x, y, width, height } = item.place;
  const { colours } = look;
  const { fill, bar } = fillOf(look, item);
  const border = strokeOf(look, item.box);
  const text = new BoxText(look, item);
  const radius = item.box.kind === "op" ? 6 : height / 2;
  const left = x + 12 + (text.sign ? 14 : 0);
  const parts = [
    `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" rx="${short(radius)}" fill="${fill}" stroke="${border.stroke}" stroke-width="${border.width}"/>`,
  ];
  if (bar) parts.push(`<rect x="${short(x + 1)}" y="${short(y + 6)}" width="4" height="${short(height - 12)}" fill="${bar}"/>`);
  if (text.sign) parts.push(`<text x="${short(x + 10)}" y="${short(y + 18)}" fill="${colours.muted}">${text.sign}</text>`);
  parts.push(`<text x="${short(left)}" y="${short(y + 18)}" font-size="13" font-weight="600" fill="${colours.text}">${escapeXml(text.name + text.mark)}</text>`);
  if (!item.isOpen) {
    parts.push(`<text x="${short(x + 12)}" y="${short(y + height - 8)}" font-size="11" fill="${text.belowColour}">${escapeXml(text.below)}</text>`);
  }
  return parts.join("");
}

/**
 * @param {Scene} scene all of the drawing
 * @param {Look} look
 * @param {{width: number, height: number}} size
 * @param {string} title
 */
export function svgOf(scene, look, size, title) {
  const { colours } = look;
  const margin = 20;
  const [width, height] = [Math.ceil(size.width + 2 * margin), Math.ceil(size.height + 2 * margin)];
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin} ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="${-margin}" y="${-margin}" width="${width}" height="${height}" fill="${colours.canvas}"/>`,
    `<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 1L8 4L0 7Z" fill="${colours.edge}"/></marker>`,
  ];
  for (const item of scene.boxes) if (item.isOpen) lines.push(boxSvg(look, item));
  for (const { edge, origin, level } of scene.edges) {
    lines.push(`<path d="${pathOf(edge.points, origin)}" fill="none" stroke="${colours.edge}" marker-end="url(#tip)"/>`);
    if (!edge.label || !edge.at) continue;
    const [x, y] = [short(origin.x + edge.at.x), short(origin.y + edge.at.y + 4)];
    const halo = level.parent ? colours.group : colours.canvas;
    lines.push(`<text x="${x}" y="${y}" font-size="10" text-anchor="middle" fill="${colours.muted}" stroke="${halo}" stroke-width="3" paint-order="stroke">${escapeXml(edge.label)}</text>`);
  }
  for (const item of scene.boxes) if (!item.isOpen) lines.push(boxSvg(look, item));
  for (const { port, place } of scene.ports) {
    lines.push(`<rect x="${short(place.x)}" y="${short(place.y)}" width="${short(place.width)}" height="${place.height}" rx="10" fill="${colours.port}" stroke="${colours.line}"/>`);
    lines.push(`<text x="${short(place.x + place.width / 2)}" y="${short(place.y + 14)}" font-size="11" text-anchor="middle" fill="${colours.muted}">${escapeXml(port.text)}</text>`);
  }
  return `${lines.join("\n")}\n</svg>\n`;
}
