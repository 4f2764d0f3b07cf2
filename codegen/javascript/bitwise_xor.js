// The bits of two ints: XOR.
import { mapBroadcast } from "./operands.js";

export function bitwise_xor(output, left, right) {
  mapBroadcast(output, left, right, (a, b) => a ^ b);
}
