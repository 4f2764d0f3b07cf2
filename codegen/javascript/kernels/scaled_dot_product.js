// Attention: values weighted by softmax of the scores.
import { attentionRows } from "./attention.js";
import { broadcastIndex } from "./axes.js";
import { gemm } from "./gemm.js";
import { scratch } from "./scratch.js";

export function scaled_dot_product(output, query, key, value, mask, isCausal, scale, _dropout) {
  const rank = output.dims.length;
  const rows = output.dims[rank - 2];
  const width = output.dims[rank - 1];
  const columns = key.dims[key.dims.length - 2];
  const weights = scratch("attention", output.data.constructor, rows * columns);
  output.data.fill(0);
  for (let matrix = 0; matrix * rows * width < output.size; ++matrix) {
    const from = broadcastIndex(matrix, output.dims, value.dims, 2) * columns * width;
    attentionRows(weights, 0, query, key, mask, isCausal, scale, output.dims, matrix);
    gemm(
      rows, width, columns,
      { data: weights, start: 0, row: columns, column: 1 },
      { data: value.data, start: from, row: width, column: 1 },
      { data: output.data, start: matrix * rows * width, row: width },
    );
  }
}
