// Logarithms of |x|; below a threshold the tangent at the threshold.
import { robustThreshold } from "./robust.js";

export function log(output, input, _robust, threshold) {
  const least = robustThreshold(threshold, output);
  for (let i = 0; i < output.size; ++i) {
    const x = Math.abs(input.data[i]);
    output.data[i] = x < least ? Math.log(least) + x / least - 1 : Math.log(x);
  }
}
