// The bits of two ints: AND.
import { mapBroadcast } from "./operands.js";

export function bitwise_and(output, left, right) {
  mapBroadcast(output, left, right, (a, b) => a & b);
}
