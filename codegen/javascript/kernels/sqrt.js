// Square roots of |x|; below a threshold a straight line through 0.
import { robustThreshold } from "./robust.js";

export function sqrt(output, input, _robust, threshold) {
  const least = robustThreshold(threshold, output);
  for (let i = 0; i < output.size; ++i) {
    const x = Math.abs(input.data[i]);
    output.data[i] = x < least ? x / Math.sqrt(least) : Math.sqrt(x);
  }
}
