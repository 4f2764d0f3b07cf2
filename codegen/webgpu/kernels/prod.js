// Products of elements.
import { addReduction } from "./reduction.js";

export function prod(output, input, axis, _keepdim) {
  addReduction(output, input, axis, { start: "1", combine: "a * b" });
}
