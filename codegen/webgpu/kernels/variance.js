// Variances.
import { addRows, reducedRows } from "./rows.js";

// sum((x - mean)^2) / max(n - correction, 0)
export function variance(output, input, axis, _keepdim, correction) {
  const { rows, size, at } = reducedRows(input.dims, axis);
  const divisor = Math.max(size - correction, 0);
  addRows({
    writes: { output }, reads: { input }, rows, size, combine: { sum_of: "a + b" },
    body: (each) => `    var sum = 0f;
    ${each} { sum += input[${at}]; }
    let mean = sum_of(thread, sum) / ${size}f;
    var squares = 0f;
    ${each} {
      let distance = input[${at}] - mean;
      squares += distance * distance;
    }
    output[row] = sum_of(thread, squares) / f32(${divisor});
`,
  });
}
