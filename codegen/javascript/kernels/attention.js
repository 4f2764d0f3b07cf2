// Rows of attention: softmax(query @ key.T * scale + mask).
import { broadcastIndex } from "./axes.js";
import { gemm } from "./gemm.js";

// Writes the weights of matrix number `matrix`, of outputs of dims `to`. Fully masked rows become
// zeros.
export function attentionRows(weights, start, query, key, mask, isCausal, scale, to, matrix) {
  const rows = query.dims[query.dims.length - 2];
  const columns = key.dims[key.dims.length - 2];
  const width = query.dims[query.dims.length - 1];
  const q = broadcastIndex(matrix, to, query.dims, 2) * rows * width;
  const k = broadcastIndex(matrix, to, key.dims, 2) * columns * width;
  const factor = scale === null ? 1 / Math.sqrt(Math.max(1, width)) : scale;
  weights.fill(0, start, start + rows * columns);
  gemm(
    rows, columns, width,
    { data: query.data, start: q, row: width, column: 1 },
    { data: key.data, start: k, row: 1, column: width },
    { data: weights, start, row: columns },
  );
  const scores = [...to.slice(0, -2), rows, columns];
  for (let row = 0; row < rows; ++row) {
    const first = start + row * columns;
    const count = isCausal ? Math.min(columns, row + 1) : columns;
    for (let j = 0; j < count; ++j) weights[first + j] *= factor;
    if (mask !== null && count > 0) {
      const at = broadcastIndex((matrix * rows + row) * columns, scores, mask.dims);
      addMask(weights, first, count, mask, at);
    }
    normaliseRow(weights, first, count, columns);
  }
}

// A mask of bools is true where a query attends.
function addMask(weights, first, count, mask, at) {
  const step = mask.dims.length === 0 || mask.dims[mask.dims.length - 1] === 1 ? 0 : 1;
  const isBool = mask.data instanceof Uint8Array;
  for (let j = 0; j < count; ++j) {
    const element = mask.data[at + j * step];
    if (!isBool) weights[first + j] += element;
    else if (!element) weights[first + j] = -Infinity;
  }
}

function normaliseRow(weights, first, count, columns) {
  let top = -Number.MAX_VALUE;
  for (let j = 0; j < count; ++j) if (!(weights[first + j] <= top)) top = weights[first + j];
  let sum = 0;
  for (let j = 0; j < count; ++j) {
    const power = Math.exp(weights[first + j] - top);
    weights[first + j] = power;
    sum += power;
  }
  for (let j = 0; j < count && sum !== 0; ++j) weights[first + j] /= sum;
  weights.fill(0, first + count, first + columns);
}
