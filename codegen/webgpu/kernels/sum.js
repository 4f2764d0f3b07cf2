// Sums.
import { addReduction } from "./reduction.js";

export function sum(output, input, axis, _keepdim) {
  addReduction(output, input, axis, { start: "0", combine: "a + b" });
}
