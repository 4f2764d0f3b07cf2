// Normalises channels by given statistics.
import { addElements } from "./elements.js";
import { literal } from "./functions.js";
import { product } from "./indices.js";

export function batch_norm_inference(output, input, mean, variance, weight, bias, eps) {
  const factor = weight === null ? "" : " * weight[c]";
  const offset = bias === null ? "" : " + bias[c]";
  const reads = { input, mean, variance, ...(weight && { weight }), ...(bias && { bias }) };
  const [, channels] = input.dims;
  addElements({ output }, reads, `    let c = element / ${product(input.dims, 2)}u % ${channels}u;
    let scale = 1f / sqrt(variance[c] + ${literal(eps, "f32")});
    output[element] = (input[element] - mean[c]) * scale${factor}${offset};
`);
}
