// Cumulative products along an axis.
import { eachInOrder } from "./scans.js";

export function cumprod(output, input, axis, reverse, exclusive) {
  let total = 1;
  eachInOrder(output.dims, axis, reverse, (at, isFirst) => {
    const before = isFirst ? 1 : total;
    total = before * input.data[at];
    output.data[at] = exclusive ? before : total;
  });
}
