// The index of the largest or smallest element so far along an axis.
import { eachInOrder } from "./scans.js";

export function cumulative_extremum(output, input, axis, largest) {
  let k = 0;
  let index = 0;
  let best = 0;
  eachInOrder(output.dims, axis, false, (at, isFirst) => {
    const x = input.data[at];
    k = isFirst ? 0 : k + 1;
    const follows = x !== x || (largest ? x >= best : x <= best);
    if (isFirst || follows) [index, best] = [k, x];
    output.data[at] = index;
  });
}
