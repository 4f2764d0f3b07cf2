// The element at the class of each sample.
import { eachClass } from "./classes.js";

// output[n, ...] = input[n, index[n, ...], ...]
export function pick_class(output, input, index) {
  eachClass(input.dims, index, (sample, at) => {
    output.data[sample] = input.data[at];
  });
}
