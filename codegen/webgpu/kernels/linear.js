// Linear layers.
import { addProduct } from "./products.js";

// output[row, o] = sum over i of input[row, i] * weight[o, i], + bias[o]
export function linear(output, input, weight, bias) {
  const [columns, depth] = weight.dims;
  addProduct({
    writes: { output }, reads: { input, weight, ...(bias && { bias }) },
    batches: 1, rows: columns === 0 ? 0 : output.size / columns, columns, depth, byColumn: true,
    left: `    return input[m * ${depth}u + k];\n`,
    right: `    return weight[n * ${depth}u + k];\n`,
    store: `    output[m * ${columns}u + n] = value${bias === null ? "" : " + bias[n]"};\n`,
  });
}
