// Linear layers.
import { gemm } from "./gemm.js";

// output[row, o] = sum over i of input[row, i] * weight[o, i], + bias[o]
export function linear(output, input, weight, bias) {
  const [outputs, inputs] = weight.dims;
  const rows = outputs === 0 ? 0 : output.size / outputs;
  if (bias === null) output.data.fill(0);
  else for (let row = 0; row < rows; ++row) output.data.set(bias.data, row * outputs);
  gemm(
    rows, outputs, inputs,
    { data: input.data, start: 0, row: inputs, column: 1 },
    { data: weight.data, start: 0, row: 1, column: inputs },
    { data: output.data, start: 0, row: outputs },
  );
}
