// The distinct elements of a tensor.
import { fail } from "./tensor.js";

// Sorted, with NaN after the numbers. The rest of the output repeats the last element.
export function unique(output, input, _size) {
  const sorted = input.data.slice().sort();
  const distinct = Array.from(sorted).filter((x, i) => i === 0 || x !== sorted[i - 1]);
  const found = distinct.length;
  if (found > output.size || (found === 0 && output.size > 0))
    fail("the distinct elements do not fit the size");
  for (let i = 0; i < output.size; ++i) output.data[i] = distinct[Math.min(i, found - 1)];
}
