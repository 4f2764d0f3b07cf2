// Singular values and vectors, by Jacobi's rotations.
import { isFlipped } from "./column_sign.js";

function dot(a, b) {
  return a.reduce((sum, element, i) => sum + element * b[i], 0);
}

function rotateBoth(a, b, cosine, sine) {
  for (let i = 0; i < a.length; ++i)
    [a[i], b[i]] = [cosine * a[i] - sine * b[i], sine * a[i] + cosine * b[i]];
}

// Makes columns p and q orthogonal; `turned` rotates with them (Golub and Van Loan, Matrix
// Computations, 8.6). False: they are orthogonal.
function rotateColumns(columns, turned, p, q) {
  const [first, second] = [dot(columns[p], columns[p]), dot(columns[q], columns[q])];
  const both = dot(columns[p], columns[q]);
  const rounding = Math.sqrt(columns[p].length) * Number.EPSILON;
  if (!(Math.abs(both) > rounding * Math.sqrt(first) * Math.sqrt(second))) return false;
  const zeta = (second - first) / (2 * both);
  const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  rotateBoth(columns[p], columns[q], cosine, tangent * cosine);
  rotateBoth(turned[p], turned[q], cosine, tangent * cosine);
  return true;
}

// A vector of length 1 that is orthogonal to the columns: what they leave of the unit vector of
// which they leave most.
function completion(columns, rows) {
  let [best, longest] = [null, -1];
  for (let unit = 0; unit < rows; ++unit) {
    const rest = Float64Array.from({ length: rows }, (_, i) => (i === unit ? 1 : 0));
    // The second time removes the rounding of the first.
    for (const column of [...columns, ...columns]) {
      const along = dot(column, rest);
      column.forEach((element, i) => (rest[i] -= along * element));
    }
    const length = Math.hypot(...rest);
    if (length > longest) [best, longest] = [rest, length];
  }
  return best.map((element) => element / longest);
}

// Of no more columns than each has elements.
function ofColumns(columns, rows) {
  const mostSweeps = 60; // convergence is quadratic: ten sweeps are many
  const largest = columns.reduce((most, column) => Math.max(most, ...column.map(Math.abs)), 0);
  // Squares of elements stay in range.
  const scaled = columns.map((column) => column.map((x) => (largest > 0 ? x / largest : x)));
  const turned = columns.map((_, i) =>
    Float64Array.from({ length: columns.length }, (_, j) => (i === j ? 1 : 0)));
  let rotated = true;
  for (let sweep = 0; sweep < mostSweeps && rotated; ++sweep) {
    rotated = false;
    for (let p = 0; p < columns.length; ++p)
      for (let q = p + 1; q < columns.length; ++q)
        if (rotateColumns(scaled, turned, p, q)) rotated = true;
  }
  const lengths = scaled.map((column) => Math.hypot(...column));
  const order = Array.from(columns.keys()).sort((a, b) => lengths[b] - lengths[a]);
  const left = [];
  for (const i of order) {
    const length = lengths[i];
    left.push(length === 0 ? completion(left, rows) : scaled[i].map((x) => x / length));
  }
  return { left, values: order.map((i) => lengths[i] * largest), right: order.map((i) => turned[i]) };
}

// `left` has columns and `right` rows, one for each of the falling `values`; the first large element
// of each column is positive.
export function singularValuesOf(matrix, columnCount) {
  const rows = matrix.map((row) => row.slice());
  const columns = Array.from({ length: columnCount }, (_, j) =>
    Float64Array.from(matrix, (row) => row[j]));
  const isWide = columnCount > matrix.length;
  const found = isWide ? ofColumns(rows, columnCount) : ofColumns(columns, matrix.length);
  const { values } = found;
  const left = isWide ? found.right : found.left;
  const right = isWide ? found.left : found.right;
  left.forEach((column, k) => {
    if (!isFlipped(column)) return;
    left[k] = column.map((x) => -x);
    right[k] = right[k].map((x) => -x);
  });
  return { left, values, right };
}
