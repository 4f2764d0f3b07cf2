// The gradient of conv2d with respect to its input.
import { gemm } from "./gemm.js";
import { Patches } from "./patches.js";

export function conv2d_input_grad(
  output, grad, _input, weight, stride, padding, dilation, groups,
) {
  const patches = new Patches(
    output.data.constructor, output.dims, weight.dims, grad.dims, stride, padding, dilation, groups,
  );
  const { outputs, places, depth, matrix } = patches;
  output.data.fill(0);
  patches.eachGroup((_, x, w, y) => {
    matrix.fill(0, 0, depth * places);
    gemm(
      depth, places, outputs,
      { data: weight.data, start: w, row: 1, column: depth },
      { data: grad.data, start: y, row: places, column: 1 },
      { data: matrix, start: 0, row: places },
    );
    patches.addTo(output.data, x);
  });
}
