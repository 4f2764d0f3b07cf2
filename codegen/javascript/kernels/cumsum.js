// Cumulative sums along an axis.
import { eachInOrder } from "./scans.js";

export function cumsum(output, input, axis, reverse) {
  let total = 0;
  eachInOrder(output.dims, axis, reverse, (at, isFirst) => {
    total = (isFirst ? 0 : total) + input.data[at];
    output.data[at] = total;
  });
}
