// Means.
import { addReduction } from "./reduction.js";

export function mean(output, input, axis, _keepdim) {
  const result = (count) => `total / ${output.type}(${count})`;
  addReduction(output, input, axis, { start: "0", combine: "a + b", result });
}
