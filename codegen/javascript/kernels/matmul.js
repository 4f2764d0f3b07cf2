// Products of matrices.
import { broadcastIndex } from "./axes.js";
import { gemm } from "./gemm.js";

// Multiplies the last two axes, and broadcasts the leading ones.
export function matmul(output, left, right) {
  const rank = output.dims.length;
  const columns = output.dims[rank - 1];
  const inner = left.dims[left.dims.length - 1];
  const isShared = right.dims.length === 2; // one matrix for all rows
  const rows = isShared && columns > 0 ? output.size / columns : output.dims[rank - 2];
  output.data.fill(0);
  if (rows * columns * inner === 0) return;
  for (let matrix = 0; matrix < output.size / (rows * columns); ++matrix) {
    const l = isShared ? 0 : broadcastIndex(matrix, output.dims, left.dims, 2);
    const r = isShared ? 0 : broadcastIndex(matrix, output.dims, right.dims, 2);
    gemm(
      rows, columns, inner,
      { data: left.data, start: l * rows * inner, row: inner, column: 1 },
      { data: right.data, start: r * inner * columns, row: columns, column: 1 },
      { data: output.data, start: matrix * rows * columns, row: columns },
    );
  }
}
