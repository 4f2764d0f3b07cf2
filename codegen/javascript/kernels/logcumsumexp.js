// Logarithms of cumulative sums of exponentials along an axis.
import { eachInOrder } from "./scans.js";

export function logcumsumexp(output, input, axis) {
  let top = -Infinity;
  let sum = 0; // of exp(x - top)
  eachInOrder(output.dims, axis, false, (at, isFirst) => {
    if (isFirst) [top, sum] = [-Infinity, 0];
    const next = input.data[at];
    if (next > top) {
      sum = sum * Math.exp(top - next) + 1;
      top = next;
    } else {
      sum += next === top ? 1 : Math.exp(next - top);
    }
    output.data[at] = top + Math.log(sum);
  });
}
