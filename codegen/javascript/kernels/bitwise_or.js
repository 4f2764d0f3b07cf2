// The bits of two ints: OR.
import { mapBits } from "./bits.js";

export function bitwise_or(output, left, right) {
  mapBits(output, left, right, (a, b) => a | b);
}
