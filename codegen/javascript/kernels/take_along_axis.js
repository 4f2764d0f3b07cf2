// An element of each row for each index of that row.
import { eachAlongAxis } from "./along_axis.js";

export function take_along_axis(output, input, index, axis) {
  eachAlongAxis(input.dims, index, axis, (i, at) => {
    output.data[i] = input.data[at];
  });
}
