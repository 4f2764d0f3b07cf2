// Convolution over two axes.
import { gemm } from "./gemm.js";
import { Patches } from "./patches.js";

export function conv2d(output, input, weight, bias, stride, padding, dilation, groups) {
  const patches = new Patches(
    output.data.constructor, input.dims, weight.dims, output.dims, stride, padding, dilation, groups,
  );
  const { outputs, places, depth } = patches;
  patches.eachGroup((g, x, w, y) => {
    patches.load(input.data, x);
    for (let o = 0; o < outputs; ++o) {
      const start = bias === null ? 0 : bias.data[g * outputs + o];
      output.data.fill(start, y + o * places, y + (o + 1) * places);
    }
    gemm(
      outputs, places, depth,
      { data: weight.data, start: w, row: depth, column: 1 },
      { data: patches.matrix, start: 0, row: places, column: 1 },
      { data: output.data, start: y, row: places },
    );
  });
}
