// The bits of two ints: OR.
import { mapBroadcast } from "./operands.js";

export function bitwise_or(output, left, right) {
  mapBroadcast(output, left, right, (a, b) => a | b);
}
