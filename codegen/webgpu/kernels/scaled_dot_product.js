// Attention: values weighted by softmax of the scores.
import { addAttention } from "./attention.js";
import { broadcastText, product } from "./indices.js";
import { addProduct } from "./products.js";

export function scaled_dot_product(output, query, key, value, mask, isCausal, scale, _dropout) {
  const lead = output.dims.slice(0, -2);
  const [rows, width] = output.dims.slice(-2);
  const depth = key.dims.at(-2);
  const weights = output.program.scratch("f32", [...lead, rows, depth]);
  addAttention(weights, query, key, mask, isCausal, scale);
  const matrix = broadcastText("batch", lead, value.dims.slice(0, -2));
  addProduct({
    writes: { output }, reads: { weights, values: value },
    batches: product(lead), rows, columns: width, depth,
    left: `    return weights[(batch * ${rows}u + m) * ${depth}u + k];\n`,
    right: `    return values[((${matrix}) * ${depth}u + k) * ${width}u + n];\n`,
    store: `    output[(batch * ${rows}u + m) * ${width}u + n] = value;\n`,
  });
}
