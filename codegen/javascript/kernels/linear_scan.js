// A linear recurrence along an axis.
import { eachInOrder } from "./scans.js";

export function linear_scan(output, input, decay, axis, reverse, exclusive) {
  let state = 0;
  eachInOrder(output.dims, axis, reverse, (at, isFirst) => {
    const before = isFirst ? 0 : state;
    state = isFirst ? input.data[at] : decay.data[at] * before + input.data[at];
    output.data[at] = exclusive ? before : state;
  });
}
