// The bits of two ints: AND.
import { mapBits } from "./bits.js";

export function bitwise_and(output, left, right) {
  mapBits(output, left, right, (a, b) => a & b);
}
