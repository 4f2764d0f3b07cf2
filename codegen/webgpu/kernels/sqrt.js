// Square roots of |x|; below a threshold a straight line through 0.
import { literal } from "./functions.js";
import { addFunction } from "./operands.js";
import { robustThreshold } from "./robust.js";

export function sqrt(output, input, _robust, threshold) {
  const least = robustThreshold(threshold);
  const [edge, root] = [literal(least, "f32"), literal(Math.sqrt(least), "f32")];
  addFunction(output, { x: input }, `select(sqrt(abs(x)), abs(x) / ${root}, abs(x) < ${edge})`);
}
