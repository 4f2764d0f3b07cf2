// Numbers and texts for people.

/**
 * "12,345".
 * @param {number} count
 */
export function countText(count) {
  return count.toLocaleString("en-US");
}

/**
 * Three significant digits: "0.00123", "1.5e+09".
 * @param {number} number
 */
export function numberText(number) {
  const size = Math.abs(number);
  if (number !== 0 && (size >= 1e6 || size < 1e-3)) return number.toExponential(2);
  return String(Number(number.toPrecision(3)));
}

const units = {
  time: /** @type {[number, string][]} */ ([[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [0, "ns"]]),
  bytes: /** @type {[number, string][]} */ ([[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [0, "B"]]),
};

/**
 * What was measured, with its unit: "1.2 ms".
 * @param {string} name "time", "bytes", or another one, which has no unit
 * @param {number} number
 */
export function measureText(name, number) {
  if (name !== "time" && name !== "bytes") return numberText(number);
  const [size, unit] = /** @type {[number, string]} */ (units[name].find(([least]) => number >= least) ?? units[name][3]);
  const divisor = size || (name === "time" ? 1e-9 : 1);
  return `${numberText(number / divisor)} ${unit}`;
}

/**
 * At most `most` characters.
 * @param {string} text
 * @param {number} most
 */
export function shortText(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/**
 * The width of a text in a sans-serif font, for boxes: an estimate that needs no page.
 * @param {string} text
 * @param {number} size of the font
 */
export function textWidth(text, size) {
  let width = 0;
  for (const letter of text) {
    if (/[iljt.,:;'|!()[\] ]/.test(letter)) width += 0.33;
    else if (/[mwMW@%]/.test(letter)) width += 0.9;
    else if (/[A-Z0-9]/.test(letter)) width += 0.64;
    else if (letter > "\u2e80") width += 1;
    else width += 0.58;
  }
  return width * size;
}
