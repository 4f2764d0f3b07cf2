// Logarithms of |x|; below a threshold the tangent at the threshold.
import { literal } from "./functions.js";
import { addFunction } from "./operands.js";
import { robustThreshold } from "./robust.js";

export function log(output, input, _robust, threshold) {
  const least = robustThreshold(threshold);
  const [edge, start] = [literal(least, "f32"), literal(Math.log(least) - 1, "f32")];
  const line = `${start} + abs(x) / ${edge}`;
  addFunction(output, { x: input }, `select(log(abs(x)), ${line}, abs(x) < ${edge})`);
}
