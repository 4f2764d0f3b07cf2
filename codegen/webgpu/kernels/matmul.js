// Products of matrices.
import { broadcastText, product } from "./indices.js";
import { addProduct } from "./products.js";

// Multiplies the last two axes, and broadcasts the leading ones.
export function matmul(output, left, right) {
  const columns = output.dims.at(-1);
  const depth = left.dims.at(-1);
  const lead = output.dims.slice(0, -2);
  const isShared = right.dims.length === 2; // one matrix for all rows
  const rows = isShared ? product(output.dims, 0, output.dims.length - 1) : output.dims.at(-2);
  const matrix = ({ dims }) => (isShared ? "0u" : broadcastText("batch", lead, dims.slice(0, -2)));
  addProduct({
    writes: { output }, reads: { left, right },
    batches: isShared ? 1 : product(lead), rows, columns, depth,
    left: `    return left[((${matrix(left)}) * ${rows}u + m) * ${depth}u + k];\n`,
    right: `    return right[((${matrix(right)}) * ${depth}u + k) * ${columns}u + n];\n`,
    store: `    output[(batch * ${rows}u + m) * ${columns}u + n] = value;\n`,
  });
}
