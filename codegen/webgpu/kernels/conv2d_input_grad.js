// The gradient of conv2d for its input, which is a transposed convolution.
import { addElements } from "./elements.js";
import { windowsOf } from "./windows.js";

// Each element of the input gathers the outputs whose windows contain it.
export function conv2d_input_grad(output, grad, _input, weight, stride, padding, dilation, groups) {
  const [, channels, kernelRows, kernelColumns] = weight.dims; // channels of a group
  const filters = weight.dims[0] / groups; // of a group
  const kernel = [kernelRows, kernelColumns];
  const { rows, columns } = windowsOf(output.dims, grad.dims, kernel, stride, padding, dilation);
  // The output whose tap reads place `place`, or none.
  const outputOf = (axis, place, tap) => {
    const distance = `${place} + ${axis.before}i - i32(${tap}) * ${axis.dilation}i`;
    return { distance, ends: axis.output * axis.stride, stride: axis.stride };
  };
  const check = (name, { distance, ends, stride: step }) => `let ${name} = ${distance};
        if (${name} < 0i || ${name} >= ${ends}i || ${name} % ${step}i != 0i) { continue; }`;
  const plane = rows.input * columns.input;
  addElements({ output }, { grad, weight }, `    let row = i32(element / ${columns.input}u % ${rows.input}u);
    let column = i32(element % ${columns.input}u);
    let channel = element / ${plane}u % ${channels * groups}u;
    let image = element / ${plane * channels * groups}u;
    let chosen = channel / ${channels}u;
    var sum = ${output.type}(0);
    for (var p = 0u; p < ${kernelRows}u; p++) {
      ${check("y", outputOf(rows, "row", "p"))}
      for (var q = 0u; q < ${kernelColumns}u; q++) {
        ${check("x", outputOf(columns, "column", "q"))}
        let at = u32(y / ${rows.stride}i) * ${columns.output}u + u32(x / ${columns.stride}i);
        for (var f = chosen * ${filters}u; f < (chosen + 1u) * ${filters}u; f++) {
          let w = (f * ${channels}u + channel % ${channels}u) * ${kernelRows}u + p;
          let from_plane = image * ${filters * groups}u + f;
          sum += weight[w * ${kernelColumns}u + q] *
              grad[from_plane * ${rows.output * columns.output}u + at];
        }
      }
    }
    output[element] = sum;
`);
}
