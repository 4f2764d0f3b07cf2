// Convolution over two axes, as a product of the weights and patches of the input.
import { addProduct } from "./products.js";
import { placeText, windowsOf } from "./windows.js";

export function conv2d(output, input, weight, bias, stride, padding, dilation, groups) {
  const [, channels, kernelRows, kernelColumns] = weight.dims; // channels of a group
  const [images, outputs] = output.dims;
  const taps = kernelRows * kernelColumns;
  const kernel = [kernelRows, kernelColumns];
  const { rows, columns } = windowsOf(input.dims, output.dims, kernel, stride, padding, dilation);
  const places = rows.output * columns.output;
  const depth = channels * taps;
  const filters = outputs / groups; // of a group
  const filter = `batch % ${groups}u * ${filters}u + m`;
  const row = placeText(rows, `n / ${columns.output}u`, `k % ${taps}u / ${kernelColumns}u`);
  const column = placeText(columns, `n % ${columns.output}u`, `k % ${kernelColumns}u`);
  addProduct({
    writes: { output }, reads: { input, weight, ...(bias && { bias }) },
    batches: images * groups, rows: filters, columns: places, depth,
    left: `    return weight[(${filter}) * ${depth}u + k];\n`,
    right: `    let row = ${row};
    let column = ${column};
    if (row < 0i || row >= ${rows.input}i || column < 0i || column >= ${columns.input}i) {
      return ${input.type}(0);
    }
    let plane = batch * ${channels}u + k / ${taps}u;
    return input[(plane * ${rows.input}u + u32(row)) * ${columns.input}u + u32(column)];
`,
    store: `    output[(batch * ${filters}u + m) * ${places}u + n] =
        value${bias === null ? "" : ` + bias[${filter}]`};
`,
  });
}
