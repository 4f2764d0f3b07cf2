// Products of matrices, in blocks that fit the caches, on tiles of 4 x 2 sums.
import { scratch } from "./scratch.js";

const blockOfInner = 256;
const blockOfRows = 64;
const blockOfColumns = 512;

// Copies a block as panels of `width` rows, each with its elements of one column together. Rows
// beyond the block become zeros.
function packPanels(to, width, from, start, rows, rowStep, columns, columnStep) {
  let at = 0;
  for (let first = 0; first < rows; first += width) {
    const filled = Math.min(width, rows - first);
    for (let k = 0; k < columns; ++k) {
      const begin = start + first * rowStep + k * columnStep;
      for (let i = 0; i < filled; ++i) to[at + i] = from[begin + i * rowStep];
      for (let i = filled; i < width; ++i) to[at + i] = 0;
      at += width;
    }
  }
}

// Adds the product of a panel of 4 rows and one of 2 columns to a tile of c.
function multiplyTile(a, aAt, b, bAt, depth, c, cAt, cStep, rows, columns) {
  let s00 = 0, s01 = 0, s10 = 0, s11 = 0, s20 = 0, s21 = 0, s30 = 0, s31 = 0;
  const end = aAt + 4 * depth;
  while (aAt < end) {
    const b0 = b[bAt], b1 = b[bAt + 1];
    const a0 = a[aAt], a1 = a[aAt + 1], a2 = a[aAt + 2], a3 = a[aAt + 3];
    s00 += a0 * b0;
    s01 += a0 * b1;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s30 += a3 * b0;
    s31 += a3 * b1;
    aAt += 4;
    bAt += 2;
  }
  c[cAt] += s00;
  if (columns > 1) c[cAt + 1] += s01;
  if (rows < 2) return;
  c[cAt + cStep] += s10;
  if (columns > 1) c[cAt + cStep + 1] += s11;
  if (rows < 3) return;
  c[cAt + 2 * cStep] += s20;
  if (columns > 1) c[cAt + 2 * cStep + 1] += s21;
  if (rows < 4) return;
  c[cAt + 3 * cStep] += s30;
  if (columns > 1) c[cAt + 3 * cStep + 1] += s31;
}

// Adds the product of a row of a and columns that are contiguous along `inner`, four at a time.
function multiplyRow(columns, inner, a, aStart, b, c, cStart) {
  const x = a.data;
  const y = b.data;
  for (let j = 0; j < columns; j += 4) {
    const last = columns - 1;
    const at0 = b.start + j * b.column;
    const at1 = b.start + Math.min(j + 1, last) * b.column;
    const at2 = b.start + Math.min(j + 2, last) * b.column;
    const at3 = b.start + Math.min(j + 3, last) * b.column;
    let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (let k = 0; k < inner; ++k) {
      const factor = x[aStart + k * a.column];
      s0 += factor * y[at0 + k];
      s1 += factor * y[at1 + k];
      s2 += factor * y[at2 + k];
      s3 += factor * y[at3 + k];
    }
    const to = cStart + j;
    c.data[to] += s0;
    if (j + 1 < columns) c.data[to + 1] += s1;
    if (j + 2 < columns) c.data[to + 2] += s2;
    if (j + 3 < columns) c.data[to + 3] += s3;
  }
}

// Adds a (rows x inner) @ b (inner x columns) to c. A matrix is {data, start, row, column}: its
// elements, the index of the first one, and the steps to the next row and column. The columns of c
// are contiguous.
export function gemm(rows, columns, inner, a, b, c) {
  if (rows < 4 && b.row === 1) {
    for (let i = 0; i < rows; ++i)
      multiplyRow(columns, inner, a, a.start + i * a.row, b, c, c.start + i * c.row);
    return;
  }
  const aPanels = scratch("a panels", Float64Array, (blockOfRows + 4) * blockOfInner);
  const bPanels = scratch("b panels", Float64Array, (blockOfColumns + 2) * blockOfInner);
  for (let j = 0; j < columns; j += blockOfColumns) {
    const width = Math.min(blockOfColumns, columns - j);
    for (let k = 0; k < inner; k += blockOfInner) {
      const depth = Math.min(blockOfInner, inner - k);
      const bStart = b.start + k * b.row + j * b.column;
      packPanels(bPanels, 2, b.data, bStart, width, b.column, depth, b.row);
      for (let i = 0; i < rows; i += blockOfRows) {
        const height = Math.min(blockOfRows, rows - i);
        const aStart = a.start + i * a.row + k * a.column;
        packPanels(aPanels, 4, a.data, aStart, height, a.row, depth, a.column);
        for (let q = 0; q < width; q += 2) {
          for (let p = 0; p < height; p += 4) {
            const cAt = c.start + (i + p) * c.row + j + q;
            multiplyTile(
              aPanels, p * depth, bPanels, q * depth, depth, c.data, cAt, c.row, height - p,
              width - q,
            );
          }
        }
      }
    }
  }
}
