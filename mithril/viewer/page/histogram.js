// A histogram of the elements of a parameter, as an element of the page.

import { countText, numberText } from "./format.js";

/** @typedef {import("./types").HistogramData} HistogramData */

const SVG = "http://www.w3.org/2000/svg";

/**
 * What a histogram says in words.
 * @param {HistogramData} data
 */
export function histogramText(data) {
  const { low, high, mean, deviation, elements, counted, notFinite } = data;
  const texts = [`${countText(elements)} ${elements === 1 ? "element" : "elements"}`];
  if (counted > notFinite) {
    texts[0] += ` from ${numberText(low)} to ${numberText(high)}`;
    texts.push(`mean ${numberText(mean)}, deviation ${numberText(deviation)}`);
  }
  if (counted < elements) texts.push(`${countText(counted)} of them counted`);
  if (notFinite) texts.push(`${countText(notFinite)} not finite`);
  return texts.join("; ");
}

/**
 * @param {HistogramData} data
 * @returns {Element}
 */
export function histogramElement(data) {
  const figure = document.createElement("figure");
  figure.className = "histogram";
  const svg = document.createElementNS(SVG, "svg");
  const [width, height] = [240, 56];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Histogram: ${histogramText(data)}`);
  const most = Math.max(...data.bins, 1);
  const step = width / data.bins.length;
  data.bins.forEach((count, i) => {
    const bar = document.createElementNS(SVG, "rect");
    const tall = count ? Math.max(1, (count / most) * height) : 0;
    bar.setAttribute("x", String(i * step + 0.5));
    bar.setAttribute("y", String(height - tall));
    bar.setAttribute("width", String(step - 1));
    bar.setAttribute("height", String(tall));
    svg.append(bar);
  });
  const caption = document.createElement("figcaption");
  caption.textContent = histogramText(data);
  figure.append(svg, caption);
  return figure;
}
