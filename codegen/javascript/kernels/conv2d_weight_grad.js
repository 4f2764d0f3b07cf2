// The gradient of conv2d with respect to its weight.
import { gemm } from "./gemm.js";
import { Patches } from "./patches.js";

export function conv2d_weight_grad(
  output, grad, input, _weight, stride, padding, dilation, groups,
) {
  const patches = new Patches(
    output.data.constructor, input.dims, output.dims, grad.dims, stride, padding, dilation, groups,
  );
  const { outputs, places, depth, matrix } = patches;
  output.data.fill(0);
  patches.eachGroup((_, x, w, y) => {
    patches.load(input.data, x);
    gemm(
      outputs, depth, places,
      { data: grad.data, start: y, row: places, column: 1 },
      { data: matrix, start: 0, row: 1, column: places },
      { data: output.data, start: w, row: depth },
    );
  });
}
