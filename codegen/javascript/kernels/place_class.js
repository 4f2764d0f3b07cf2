// A number at the class of each sample, and zeros elsewhere.
import { eachClass } from "./classes.js";

// output[n, index[n, ...], ...] = input[n, ...]
export function place_class(output, input, index, _like) {
  output.data.fill(0);
  eachClass(output.dims, index, (sample, at) => {
    output.data[at] = input.data[sample];
  });
}
