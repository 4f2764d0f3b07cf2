// Softmax of rows: the largest element, and the sum of the exponentials below it.
import { viewAlong } from "./indices.js";
import { addRows } from "./rows.js";

// The least finite number.
export const lowest = "-3.4028234e38f";

// output = `result`, an expression of `x`, `top` and `sum`, for each element.
export function addSoftmax(output, input, axis, result) {
  const { outer, size, inner } = viewAlong(input.dims, axis);
  const at = `(row / ${inner}u * ${size}u + i) * ${inner}u + row % ${inner}u`;
  addRows({
    writes: { output }, reads: { input }, rows: outer * inner, size,
    combine: { largest_of: "max(a, b)", sum_of: "a + b" },
    body: (each) => `    var largest = ${lowest};
    ${each} { largest = max(largest, input[${at}]); }
    let top = largest_of(thread, largest);
    var total = 0f;
    ${each} { total += exp(input[${at}] - top); }
    let sum = sum_of(thread, total);
    ${each} {
      let x = input[${at}];
      output[${at}] = ${result};
    }
`,
  });
}
